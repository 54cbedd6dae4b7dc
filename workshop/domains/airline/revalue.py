"""What other values of the airline change in its books: bags that are free or not, and what was paid for them."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from .make_db import CABINS

Json = dict[str, Any]


def database(tables: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The reservations as they would stand had the new values held when they were booked."""
    changed = {}
    for number, trip in tables["reservations"].items():
        member = tables["users"][trip["user_id"]]["membership"]
        people, cabin = len(trip["passengers"]), CABINS.index(trip["cabin"])
        extra = max(0, trip["total_baggages"] - new[f"free_bags_{member}"][cabin] * people)
        insured = people if trip["insurance"] == "yes" else 0
        more = new["bag_fee"] * extra - old["bag_fee"] * trip["nonfree_baggages"]
        more += insured * (new["insurance_fee"] - old["insurance_fee"])
        if (extra, more) != (trip["nonfree_baggages"], 0):
            changed[number] = {"nonfree_baggages": extra, "payment_history": _pay(trip["payment_history"], more)}
    return {"reservations": changed}


def _pay(history: list[Json], more: int) -> list[Json]:
    """The first payment is another one, and so is what was given back of it."""
    first = history[0]["amount"]
    after = deepcopy(history)
    for payment in after:
        if abs(payment["amount"]) == first:
            payment["amount"] += more if payment["amount"] > 0 else -more
    return after
