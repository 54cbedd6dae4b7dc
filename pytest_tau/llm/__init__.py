"""Calls of language models: one small interface, with retries, limits, prices and recordings behind it."""
