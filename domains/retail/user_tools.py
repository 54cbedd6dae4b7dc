"""What the shop's customers have at home, in tasks in which they act as well: their inbox and their payment app."""

from collections.abc import Iterator

from pytest_tau.environment.customer_side import CustomerTools, meeting

from .tools import RetailTools

DONE = {
    "cancelled": "has been cancelled",
    "return requested": "will be returned",
    "exchange requested": "will be exchanged in part",
    "pending (item modified)": "has been changed",
}


class RetailUserTools(CustomerTools):
    """What the customer can do at home."""


def confirmations(tools: RetailTools, user_id: str) -> Iterator[tuple[str, str, str]]:
    """A mail for each order whose status is another than at the beginning."""
    orders = tools.db.orders
    for order_id in tools.db.users[user_id].orders:
        status = orders.read(order_id).status
        if status in DONE and status != orders.base.raw[order_id]["status"]:
            number = order_id.removeprefix("#")
            yield f"done_{number}", f"Your order {order_id}", f"Order {order_id} {DONE[status]}."


sync = meeting(confirmations)
