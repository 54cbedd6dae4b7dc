"""What buyers only want to know, and what nobody at the desk can do, so that a person takes over."""

from collections.abc import Iterator

from pytest_tau.schema.checks import Called
from tau_workshop.compose import Atom, look_up, phrases_of

from .options import PAIRS, noun
from .records import Buyer, Json
from .refusing import status
from .steps import catalogue, see, versions, whole, with_capital

say = phrases_of(__file__)
TRANSFER = "transfer_to_human_agents"
LEAST = 5


def undo(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Nobody here can undo a cancellation, so a person has to take over."""
    summary = say("undo_cancellation.transfer.summary", number=order["order_id"])
    yield Atom(
        "undo_cancellation",
        **say("undo_cancellation"),
        steps=(see(order), look_up(TRANSFER, summary=summary)),
        touches=whole(order),
        rank=9,
        refers=with_capital(buyer.order_named(order)),
        tags=("transfer",),
        checks=(status(order, "cancelled"), Called(check="called", name=TRANSFER)),
        last=True,
        policies=("Handing over to a person",),
    )


def tracking(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """The number of a parcel."""
    number = order["fulfillments"][0]["tracking_id"][0]
    yield Atom(
        "tracking_number",
        **say("tracking_number"),
        steps=(see(order),),
        touches=frozenset({f"{order['order_id']}:tracking"}),
        refers={"order": buyer.order_named(order)},
        facts=(number,),
        tags=("information",),
        policies=("Working rules",),
    )


def available(buyer: Buyer, item: Json) -> int:
    """How many versions of an item are in stock."""
    return sum(v["available"] for v in buyer.books.products[item["product_id"]]["variants"].values())


def variants_in_stock(buyer: Buyer) -> Iterator[Atom]:
    """How many versions there are of something that they have ordered."""
    items = [item for order in buyer.orders() for item in order["items"] if item["name"] not in PAIRS]
    numbers = {item["product_id"]: available(buyer, item) for item in items}
    # A small number, or one that a budget may be, could be said of something else.
    told = [item for item in items if numbers[item["product_id"]] > LEAST and numbers[item["product_id"]] % 5]
    if not told:
        return
    item = buyer.rng.choice(told)
    name = noun(item["name"])
    yield Atom(
        "variants_in_stock",
        **say("variants_in_stock", name=name),
        steps=(look_up("list_all_product_types"), catalogue(item)),
        touches=frozenset({f"{item['product_id']}:stock"}) | versions([item]),
        facts=(str(numbers[item["product_id"]]),),
        tags=("information",),
        policies=("Working rules",),
    )
