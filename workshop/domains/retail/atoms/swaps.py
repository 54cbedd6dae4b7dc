"""Another version of something: items of pending orders are changed, delivered ones exchanged, in the same ways."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Reference, Revision, look_up, phrases_of, with_endings

from .options import LARGEST, WORN, enumeration, measure, noun, options
from .records import Buyer, Json, differing, in_stock, live_order, methods_called, money, shuffle
from .steps import CHANGING, ITEMS, Arguments, catalogue, money_of, profile, refers, see, versions

say = phrases_of(__file__)
WORTH_IT = 1  # dollar, at least, for which somebody wants the cheapest


class SwapKind:
    """Changing items of a pending order and exchanging delivered ones: the same wish, other words and another tool."""

    def __init__(self, intent: str, tool: str, policy: str) -> None:
        self.intent, self.tool, self.policy = intent, tool, policy
        self.verb: str = say(f"{intent}.verb")

    def call(self, order: Json, pairs: Iterable[tuple[str, str]], method_id: str) -> Action:
        """The change of some items into others."""
        old, new = zip(*pairs, strict=True)
        return look_up(
            self.tool,
            order_id=order["order_id"],
            item_ids=list(old),
            new_item_ids=list(new),
            payment_method_id=method_id,
        )


SWAP = SwapKind("swap", "modify_pending_order_items", CHANGING)
EXCHANGE = SwapKind("exchange", "exchange_delivered_order_items", "Delivered orders: Exchanging items")


def swaps(buyer: Buyer, order: Json, kind: SwapKind) -> Iterator[Atom]:
    """An item for another variant: named by its options, by a first and a second choice, or by a superlative."""
    for item in order["items"]:
        ref = buyer.item_named(order, item)
        if ref is None:
            continue
        method = buyer.rng.choice(buyer.methods())
        variants = list(buyer.books.products[item["product_id"]]["variants"].values())
        stock = [v for v in variants if v["available"] and v["item_id"] != item["item_id"]]
        if method["source"] == "gift_card":
            stock = [v for v in stock if v["price"] - item["price"] <= method["balance"]]
        if not stock or (words := buyer.method_named(method)) is None:
            continue
        chosen = shuffle(buyer.rng, stock)
        yield _exact(buyer, order, item, ref, kind, method, words, chosen[0], chosen[1:2])
        sold_out = [v for v in variants if not v["available"] and v["item_id"] != item["item_id"]]
        pairs = [(gone, second) for gone in sold_out for second in chosen if _instead(item, gone, second)]
        if pairs:
            yield _second_choice(buyer, order, item, ref, kind, method, words, *buyer.rng.choice(pairs))
        yield from _superlatives(buyer, order, item, ref, kind, method, words)


def _instead(item: Json, gone: Json, second: Json) -> bool:
    """Whether somebody takes a second choice: it has some of what they wanted to be different, and it still fits."""
    wanted = differing(item, gone).items() & second["options"].items()
    fits = item["name"] not in WORN or gone["options"]["size"] == second["options"]["size"]
    return bool(wanted) and fits


def _wanting(kind: SwapKind, item: Json, variant: Json, words: str, *others: str) -> tuple[str, ...]:
    """The wordings of wanting a variant, told by what differs from the item, with what pays for it.

    ``others``: a sentence in between for each wording.
    """
    changed = differing(item, variant)
    rest = say("variant.rest") if len(changed) < len(variant["options"]) else ""
    says = say(f"{kind.intent}.says", wanted=options(item["name"], changed), rest=rest)
    between = others or ("",) * len(says)
    pays = say("difference.pay", method=words)
    return tuple(" ".join(filter(None, one)) for one in zip(says, between, pays, strict=True))


def _fits(
    buyer: Buyer, order: Json, item: Json, kind: SwapKind, words: str, meant: Callable[[Environment], list[Json]]
) -> Callable[[Environment], list[Arguments]]:
    """Every call that the words could mean: the item, each variant that is meant, each method that is."""

    def fits(env: Environment) -> list[Arguments]:
        held = [one for one in live_order(env, order["order_id"])["items"] if one["name"] == item["name"]]
        variants = meant(env)
        methods = methods_called(env, buyer.id, words, buyer)
        return [
            dict(kind.call(order, [(one["item_id"], variant["item_id"])], method_id).arguments)
            for one, variant, method_id in product(held, variants, methods)
            if one["item_id"] != variant["item_id"]
        ]

    return fits


def _having(env: Environment, item: Json, wanted: Mapping[str, str]) -> list[Json]:
    """The variants in stock with all of these options."""
    return [v for v in in_stock(env, item["product_id"]) if wanted.items() <= v["options"].items()]


def _common(buyer: Buyer, order: Json, item: Json, ref: Reference, kind: SwapKind, method: Json) -> dict[str, Any]:
    return {
        "touches": touches(order, method, item),
        "rank": ITEMS,
        "refers": refers(ref),
        "about": say("one_item.about", verb=kind.verb),
        "manner": say("one_item.manner", verb=kind.verb) if len(order["items"]) > 1 else (),
        "withdraws": say(f"{kind.intent}.withdraws"),
        "policies": (kind.policy,),
    }


def touches(order: Json, method: Json, *items: Json) -> frozenset[str]:
    """The items and how the difference is paid, which nobody wants from a method that they take the order off."""
    paying = frozenset({f"{order['order_id']}:items", f"{order['order_id']}:{method['id']}"}) | money_of(method)
    return paying | versions(items)


def _steps(buyer: Buyer, order: Json, item: Json, act: Action) -> tuple[Action, ...]:
    return (profile(buyer), see(order), catalogue(item), act)


def _exact(
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: SwapKind, method: Json, words: str, variant: Json,
    others: list[Json],
) -> Atom:  # fmt: skip
    says = _wanting(kind, item, variant, words)
    difference = round(variant["price"] - item["price"], 2)
    asks = bool(difference) and buyer.rng.random() < 0.4
    wanted = variant["options"]
    revision = None
    if others and not asks:
        again = f"{noun(item['name'])} {options(item['name'], variant['options'])}"
        revision = Revision(
            _wanting(kind, item, others[0], words),
            say("variant.again", again=again),
            kind.call(order, [(item["item_id"], others[0]["item_id"])], method["id"]),
        )
    return Atom(
        kind.intent,
        with_endings(says, say("difference.asks")) if asks else says,
        _steps(buyer, order, item, kind.call(order, [(item["item_id"], variant["item_id"])], method["id"])),
        fits=_fits(buyer, order, item, kind, words, lambda env: _having(env, item, wanted)),
        facts=(money(abs(difference)),) if asks else (),
        revision=revision,
        charges=(method["id"], difference) if difference > 0 and method["source"] != "gift_card" else None,
        **_common(buyer, order, item, ref, kind, method),
    )


def _second_choice(
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: SwapKind, method: Json, words: str, gone: Json,
    second: Json,
) -> Atom:  # fmt: skip
    """What they want first is sold out, so the second wish counts."""
    again = options(item["name"], second["options"])
    says = _wanting(kind, item, gone, words, *say("variant.otherwise", again=again))

    def meant_items(env: Environment) -> list[Json]:
        return _having(env, item, gone["options"]) or _having(env, item, second["options"])

    return Atom(
        f"{kind.intent}_second_choice",
        says,
        _steps(buyer, order, item, kind.call(order, [(item["item_id"], second["item_id"])], method["id"])),
        fits=_fits(buyer, order, item, kind, words, meant_items),
        tags=("fallback",),
        **_common(buyer, order, item, ref, kind, method),
    )


def _superlatives(
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: SwapKind, method: Json, words: str
) -> Iterator[Atom]:
    """The cheapest, the dearest within a budget, the largest of otherwise the same."""
    name, product_id = noun(item["name"]), item["product_id"]
    # What is worn has to fit, whatever it costs.
    worn = {"size": item["options"]["size"]} if item["name"] in WORN else {}
    variants = [v for v in buyer.books.products[product_id]["variants"].values() if v["available"]]
    fitting = [v for v in variants if worn.items() <= v["options"].items()]
    sized, other = (say("worn.sized"), say("worn.other")) if worn else ("", "")
    common = {**_common(buyer, order, item, ref, kind, method), "tags": ("superlative",)}
    verb, isnt = kind.verb, say(f"{kind.intent}.isnt")

    def cheapest(env: Environment) -> list[Json]:
        stock = _having(env, item, worn)
        return [v for v in stock if v["price"] == min(one["price"] for one in stock)]

    lowest = min(fitting, key=lambda v: v["price"], default=item)
    saved = round(item["price"] - lowest["price"], 2)
    if saved >= WORTH_IT:
        yield Atom(
            f"{kind.intent}_cheapest",
            **say("swap_cheapest", verb=verb, name=name, sized=sized, other=other, words=words),
            steps=_steps(buyer, order, item, kind.call(order, [(item["item_id"], lowest["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, cheapest),
            facts=(money(saved),),
            **common,
        )
    for size, (big, superlative) in LARGEST.items():
        if size not in item["options"]:
            continue
        same = {key: value for key, value in item["options"].items() if key != size}
        alike = [v for v in variants if same.items() <= v["options"].items()]
        sizes = {v["item_id"]: measure(v["options"][size]) for v in alike}
        order_of = {item_id: found for item_id, found in sizes.items() if found is not None}
        if not alike or len(order_of) < len(sizes):
            continue
        largest = max(alike, key=lambda v: order_of[v["item_id"]])
        dearer = largest["price"] - item["price"]
        if order_of[largest["item_id"]] <= (measure(item["options"][size]) or 0):  # theirs may be sold out
            continue
        if method["source"] == "gift_card" and dearer > method["balance"]:
            continue

        def top(env: Environment, same: Mapping[str, str] = same, size: str = size) -> list[Json]:
            found = _having(env, item, same)
            return [
                v for v in found if measure(v["options"][size]) == max(measure(o["options"][size]) or 0 for o in found)
            ]

        yield Atom(
            f"{kind.intent}_largest",
            **say("swap_largest", verb=verb, superlative=superlative, words=words, isnt=isnt, big=big),
            steps=_steps(buyer, order, item, kind.call(order, [(item["item_id"], largest["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, top),
            **common,
        )
    budget = 5 * round((1 + 0.06 * item["price"]) / 5) or 5
    under = [v for v in fitting if 0 < round(v["price"] - item["price"], 2) <= budget]
    over = [v for v in fitting if v["price"] - item["price"] > budget]
    best = max(under, key=lambda v: v["price"], default=None)
    if best is not None and over and (method["source"] != "gift_card" or method["balance"] >= budget):

        def within(env: Environment) -> list[Json]:
            found = [v for v in _having(env, item, worn) if round(v["price"] - item["price"], 2) <= budget]
            return [v for v in found if v["price"] == max(one["price"] for one in found)]

        yield Atom(
            f"{kind.intent}_within_budget",
            **say("swap_within_budget", name=name, sized=sized, budget=budget, words=words, verb=verb, other=other),
            steps=_steps(buyer, order, item, kind.call(order, [(item["item_id"], best["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, within),
            **common,
        )


def several_items(buyer: Buyer, order: Json, kind: SwapKind) -> Iterator[Atom]:
    """Two items of one order in the one call there can be."""
    method = buyer.rng.choice(buyer.methods())
    words = buyer.method_named(method)
    pairs: list[tuple[Json, Json]] = []
    # Last what the order is called after in other wishes, so that it keeps its name.
    usual = buyer.order_named(order).hidden or ""
    for item in sorted(shuffle(buyer.rng, order["items"]), key=lambda item: noun(item["name"]) in usual):
        variants = buyer.books.products[item["product_id"]]["variants"].values()
        stock = [v for v in variants if v["available"] and v["item_id"] != item["item_id"]]
        if buyer.item_named(order, item) is not None and stock and len(pairs) < 2:
            pairs.append((item, buyer.rng.choice(stock)))
    total = round(sum(round(100 * (v["price"] - item["price"])) for item, v in pairs) / 100, 2)
    if len(pairs) < 2 or words is None or (method["source"] == "gift_card" and total > method["balance"]) or not total:
        return
    wishes = [
        say("two_items.wish", thing=noun(item["name"]), wanted=options(item["name"], differing(item, variant)))
        for item, variant in pairs
    ]
    names = enumeration([f"the {noun(item['name'])}" for item, _ in pairs])
    ref = buyer.order_named(order, but=[item["name"] for item, _ in pairs])
    verb = kind.verb

    def fits(env: Environment) -> list[Arguments]:
        choices = [_having(env, item, variant["options"]) for item, variant in pairs]
        return [
            dict(
                kind.call(
                    order, [(i["item_id"], v["item_id"]) for (i, _), v in zip(pairs, some, strict=True)], m
                ).arguments
            )
            for some in product(*choices)
            for m in methods_called(env, buyer.id, words, buyer)
        ]

    act = kind.call(order, [(item["item_id"], variant["item_id"]) for item, variant in pairs], method["id"])
    yield Atom(
        f"{kind.intent}_several",
        **say(
            "swap_several",
            verb=verb,
            first=wishes[0],
            second=wishes[1],
            words=words,
            names=names,
            First=wishes[0][0].upper() + wishes[0][1:],
            Names=names[0].upper() + names[1:],
        ),
        steps=(profile(buyer), see(order), *(catalogue(item) for item, _ in pairs), act),
        touches=touches(order, method, *(item for item, _ in pairs)),
        rank=ITEMS,
        refers={"order": ref},
        fits=fits,
        facts=(money(abs(total)),),
        policies=(kind.policy,),
    )
