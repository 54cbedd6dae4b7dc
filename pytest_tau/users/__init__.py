"""The simulated customers that come with pytest-tau."""
