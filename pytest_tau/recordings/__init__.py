"""Recorded conversations: readers of other programs' files and of our journals, and grading them again."""
