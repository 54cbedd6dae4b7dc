"""Customers' lines through a real loudspeaker and a real recogniser, where both are installed."""
