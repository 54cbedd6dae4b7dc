"""From task files and recordings to test items."""
