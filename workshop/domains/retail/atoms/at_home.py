"""Wishes for an order whose number stands in a mail, which its buyer has to open."""

from collections.abc import Iterator

from tau_workshop.compose import Atom, number_in_mail

from .pending import addresses, cancellations
from .records import Buyer
from .steps import whole

CALLED = "the order that the mail in my inbox is about"


def of_mails(buyer: Buyer) -> Iterator[Atom]:
    """A cancellation, or another address."""
    for order in buyer.orders("pending"):
        number, pieces = order["order_id"], len(order["items"])
        things = "one thing" if pieces == 1 else f"{pieces} things"
        text = f"Thank you for your order. Its number is {number}, and you have ordered {things}."
        for atom in (*cancellations(buyer, order), *addresses(buyer, order)):
            yield number_in_mail(atom, buyer.id, CALLED, "We have received your order", text, whole(order))
