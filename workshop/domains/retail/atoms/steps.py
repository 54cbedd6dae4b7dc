"""What retail's wishes are made of: the parts of an order, the looks at records, and how they are named in words."""

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Reference, look_up

from .records import Buyer, Json

Arguments = Mapping[str, Any]
ADDRESS, PAYMENT, ITEMS = 1, 2, 3  # what closes an order comes last
CANCELLING = "Pending orders: Cancelling"
MOVING = "Pending orders: Changing the address"
PAYING = "Pending orders: Changing the payment method"
CHANGING = "Pending orders: Changing items"


def whole(order: Json) -> frozenset[str]:
    """All there is to an order, also its parcel: who takes it for not sent asks for no tracking number."""
    return frozenset(f"{order['order_id']}:{part}" for part in ("address", "payment", "items", "tracking"))


def believed_open(order: Json) -> str:
    """A delivered order that somebody takes for a pending one."""
    return f"{order['order_id']}:believed open"


def money_of(*methods: Json) -> frozenset[str]:
    """Gift cards whose balance moves, which only one wish of a task may do."""
    return frozenset(f"{method['id']}:balance" for method in methods if method["source"] == "gift_card")


def versions(items: Iterable[Json]) -> frozenset[str]:
    """What these items are: nobody sends a rug back and wants a better one in another order at the same time."""
    return frozenset(f"product {item['product_id']}:wanted" for item in items)


def elsewhere_of(buyer: Buyer) -> str:
    """The one other place to which somebody has things sent."""
    return f"{buyer.id} elsewhere:address"


def see(order: Json) -> Action:
    """Look at an order."""
    return look_up("get_order_details", order_id=order["order_id"])


def profile(buyer: Buyer) -> Action:
    """Look at who they are and how they can pay."""
    return look_up("get_user_details", user_id=buyer.id)


def catalogue(item: Json) -> Action:
    """Look at the variants of a product."""
    return look_up("get_product_details", product_id=item["product_id"])


def with_capital(ref: Reference) -> dict[str, Reference]:
    """The reference, for the middle and for the beginning of a sentence."""
    hidden = None if ref.hidden is None else ref.hidden[0].upper() + ref.hidden[1:]
    return {"order": ref, "Order": Reference(ref.said[0].upper() + ref.said[1:], hidden)}


def refers(ref: Reference) -> dict[str, Reference]:
    """The reference of an item, for the middle and for the beginning of a sentence."""
    hidden = None if ref.hidden is None else ref.hidden[0].upper() + ref.hidden[1:]
    return {"item": ref, "Item": Reference(ref.said[0].upper() + ref.said[1:], hidden)}
