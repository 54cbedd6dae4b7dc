"""What a run leaves behind, and how a later run goes on from it."""
