"""Draws the pictures of the suites retail_images, airline_images and telecom_images, and writes their tasks.

    python -m drawing            # all suites, into tasks/
    python -m drawing retail     # one of them

Everything comes from the built-in domains' data and a seed, so that what a picture shows, and with it the gold path, is
known, and nobody else's rights are touched. The font is the one that Pillow brings with it.
"""
