"""Everything that buyers could want in vain, or only want to know."""

from collections.abc import Iterator, Sequence

from tau_workshop.compose import Atom

from .asking import tracking, undo, variants_in_stock
from .records import Buyer, Json
from .refused_delivered import foreign_refund, not_pending, other_product, second_return, somebody_elses
from .refused_pending import add, already_processed, another_reason, changed_before, small_card, take_out


def of_refused(buyer: Buyer, strangers: Sequence[Json]) -> Iterator[Atom]:
    """Everything that a buyer could want in vain, or only want to know."""
    for order in buyer.orders("processed"):
        yield from already_processed(buyer, order)
    for order in buyer.orders("pending"):
        yield from take_out(buyer, order)
        yield from add(buyer, order)
        yield from small_card(buyer, order)
        yield from another_reason(buyer, order)
        yield from changed_before(buyer, order)
    for order in buyer.orders("delivered"):
        yield from foreign_refund(buyer, order)
        yield from second_return(buyer, order)
        yield from not_pending(buyer, order)
        yield from other_product(buyer, order)
        yield from tracking(buyer, order)
    for order in buyer.orders("cancelled"):
        yield from undo(buyer, order)
    yield from somebody_elses(buyer, strangers)
    yield from variants_in_stock(buyer)
