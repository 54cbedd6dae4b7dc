"""Wishes for an order whose number stands in a mail, which its buyer has to open."""

from collections.abc import Iterator

from tau_workshop.compose import Atom, number_in_mail, phrases_of

from .pending import addresses, cancellations
from .records import Buyer
from .steps import whole

say = phrases_of(__file__)


def of_mails(buyer: Buyer) -> Iterator[Atom]:
    """A cancellation, or another address."""
    for order in buyer.orders("pending"):
        number, pieces = order["order_id"], len(order["items"])
        things = say("in_mail.one") if pieces == 1 else say("in_mail.more", pieces=pieces)
        text = say("in_mail.text", number=number, things=things)
        for atom in (*cancellations(buyer, order), *addresses(buyer, order)):
            yield number_in_mail(atom, buyer.id, say("in_mail.called"), say("in_mail.subject"), text, whole(order))
