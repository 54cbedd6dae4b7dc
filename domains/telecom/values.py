"""The provider's limits and fees: the one place from which code and policy have them."""

from pytest_tau.environment import values_of

VALUES = values_of(__package__)
MOST_GB: int = VALUES["most_gb"]
