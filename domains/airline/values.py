"""The airline's fees, allowances, windows and limits: the one place from which code and policy have them."""

from datetime import datetime, timedelta
from typing import Any

from pytest_tau.environment import values_of

NOW = datetime(2024, 5, 15, 15)
_SINCE = NOW - timedelta(hours=values_of(__package__)["cancel_hours"])
VALUES: dict[str, Any] = {**values_of(__package__), "cancel_since": f"{_SINCE:%H:%M} on {_SINCE.day} {_SINCE:%B %Y}"}
BAG_FEE: int = VALUES["bag_fee"]
INSURANCE_FEE: int = VALUES["insurance_fee"]
# Free checked bags of a passenger by membership, in basic economy, economy and business.
FREE_BAGS: dict[str, list[int]] = {tier: VALUES[f"free_bags_{tier}"] for tier in ("regular", "silver", "gold")}
CANCEL_HOURS: int = VALUES["cancel_hours"]
