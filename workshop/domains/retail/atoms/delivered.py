"""What buyers want of orders that have been delivered: their money back, or another version."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Revision, look_up

from ..values import REFUND_ALSO
from .options import CLOTHES, KITCHEN, MUSIC, UNCLEAR, enumeration, noun
from .records import Buyer, Json, live_order, methods_called, money
from .steps import ITEMS, Arguments, money_of, profile, refers, see, versions
from .swaps import EXCHANGE, several_items, swaps

RETURNING = "Delivered orders: Returning items"
CATEGORIES = {"kitchen": KITCHEN, "music": MUSIC, "clothes": CLOTHES}
ALL_OF = {"kitchen": "everything for the kitchen", "music": "the musical instruments", "clothes": "all the clothing"}
KEPT = {"kitchen": "what is for the kitchen", "music": "the musical instrument{s}", "clothes": "the clothing"}
REFUND = (
    "How much will I get back?",
    "Tell me what I get back, please.",
    "What will the refund be?",
    "I'd also like to know how much that is.",
)


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
    return ("{Item} is the only item of that order that you return.",) if len(order["items"]) > 1 else ()


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
        says = (
            f"I'd like to return {{item}} and get the money back on {words}.",
            f"Please take {{item}} back and refund {words}.",
            f"Could I send {{item}} back? The refund should go to {words}.",
            f"{{Item}} is not what I was looking for. I want to return it, with the refund on {words}.",
            f"I don't want to keep {{item}}. Please arrange a return and put the money on {words}.",
        )
        other, other_ref = named[position - 1]
        revision = None
        old, new = noun(other["name"]), noun(item["name"])
        if other is not item and not asks:
            revision = Revision(
                (
                    f"I'd like to return {{other}} and get the money back on {words}.",
                    f"Please take {{other}} back and refund {words}.",
                    f"Could I send {{other}} back? The refund should go to {words}.",
                    f"I want to return {{other}}, with the refund on {words}.",
                ),
                (
                    f"Wait, wrong one. I'll keep the {old} and return the {new} instead.",
                    f"Hold on, I mixed them up: the {old} stays here, and the {new} goes back.",
                    f"Sorry, I meant the {new} from that order, not the {old}.",
                    f"Actually, no. Not the {old}, but the {new}, please.",
                ),
                give_back(order, [other], method),
            )
        yield Atom(
            "return",
            tuple(f"{text} {ask}" for text, ask in zip(says, (*REFUND, REFUND[0]), strict=True)) if asks else says,
            (profile(buyer), see(order), give_back(order, [item], method)),
            touches(order, [item, other] if revision else [item], method),
            about="the return from {order}" if revision else "the return of {item}",
            rank=ITEMS,
            refers={**refers(ref), **({"other": other_ref, "order": buyer.order_named(order)} if revision else {})},
            manner=() if revision else alone(order),
            fits=_fits(buyer, order, words, with_names([item["name"]])),
            facts=(money(item["price"]),) if asks else (),
            withdraws=(
                "Wait, I have changed my mind about {item}. I'll keep it after all, so no return.",
                "Hold on, I'd rather keep {item}. Please don't return it.",
                "Stop, please. {Item} stays with me after all.",
                "Actually, no. I won't send {item} back.",
            ),
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
    keeps = ("Wait, I have changed my mind: I'll keep everything from {order}.",
             "Hold on, please don't return anything from {order} after all.",
             "Stop. I'd rather keep it all, so no return from {order}.",
             "Actually, no. Everything from {order} stays with me.")  # fmt: skip
    yield Atom(
        "return_whole_order",
        (
            f"I'd like to return everything from {{order}}, with the refund on {words}. How much is that?",
            f"Please take back all of {{order}} and refund {words}. What sum will that be?",
            f"Could I send back all of {{order}}? I'd like the money on {words}, and to know how much it is.",
            f"I don't want to keep anything from {{order}}. The refund should go to {words}; how much do I get?",
        ),
        (profile(buyer), see(order), give_back(order, items, method)),
        touches(order, items, method),
        about="the return of everything from {order}",
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
            (
                f"I'd like to return everything from {{order}} except the {name}. Please refund {words}, and tell me "
                "how much it will be.",
                f"Of {{order}} I only keep the {name}. All the rest goes back, with the refund on {words}. What do I "
                "get?",
                f"Please take back {{order}}, but not the {name}, which I like. The money should go to {words}. "
                "How much "
                "is it?",
                f"Except for the {name}, {{order}} can go back in full. Put the refund on {words} and tell me the sum.",
            ),
            (profile(buyer), see(order), give_back(order, rest, method)),
            touches(order, rest, method),
            about=f"the return of everything from {{order}} except the {name}",
            refers={"order": others},
            manner=(f"You keep the {name}.",),
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
            (
                f"I'd like to return {both} from {{order}}. Please refund {words}. How much is it for the two?",
                f"Two things from {{order}} have to go back: {both}. The refund goes on {words}; what is it "
                "for the two?",
                f"Please take back {both}, both from {{order}}, and put the money on {words}. What do I get for "
                "those two?",
                f"From {{order}} I want to send back {both}. Please refund {words} and tell me what the two come to.",
            ),
            (profile(buyer), see(order), give_back(order, pair, method)),
            touches(order, pair, method),
            about=f"the return of {both}",
            refers={"order": others},
            manner=(f"Of {{order}}, {both} are all that you want to return.",),
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
    for category, members in CATEGORIES.items():
        if words is None or names & UNCLEAR[category] or not names & members or names <= members:
            continue
        plural = "s" if sum(item["name"] in members for item in order["items"]) > 1 else ""
        these, kept = ALL_OF[category], KEPT[category].format(s=plural)
        for intent, wanted, says in (
            ("return_category", names & members, (
                f"From {{order}} I'd like to return {these}, and nothing else. The refund goes on {words}.",
                f"Please take back {these} from {{order}}, and leave me the rest. Refund {words}, please.",
                f"I'm returning part of {{order}}: {these}. The money should go to {words}.",
                f"I want to send back {these} from {{order}}; the other things stay. Put the refund on {words}.",
            )),
            ("return_all_but_category", names - members, (
                f"I'd like to return everything from {{order}} except {kept}. Please refund {words}.",
                f"Of {{order}} I'm only keeping {kept}. The rest goes back, with the refund on {words}.",
                f"Please take back {{order}}, but not {kept}. The money should go to {words}.",
                f"Except for {kept}, {{order}} can go back. Put the refund on {words}.",
            )),
        ):  # fmt: skip
            items = [item for item in order["items"] if item["name"] in wanted]
            # "It is the waffle iron" is not clear where there are two; and who means a single thing names it.
            if len(items) > len(wanted) or len(items) < 2:
                continue
            yield Atom(
                intent,
                says,
                (profile(buyer), see(order), give_back(order, items, method)),
                touches(order, items, method),
                about="the return from {order}",
                rank=ITEMS,
                # Naming it tells nothing of the answer, and nobody names a thing and its kind at once.
                refers={"order": buyer.order_named(order, but=members | wanted)},
                manner=(
                    "You do not list the items of {order} yourself. When the agent names what is to be returned, "
                    "you say "
                    f"whether that is right: it is {enumeration(sorted('the ' + noun(name) for name in wanted))}.",
                ),
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
        (
            f"I'd like to return {{item}} and have the money on {wrong}. If that really can't be done, then back to "
            "where I paid from.",
            f"Please take {{item}} back. I want the refund on {wrong}; only if that is not allowed, on what I "
            "paid with.",
            f"{{Item}} goes back. Refund {wrong}, or, if you can't, the payment method that I used for the order.",
            f"Could I return {{item}}, with the refund to {wrong}? If not, then the way that I paid is fine.",
        ),
        (profile(buyer), see(order), give_back(order, [item], right)),
        touches(order, [item], right),
        about="the return of {item}",
        rank=ITEMS,
        refers=refers(ref),
        manner=alone(order),
        tags=("fallback",),
        policies=(RETURNING,),
    )
