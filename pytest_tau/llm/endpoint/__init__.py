"""A server of models on loopback for agents that bring a client of their own; one file for each API it speaks."""
