"""Who speaks next, and the driver that asks them."""
