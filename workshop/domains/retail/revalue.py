"""What other values of the shop change in its books: the reasons for which orders were cancelled."""

from collections.abc import Mapping
from typing import Any

REASONS = ("reason_unneeded", "reason_mistake")


def database(tables: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The cancelled orders under the new names of the reasons."""
    names = {old[reason]: new[reason] for reason in REASONS if old[reason] != new[reason]}
    orders = tables["orders"].items()
    return {
        "orders": {
            number: {"cancel_reason": names[order["cancel_reason"]]}
            for number, order in orders
            if order.get("cancel_reason") in names
        }
    }
