"""One trial: who plays it, when, and what becomes of it."""
