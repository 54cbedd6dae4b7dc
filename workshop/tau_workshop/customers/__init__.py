"""The profile of people at a service desk, and the classifier that tells simulated customers from them."""
