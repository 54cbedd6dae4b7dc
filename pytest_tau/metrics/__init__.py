"""Numbers over trials. Imports nothing else of ours, and nothing heavy."""
