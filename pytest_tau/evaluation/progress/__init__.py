"""How far a trial got, and what it cost its customer."""
