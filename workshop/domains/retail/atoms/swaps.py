"""Another version of something: items of pending orders are changed, delivered ones exchanged, in the same ways."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Reference, Revision, look_up

from .options import LARGEST, WORN, enumeration, measure, noun, options
from .records import Buyer, Json, differing, in_stock, live_order, methods_called, money, shuffle
from .steps import CHANGING, ITEMS, Arguments, catalogue, money_of, profile, refers, see, versions

HOW_MUCH = (
    "How much is the difference?",
    "What is the difference in price?",
    "Tell me what the difference comes to, please.",
    "I'd also like to know the difference in price.",
)
PAY = (
    "Use {method} for the difference.",
    "The difference goes on {method}.",
    "Please settle the difference with {method}.",
    "Please use {method} for the difference.",
)


WORTH_IT = 1  # dollar, at least, for which somebody wants the cheapest


class SwapKind:
    """Changing items of a pending order and exchanging delivered ones: the same wish, other words and another tool."""

    def __init__(self, intent: str, verb: str, tool: str, policy: str, says: tuple[str, ...], keeps: str) -> None:
        self.intent, self.verb, self.tool, self.policy, self.says = intent, verb, tool, policy, says
        self.about = f"the {verb} of {{item}}"
        self.isnt = "isn't" if verb == "exchange" else "won't be"  # what is pending has not come
        self.withdraws = (
            f"Wait, I have thought better of it. {keeps}",
            f"Hold on, never mind that one. {keeps}",
            f"Stop, please. {keeps}",
            f"No, actually, I have changed my mind. {keeps}",
        )

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


SWAP = SwapKind(
    "swap",
    "change",
    "modify_pending_order_items",
    CHANGING,
    (
        "I'd like to change {item}: please make it the one {wanted}{rest}.",
        "Please swap {item} for the version {wanted}{rest}.",
        "Could you change {item} to the one {wanted}{rest}?",
        "I chose wrongly. {Item} should be the one {wanted}{rest}.",
    ),
    "Leave {item} as it is.",
)
EXCHANGE = SwapKind(
    "exchange",
    "exchange",
    "exchange_delivered_order_items",
    "Delivered orders: Exchanging items",
    (
        "I'd like to exchange {item} for the one {wanted}{rest}.",
        "Please exchange {item}. I need the version {wanted}{rest}.",
        "I need another version of {item}, please. Could I get the one {wanted}{rest}?",
        "{Item} isn't right for me. What I'd like to have in exchange is the one {wanted}{rest}.",
    ),
    "I'll keep {item}.",
)


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


def _wanting(kind: SwapKind, item: Json, variant: Json) -> list[str]:
    """The wordings of wanting a variant, told by what differs from the item."""
    changed = differing(item, variant)
    rest = ", otherwise the same" if len(changed) < len(variant["options"]) else ""
    filled = {"wanted": options(item["name"], changed), "rest": rest, "item": "{item}", "Item": "{Item}"}
    return [text.format(**filled) for text in kind.says]


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
        "about": kind.about,
        "rank": ITEMS,
        "refers": refers(ref),
        "manner": (f"{{Item}} is the only item of that order that you want to {kind.verb}.",)
        if len(order["items"]) > 1
        else (),
        "withdraws": kind.withdraws,
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
    says = [f"{text} {pay.format(method=words)}" for text, pay in zip(_wanting(kind, item, variant), PAY, strict=True)]
    difference = round(variant["price"] - item["price"], 2)
    asks = bool(difference) and buyer.rng.random() < 0.4
    wanted = variant["options"]
    revision = None
    if others and not asks:
        first = [
            f"{text} {pay.format(method=words)}" for text, pay in zip(_wanting(kind, item, others[0]), PAY, strict=True)
        ]
        again = f"{noun(item['name'])} {options(item['name'], variant['options'])}"
        revision = Revision(
            tuple(first),
            (
                f"Wait, I'd rather have the {again}. That instead, please.",
                f"Hold on, I've looked again: make it the {again} instead.",
                f"Sorry, not that one after all. I want the {again}.",
                f"Actually, no. Please make it the {again} instead.",
            ),
            kind.call(order, [(item["item_id"], others[0]["item_id"])], method["id"]),
        )
    return Atom(
        kind.intent,
        tuple(f"{text} {ask}" for text, ask in zip(says, HOW_MUCH, strict=True)) if asks else tuple(says),
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
    otherwise = (
        f"If that is not available, then the one {again}.",
        f"Should that be out of stock, I'd take the one {again}.",
        f"If you don't have it, give me the one {again} instead.",
        f"My second choice, if that can't be had, is the one {again}.",
    )
    says = [
        f"{text} {other} {pay.format(method=words)}"
        for text, other, pay in zip(_wanting(kind, item, gone), otherwise, PAY, strict=True)
    ]

    def meant_items(env: Environment) -> list[Json]:
        return _having(env, item, gone["options"]) or _having(env, item, second["options"])

    return Atom(
        f"{kind.intent}_second_choice",
        tuple(says),
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
    sized, other = (" in the same size", "other ") if worn else ("", "")
    common = {**_common(buyer, order, item, ref, kind, method), "tags": ("superlative",)}
    verb = kind.verb

    def cheapest(env: Environment) -> list[Json]:
        stock = _having(env, item, worn)
        return [v for v in stock if v["price"] == min(one["price"] for one in stock)]

    lowest = min(fitting, key=lambda v: v["price"], default=item)
    saved = round(item["price"] - lowest["price"], 2)
    if saved >= WORTH_IT:
        yield Atom(
            f"{kind.intent}_cheapest",
            (
                f"Please {verb} {{item}} for the cheapest {name} that you have in stock{sized}, whatever its {other}"
                f"options. Refund the difference to {words}. How much is that?",
                f"{{Item}} is too expensive for me. I'd like the cheapest {name}{sized} that is available instead, I "
                f"don't mind which. Put what I save on {words}. How much will that be?",
                f"I'd like to {verb} {{item}} and pay as little as possible: give me the cheapest available {name}"
                f"{sized}. What I save goes on {words}; how much is it?",
                f"Instead of {{item}} I'd like the cheapest one that you have available{sized}, whichever that is. "
                f"The difference goes on {words}. What does the difference come to?",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], lowest["item_id"])], method["id"])),
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
            (
                f"Please {verb} {{item}} for the {superlative} one that you have available, otherwise the same. Use "
                f"{words} for the difference.",
                f"{{Item}} {kind.isnt} {big} enough for me. I'd like the {superlative} one in stock with all other "
                f"options unchanged, and the difference on {words}.",
                f"I'd like to {verb} {{item}}: it should be the {superlative} that you can get me, and the same in "
                f"everything else. Put the difference on {words}.",
                f"Instead of {{item}} I want the {superlative} one that you have available and that is otherwise the "
                f"same. The difference goes on {words}.",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], largest["item_id"])], method["id"])),
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
            (
                f"In place of {{item}} I'd like the most expensive {name}{sized} that costs at most {budget} dollars "
                f"more than mine, whichever that is. Use {words} for the difference.",
                f"Please {verb} {{item}} for the most expensive {name} in stock{sized} that is no more than {budget} "
                f"dollars above the price of mine, whatever its {other}options. The difference goes on {words}.",
                f"I have up to {budget} dollars to spend on a more expensive version of {{item}}. Take the most "
                f"expensive available {name}{sized} that this allows, whatever it is like, and charge {words}.",
                f"Please upgrade {{item}} to the most expensive one in stock{sized} that costs at most {budget} "
                f"dollars more than I paid for it. Put the difference on {words}.",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], best["item_id"])], method["id"])),
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
        f"the {noun(item['name'])} should be the one {options(item['name'], differing(item, variant))}"
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
        (
            f"I'd like to {verb} two items of {{order}}: {wishes[0]}, and {wishes[1]}. What I don't mention stays the "
            f"same. Use {words} for the difference, and tell me how much it is for the two.",
            f"Two things in {{order}} need another version: {wishes[0]}, and {wishes[1]}, both otherwise as they are. "
            f"The difference goes on {words}. What is it for the two together?",
            f"Please {verb} {names} from {{order}}. {wishes[0][0].upper() + wishes[0][1:]}, and {wishes[1]}; "
            f"everything else about them stays the same. For the difference use {words}. How much is it for the two?",
            f"Could you {verb} two things in {{order}}? {wishes[0][0].upper()}{wishes[0][1:]}, and {wishes[1]}, each "
            f"of them the same otherwise. Settle the whole difference with {words} and give me the sum for the two.",
        ),
        (profile(buyer), see(order), *(catalogue(item) for item, _ in pairs), act),
        touches(order, method, *(item for item, _ in pairs)),
        about=f"the {verb} of {names}",
        rank=ITEMS,
        refers={"order": ref},
        manner=(f"{names[0].upper()}{names[1:]} are the only items of {{order}} that you want to {verb}.",),
        fits=fits,
        facts=(money(abs(total)),),
        withdraws=(
            f"Wait, leave {names} as they are, I have changed my mind about both.",
            f"Hold on, I don't want {names} changed any more. Neither of them.",
            f"Stop, please. I'd rather keep {names} as they are.",
            f"No, actually, leave {names} alone.",
        ),
        policies=(kind.policy,),
    )
