"""What every refusal is made of: evidence that was looked at, a reason that was told, and calls that were not made."""

from typing import Any

from pytest_tau.schema.checks import Evidence, NotCalled, TrajectoryCheck
from tau_workshop.compose import Atom

from .records import Json

STATUS = "What the status of an order allows"
PENDING_TOOLS = (
    "cancel_pending_order",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
)
DELIVERED_TOOLS = ("return_delivered_order_items", "exchange_delivered_order_items")


def shows(order: Json, what: str) -> Evidence:
    """The order was looked at, and showed something."""
    return Evidence(check="evidence", name="get_order_details", arguments={"order_id": order["order_id"]}, shows=what)


def status(order: Json, value: str) -> Evidence:
    """The order was looked at, and its status seen."""
    return shows(order, f'"status": "{value}"')


def not_called_for(order: Json, *tools: str) -> list[TrajectoryCheck]:
    """None of these tools was called for the order."""
    return [NotCalled(check="not_called", name=tool, arguments={"order_id": order["order_id"]}) for tool in tools]


def refusal(intent: str, **parts: Any) -> Atom:
    """A wish that is turned down."""
    tags = ("refusal", *parts.pop("tags", ()))
    return Atom(intent, tags=tags, **parts)
