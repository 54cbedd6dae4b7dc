"""What buyers want of orders that have been delivered: their money back, or another version."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Revision, look_up, phrases_of, with_endings

from ..values import REFUND_ALSO
from .options import KINDS, UNCLEAR, enumeration, noun
from .records import Buyer, Json, live_order, methods_called, money
from .steps import ITEMS, Arguments, money_of, profile, refers, see, versions
from .swaps import EXCHANGE, several_items, swaps

say = phrases_of(__file__)
RETURNING = "Delivered orders: Returning items"


def of_delivered(buyer: Buyer) -> Iterator[Atom]:
    """Everything that a buyer could want of what they have received."""
    for order in buyer.orders("delivered"):
        yield from returns(buyer, order)
        yield from several(buyer, order)
        yield from by_category(buyer, order)
        yield from foreign_then_original(buyer, order)
        yield from swaps(buyer, order, EXCHANGE)
        yield from several_items(buyer, order, EXCHANGE)


def give_back(order: Json, items: Sequence[Json], method: Json) -> Action:
    """The return of some items."""
    return look_up(
        "return_delivered_order_items",
        order_id=order["order_id"],
        item_ids=[item["item_id"] for item in items],
        payment_method_id=method["id"],
    )


def refunds_to(buyer: Buyer, order: Json) -> list[Json]:
    """The methods that a refund may go to."""
    paid = buyer.paid_with(order)
    return [m for m in buyer.methods() if m["id"] == paid["id"] or m["source"] == REFUND_ALSO]


def alone(order: Json) -> tuple[str, ...]:
    """That nothing else of an order is returned, where there is something else in it."""
    return say("alone.manner") if len(order["items"]) > 1 else ()


def touches(order: Json, items: Iterable[Json] = (), *paid_to: Json) -> frozenset[str]:
    """A delivered order takes one return or exchange; ``items`` go back, and the money to a gift card at once."""
    return frozenset({f"{order['order_id']}:items"}) | versions(items) | money_of(*paid_to)


def back(buyer: Buyer, order: Json, method: Json) -> str | None:
    """Where the money shall go, in words that name one method."""
    return buyer.method_named(method)


def _fits(
    buyer: Buyer, order: Json, words: str, meant: Callable[[Sequence[Json]], list[Json]]
) -> Callable[[Environment], list[Arguments]]:
    def fits(env: Environment) -> list[Arguments]:
        items = meant(live_order(env, order["order_id"])["items"])
        allowed = {method["id"] for method in refunds_to(buyer, order)}
        found = [m for m in methods_called(env, buyer.id, words, buyer) if m in allowed]
        return [dict(give_back(order, items, {"id": method_id}).arguments) for method_id in found if items]

    return fits


def with_names(names: Collection[str]) -> Callable[[Sequence[Json]], list[Json]]:
    """Which of some items have one of these names."""
    return lambda items: [item for item in items if item["name"] in names]


def returns(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """One item."""
    named = [(item, ref) for item in order["items"] if (ref := buyer.item_named(order, item)) is not None]
    for position, (item, ref) in enumerate(named):
        method = buyer.rng.choice(refunds_to(buyer, order))
        words = back(buyer, order, method)
        if words is None:
            continue
        asks = buyer.rng.random() < 0.3
        said = say("return", words=words)
        other, other_ref = named[position - 1]
        revision = None
        old, new = noun(other["name"]), noun(item["name"])
        if asks:
            said["says"] = with_endings(said["says"], say("refund.asks"))
        elif other is not item:
            said |= say("return_or_other")
            revision = Revision(
                **say("return.revision", words=words, old=old, new=new),
                proposal=give_back(order, [other], method),
            )
        yield Atom(
            "return",
            **said,
            steps=(profile(buyer), see(order), give_back(order, [item], method)),
            touches=touches(order, [item, other] if revision else [item], method),
            rank=ITEMS,
            refers={**refers(ref), **({"other": other_ref, "order": buyer.order_named(order)} if revision else {})},
            manner=() if revision else alone(order),
            fits=_fits(buyer, order, words, with_names([item["name"]])),
            facts=(money(item["price"]),) if asks else (),
            revision=revision,
            policies=(RETURNING,),
        )


def several(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """All of an order, all but one item, or two items."""
    items, ref = list(order["items"]), buyer.order_named(order)
    method = buyer.rng.choice(refunds_to(buyer, order))
    words = back(buyer, order, method)
    if words is None or len(items) < 2:
        return
    common: dict[str, Any] = {"rank": ITEMS, "policies": (RETURNING,)}
    total = sum(round(100 * item["price"]) for item in items) / 100
    keeps = say("return_all.withdraws")
    yield Atom(
        "return_whole_order",
        **say("return_whole_order", words=words),
        steps=(profile(buyer), see(order), give_back(order, items, method)),
        touches=touches(order, items, method),
        refers={"order": ref},
        fits=_fits(buyer, order, words, list),
        facts=(money(total),),
        withdraws=keeps,
        **common,
    )
    kept = buyer.rng.choice(items)
    rest = [item for item in items if item is not kept]
    # Of two things, one would name the one that goes back.
    if len(items) > 2 and [item["name"] for item in items].count(kept["name"]) == 1:
        name = noun(kept["name"])
        others = buyer.order_named(order, but=[kept["name"]])
        yield Atom(
            "return_all_but_one",
            **say("return_all_but_one", name=name, words=words),
            steps=(profile(buyer), see(order), give_back(order, rest, method)),
            touches=touches(order, rest, method),
            refers={"order": others},
            fits=_fits(buyer, order, words, lambda held: [i for i in held if i["name"] != kept["name"]]),
            facts=(money(sum(round(100 * item["price"]) for item in rest) / 100),),
            withdraws=keeps,
            tags=("abstract",),
            **common,
        )
    names = [item["name"] for item in items]
    pairs = [(a, b) for a, b in combinations(items, 2) if names.count(a["name"]) == names.count(b["name"]) == 1]
    if pairs and len(items) > 2:
        pair = buyer.rng.choice(pairs)
        both = enumeration([f"the {noun(item['name'])}" for item in pair])
        chosen = {item["name"] for item in pair}
        others = buyer.order_named(order, but=chosen)
        yield Atom(
            "return_several",
            **say("return_several", both=both, words=words),
            steps=(profile(buyer), see(order), give_back(order, pair, method)),
            touches=touches(order, pair, method),
            refers={"order": others},
            fits=_fits(buyer, order, words, lambda held: [i for i in held if i["name"] in chosen]),
            facts=(money(sum(round(100 * item["price"]) for item in pair) / 100),),
            withdraws=keeps,
            **common,
        )


def by_category(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Everything of one kind, or everything of another, which the agent has to make concrete."""
    method = buyer.rng.choice(refunds_to(buyer, order))
    words = back(buyer, order, method)
    names = {item["name"] for item in order["items"]}
    for category, members in KINDS.items():
        if words is None or names & UNCLEAR[category] or not names & members or names <= members:
            continue
        plural = "s" if sum(item["name"] in members for item in order["items"]) > 1 else ""
        these, kept = say(f"all_of.{category}"), say(f"kept.{category}", s=plural)
        for intent, wanted, says in (
            ("return_category", names & members, say("return_category.says", these=these, words=words)),
            ("return_all_but_category", names - members, say("return_all_but_category.says", kept=kept, words=words)),
        ):
            items = [item for item in order["items"] if item["name"] in wanted]
            # "It is the waffle iron" is not clear where there are two; and who means a single thing names it.
            if len(items) > len(wanted) or len(items) < 2:
                continue
            yield Atom(
                intent,
                says=says,
                steps=(profile(buyer), see(order), give_back(order, items, method)),
                touches=touches(order, items, method),
                **say("by_category", things=enumeration(sorted("the " + noun(name) for name in wanted))),
                rank=ITEMS,
                # Naming it tells nothing of the answer, and nobody names a thing and its kind at once.
                refers={"order": buyer.order_named(order, but=members | wanted)},
                fits=_fits(buyer, order, words, with_names(wanted)),
                tags=("abstract",),
                policies=(RETURNING,),
            )


def foreign_then_original(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """A refund that cannot go where they want it; then it goes where it may."""
    allowed = refunds_to(buyer, order)
    foreign = [m for m in buyer.methods() if m not in allowed]
    named = [(item, ref) for item in order["items"] if (ref := buyer.item_named(order, item)) is not None]
    if not foreign or not named:
        return
    item, ref = buyer.rng.choice(named)
    wrong, right = buyer.method_named(buyer.rng.choice(foreign)), buyer.paid_with(order)
    if wrong is None:
        return
    yield Atom(
        "return_wrong_method",
        **say("return_wrong_method", wrong=wrong),
        steps=(profile(buyer), see(order), give_back(order, [item], right)),
        touches=touches(order, [item], right),
        rank=ITEMS,
        refers=refers(ref),
        manner=alone(order),
        tags=("fallback",),
        policies=(RETURNING,),
    )
