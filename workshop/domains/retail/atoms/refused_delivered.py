"""What buyers want of orders that have come, or of somebody else's, and the policy does not allow."""

from collections.abc import Iterator, Sequence

from pytest_tau.schema.calls import EnvFunctionCall
from pytest_tau.schema.checks import NotSaid
from tau_workshop.compose import Atom, Reference, because, not_yours, phrases_of

from ..values import REFUND_ALSO
from .delivered import RETURNING, give_back, refunds_to, touches
from .options import article, noun
from .records import Buyer, Json
from .refusing import DELIVERED_TOOLS, STATUS, not_called_for, refusal, shows, status
from .steps import believed_open, profile, refers, see, whole, with_capital

say = phrases_of(__file__)


def foreign_refund(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """A refund goes back to where the money came from, or to the one method that the policy allows besides."""
    allowed = refunds_to(buyer, order)
    foreign = [m for m in buyer.methods() if m not in allowed]
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if not foreign or not named:
        return
    item, ref = buyer.rng.choice(named)
    method = buyer.rng.choice(foreign)
    words, paid = buyer.method_named(method), buyer.paid_with(order)
    if words is None:
        return
    bare = words.removeprefix("my ").lower()
    source = {"credit_card": "card", "paypal": "paypal", "gift_card": "gift card"}
    also = source[REFUND_ALSO]
    yield refusal(
        "foreign_refund",
        **say("foreign_refund", words=words, thing=noun(item["name"]), theirs=words.replace("my ", "your ")),
        steps=(profile(buyer), see(order)),
        touches=touches(order, [item]),
        refers=refers(ref),
        tags=("false_belief",),
        checks=(
            shows(order, paid["id"]),
            because(**say("foreign_refund.because", source=source[paid["source"]], bare=bare, also=also)),
            *not_called_for(order, *DELIVERED_TOOLS),
        ),
        policies=(RETURNING,),
    )


def second_return(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """There was a return already, and there is one an order."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if len(named) < 2:
        return
    (first, _), (item, ref) = buyer.rng.sample(named, 2)
    paid = buyer.paid_with(order)
    words = buyer.method_named(paid)
    before = give_back(order, [first], paid)
    yield refusal(
        "second_return",
        **say("second_return", words=words, before=noun(first["name"]), thing=noun(item["name"])),
        steps=(see(order),),
        touches=touches(order, [first, item]),
        refers=refers(ref),
        initialise=(EnvFunctionCall(env_type="assistant", func_name=before.name, arguments=before.arguments),),
        checks=(
            status(order, "return requested"),
            because(**say("second_return.because")),
            *not_called_for(order, *DELIVERED_TOOLS),
        ),
        policies=(STATUS, RETURNING),
    )


def not_pending(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """They believe that it is still on its way."""
    yield refusal(
        "thinks_on_its_way",
        **say("thinks_on_its_way"),
        steps=(see(order),),
        touches=touches(order) | whole(order) | {believed_open(order)},
        refers=with_capital(buyer.order_named(order)),
        tags=("false_belief",),
        checks=(
            status(order, "delivered"),
            because(**say("thinks_on_its_way.because")),
            *not_called_for(order, "cancel_pending_order", *DELIVERED_TOOLS),
        ),
        policies=(STATUS,),
    )


def other_product(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """An item can become another version of itself, and nothing else."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if not named:
        return
    item, ref = buyer.rng.choice(named)
    other = noun(buyer.rng.choice(buyer.never_ordered())["name"])
    some = f"{article(other)} {other}"
    yield refusal(
        "other_product",
        **say("other_product", some=some, other=other, thing=noun(item["name"])),
        steps=(see(order),),
        touches=touches(order, [item]),
        refers=refers(ref),
        checks=(
            because(**say("other_product.because", thing=noun(item["name"]), some=some, other=other)),
            *not_called_for(order, *DELIVERED_TOOLS),
        ),
        policies=("Delivered orders: Exchanging items",),
    )


def somebody_elses(buyer: Buyer, strangers: Sequence[Json]) -> Iterator[Atom]:
    """An order that is not theirs, whatever they say."""
    order = buyer.rng.choice([one for one in strangers if one["user_id"] != buyer.id])
    owner = buyer.books.users[order["user_id"]]
    name = f"{owner['name']['first_name']} {owner['name']['last_name']}"
    yield refusal(
        "somebody_elses_order",
        **say("somebody_elses_order", number=order["order_id"]),
        steps=(profile(buyer), see(order)),
        touches=whole(order),
        # Who says this number does not say that they have none at hand.
        refers=with_capital(Reference(f"order {order['order_id']}")),
        checks=(
            because(not_yours("order")),
            *not_called_for(order, "cancel_pending_order"),
            NotSaid(check="not_said", texts=[owner["user_id"], owner["email"], owner["address"]["address1"], name]),
        ),
        policies=("Working rules",),
    )
