"""What went wrong in a conversation, at which step, and whose fault it was; and what a suite's trivial floor is."""
