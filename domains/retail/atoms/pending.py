"""What buyers want of orders that are still pending, and of their profile."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from pytest_tau import Environment
from pytest_tau.generation.compose import Atom, Reference, Revision, look_up
from pytest_tau.schema.task import Action

from .options import LARGEST, enumeration, noun, options
from .records import (
    Buyer,
    Json,
    address_text,
    differing,
    in_stock,
    live_order,
    methods_called,
    money,
    shuffled,
)

Arguments = Mapping[str, Any]
ADDRESS, PAYMENT, ITEMS = 1, 2, 3  # what closes an order comes last
CANCELLING = "Pending orders: Cancelling"
MOVING = "Pending orders: Changing the address"
PAYING = "Pending orders: Changing the payment method"
CHANGING = "Pending orders: Changing items"
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
    "For the difference, take {method}.",
)


def whole(order: Json) -> frozenset[str]:
    """All there is to an order."""
    return frozenset(f"{order['order_id']}:{part}" for part in ("address", "payment", "items"))


def money_of(*methods: Json) -> frozenset[str]:
    """Gift cards whose balance moves, which only one wish of a task may do."""
    return frozenset(f"{method['id']}:balance" for method in methods if method["source"] == "gift_card")


def see(order: Json) -> Action:
    """Look at an order."""
    return look_up("get_order_details", order_id=order["order_id"])


def profile(buyer: Buyer) -> Action:
    """Look at who they are and how they can pay."""
    return look_up("get_user_details", user_id=buyer.id)


def catalogue(item: Json) -> Action:
    """Look at the variants of a product."""
    return look_up("get_product_details", product_id=item["product_id"])


def of_pending(buyer: Buyer) -> Iterator[Atom]:
    """Everything that a buyer could want of what has not been sent yet."""
    for order in buyer.orders("pending"):
        yield from cancellations(buyer, order)
        yield from addresses(buyer, order)
        yield from payments(buyer, order)
        yield from swaps(buyer, order, SWAP)
        yield from several_items(buyer, order, SWAP)
    yield from own_address(buyer)
    yield from moved(buyer)
    yield from all_pending(buyer)


def cancellations(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """One order, for either of the two reasons; with the refund to be told, or without."""
    ref, paid = buyer.order_named(order), buyer.paid_with(order)
    total = money(buyer.total(order))
    for intent, reason, says in (
        ("cancel", "no longer needed", (
            "Please cancel {order}. I no longer need it.",
            "I'd like to cancel {order}, because I don't need any of it any more.",
            "Could you cancel {order} for me? I no longer need what is in it.",
            "I want {order} cancelled. It is no longer needed.",
        )),
        ("cancel_mistake", "ordered by mistake", (
            "Please cancel {order}. I ordered it by mistake.",
            "I'd like to cancel {order}; I placed it by mistake.",
            "Could you cancel {order}? It was ordered by mistake.",
            "I never meant to place {order}, that was a mistake, so please cancel it.",
        )),
    ):  # fmt: skip
        cancel = look_up("cancel_pending_order", order_id=order["order_id"], reason=reason)
        asks = buyer.rng.random() < 0.4 and len(order["items"]) > 1
        yield Atom(
            intent,
            tuple(f"{text} {ask}" for text, ask in zip(says, REFUND, strict=True)) if asks else says,
            (see(order), cancel),
            whole(order) | money_of(paid),
            about="the cancellation of {order}",
            refers={"order": ref},
            manner=(
                f"Your reason for cancelling {{order}} is that it is {'' if reason.startswith('no') else 'was '}"
                f"{reason}.".replace("is was", "was"),
            ),
            facts=(total,) if asks else (),
            withdraws=(
                "Wait, I have changed my mind about {order}. I'd like to keep it, so please don't cancel it.",
                "Hold on. Now that I see it, I do want {order} after all. Leave it as it is.",
                "Stop, please. Don't cancel {order}, I have decided to keep it.",
                "Actually, no. I'll keep {order}, so leave it alone.",
            ),
            policies=(CANCELLING,),
        )


REFUND = (
    "How much do I get back for it?",
    "And how much will be refunded?",
    "Tell me what I get back, please.",
    "What sum will I get back?",
)


def addresses(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """An order to somewhere else: a new place, or the one in the profile."""
    ref, new, other = (
        buyer.order_named(order),
        buyer.new_address(order["order_id"]),
        buyer.new_address(f"{order['order_id']} at first"),
    )
    move = look_up("modify_pending_order_address", order_id=order["order_id"], **new)
    where, elsewhere = address_text(new), address_text(other)
    keeps = ("That address is for {order} alone.",)
    yield Atom(
        "order_address",
        (
            f"Please send {{order}} to another address: {where}.",
            f"{{Order}} should go to my office instead. The address there is {where}.",
            f"I won't be at home when {{order}} comes, so please have it delivered to {where}.",
            f"I'd like to have {{order}} delivered to my sister, who lives at {where}.",
            f"Could you change the shipping address of {{order}} to {where}?",
        ),
        (see(order), move),
        frozenset({f"{order['order_id']}:address"}),
        about="the new address for {order}",
        rank=ADDRESS,
        refers=_capitalised(ref),
        manner=keeps,
        withdraws=(
            "Wait, on second thought leave the address of {order} as it is. I'll be at home after all.",
            "Hold on, please don't change where {order} goes. The old address is fine after all.",
            "Stop. My plans have just changed, so {order} should go where it was going anyway.",
            "No, actually, let {order} go to the address that it has now.",
        ),
        revision=Revision(
            (
                f"Please send {{order}} to another address: {elsewhere}.",
                f"{{Order}} should go to another place: {elsewhere}.",
                f"Could you change the shipping address of {{order}} to {elsewhere}?",
                f"I'd like to have {{order}} delivered to {elsewhere}.",
            ),
            (
                f"Wait, not there after all. {{Order}} should go to {where} instead.",
                f"Hold on, I have just heard that nobody will be there. Please send {{order}} to {where} instead.",
                f"Sorry, stop, I gave you the wrong address for {{order}}. The right one is {where}.",
                f"Actually, no. Make it {where} for {{order}} instead of what I said.",
            ),
            look_up("modify_pending_order_address", order_id=order["order_id"], **other),
        ),
        policies=(MOVING,),
    )
    home = buyer.row["address"]
    if dict(home) != dict(order["address"]):
        there = {name: home[name] for name in ("address1", "address2", "city", "state", "country", "zip")}
        yield Atom(
            "order_address_from_profile",
            (
                "Please have {order} sent to the address in my profile; it has another one at the moment.",
                "{Order} is addressed to the wrong place. It should go to the address that you have in my profile.",
                "I'd like {order} to come to my usual address, the one in my profile.",
                "Could you change the address of {order} to the one in my profile?",
            ),
            (profile(buyer), see(order), look_up("modify_pending_order_address", order_id=order["order_id"], **there)),
            frozenset({f"{order['order_id']}:address", f"{buyer.id}:address"}),
            about="the address of {order}",
            rank=ADDRESS,
            refers=_capitalised(ref),
            manner=("You do not read out your address; the agent has it in your profile.",),
            withdraws=(
                "Wait, leave the address of {order} as it is. I've just remembered why I chose it.",
                "Hold on, {order} can stay with the address that it has. It's a present.",
                "Stop, don't change {order}. It is going to the right place after all.",
                "No, actually, keep the address of {order}.",
            ),
            policies=(MOVING,),
        )


def _capitalised(ref: Reference) -> dict[str, Reference]:
    """The reference, for the middle and for the beginning of a sentence."""
    hidden = None if ref.hidden is None else ref.hidden[0].upper() + ref.hidden[1:]
    return {"order": ref, "Order": Reference(ref.said[0].upper() + ref.said[1:], hidden)}


def own_address(buyer: Buyer) -> Iterator[Atom]:
    """The profile alone; orders keep theirs."""
    new = buyer.new_address("home")
    yield Atom(
        "profile_address",
        (
            f"Please change the address in my profile to {address_text(new)}.",
            f"My default address is out of date. It should be {address_text(new)}.",
            f"I'd like you to update my profile with a new address: {address_text(new)}.",
            f"For future orders I need {address_text(new)} as the address in my profile.",
        ),
        (profile(buyer), look_up("modify_user_address", user_id=buyer.id, **new)),
        frozenset({f"{buyer.id}:address"}),
        about="the new address in your profile",
        rank=ADDRESS,
        manner=("This is about the address in your profile only, not about orders that are under way.",),
        withdraws=(
            "Wait, leave the address in my profile as it is for now. The move may be put off.",
            "Hold on, please don't touch my profile yet. I'd rather do that another time.",
            "Stop, keep the old address in my profile after all.",
            "No, actually, leave my profile alone.",
        ),
        policies=("Good to know",),
    )


def moved(buyer: Buyer) -> Iterator[Atom]:
    """The profile and every pending order, without saying which those are."""
    orders = buyer.orders("pending")
    new = buyer.new_address("moved")
    if not orders:
        return
    writes = [look_up("modify_pending_order_address", order_id=order["order_id"], **new) for order in orders]
    own = look_up("modify_user_address", user_id=buyer.id, **new)
    where = address_text(new)
    looks = [see(order) for order in buyer.orders()]
    yield Atom(
        "moved_house",
        (
            f"I have moved to {where}. Please change my profile, and everything that is still pending has to go there "
            "too.",
            f"My new home is {where}. That needs to be in my profile, and whatever of mine is still pending should "
            "come to it as well.",
            f"We've moved, our address is now {where}. Please update it in my profile and on every pending order.",
            f"Please put my new address, {where}, into my profile and on all of my orders that are still pending.",
        ),
        (profile(buyer), *looks, own, *writes),
        frozenset({f"{buyer.id}:address", *(f"{order['order_id']}:address" for order in orders)}),
        about="your new address",
        rank=ADDRESS,
        manner=(
            "Both the profile and all pending orders have to change. You leave it to the agent to find the orders.",
        ),
        tags=("abstract",),
        policies=("Good to know", MOVING),
    )


def all_pending(buyer: Buyer) -> Iterator[Atom]:
    """Every pending order, or those paid in one way, without saying which those are."""
    orders = buyer.orders("pending")
    looks = [see(order) for order in buyer.orders()]
    if len(orders) > 1:
        writes = [look_up("cancel_pending_order", order_id=o["order_id"], reason="no longer needed") for o in orders]
        total = sum(round(100 * buyer.total(order)) for order in orders) / 100
        yield Atom(
            "cancel_all_pending",
            (
                "Please cancel everything of mine that is still pending; I no longer need any of it. How much do I get "
                "back altogether?",
                "I'd like every pending order of mine to be cancelled, because I no longer need them. What is "
                "the total "
                "refund?",
                "Cancel all of my orders that haven't been processed yet, please. They are no longer needed. What do I "
                "get back in total?",
                "I no longer need anything that I have on order, so please cancel all my pending orders, and tell me "
                "the sum of the refunds.",
            ),
            (profile(buyer), *looks, *writes),
            frozenset().union(*(whole(o) | money_of(buyer.paid_with(o)) for o in orders)),
            about="the cancellation of all your pending orders",
            manner=("You want one sum for the refunds of all pending orders.",),
            facts=(money(total),),
            tags=("abstract",),
            policies=(CANCELLING,),
        )
    for method in buyer.methods():
        mine = [order for order in orders if buyer.paid_with(order) == method]
        words = buyer.method_named(method)
        if not mine or len(mine) == len(orders) or words is None:
            continue
        writes = [look_up("cancel_pending_order", order_id=o["order_id"], reason="ordered by mistake") for o in mine]
        yield Atom(
            "cancel_by_payment",
            (
                f"Please cancel whatever pending order I paid for with {words}, I made it by mistake. Those that "
                "I paid "
                "for in another way have to stay.",
                f"I only want to keep what was not paid with {words}: everything pending that was paid with it, "
                "please cancel. It was ordered by mistake.",
                f"Anything pending that is on {words} was ordered by mistake, so please cancel that, and only that.",
                f"I used {words} for things that I ordered by mistake. Please cancel all pending orders that were paid "
                "with it, and no others.",
            ),
            (profile(buyer), *looks, *writes),
            frozenset({f"{method['id']}:paid"}).union(*(whole(order) | money_of(method) for order in mine)),
            about=f"the cancellation of what you paid for with {words}",
            manner=("Your reason for this cancellation is that it was ordered by mistake.",),
            tags=("abstract",),
            policies=(CANCELLING,),
        )


def payments(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Another way to pay; a gift card that is too small with something else to fall back on."""
    ref, paid, total = buyer.order_named(order), buyer.paid_with(order), buyer.total(order)
    methods = [method for method in buyer.methods() if method["id"] != paid["id"]]
    able = [m for m in methods if m["source"] != "gift_card" or m["balance"] >= total]
    for method in able:
        words = buyer.method_named(method)
        first = next((m for m in able if m["id"] != method["id"]), None)

        def fits(env: Environment, order: Json = order, words: str | None = words) -> Iterator[Arguments]:
            for method_id in methods_called(env, buyer.id, words or "", buyer):
                yield {"order_id": order["order_id"], "payment_method_id": method_id}

        def pays(method_id: str) -> Action:
            return look_up("modify_pending_order_payment", order_id=order["order_id"], payment_method_id=method_id)

        yield Atom(
            "payment",
            (
                f"I'd like to pay for {{order}} with {words} instead.",
                f"Please move the payment of {{order}} to {words}.",
                f"Could {{order}} be charged to {words} rather than to what I used?",
                f"I used the wrong payment method for {{order}}. It should be {words}.",
            ),
            (profile(buyer), see(order), pays(method["id"])),
            frozenset({f"{order['order_id']}:payment", f"{method['id']}:paid", f"{paid['id']}:paid"})
            | money_of(method, paid),
            about="the new payment method for {order}",
            rank=PAYMENT,
            refers={"order": ref},
            fits=fits,
            withdraws=(
                "Wait, leave the payment of {order} as it is, that is simpler.",
                "Hold on. I'd rather not change how {order} is paid after all.",
                "Stop, keep the payment method of {order}, please.",
                "No, actually, {order} can stay on what I paid with.",
            ),
            revision=None if first is None else Revision(
                (
                    f"I'd like to pay for {{order}} with {buyer.method_named(first)} instead.",
                    f"Please move the payment of {{order}} to {buyer.method_named(first)}.",
                    f"Could {{order}} be charged to {buyer.method_named(first)} rather than to what I used?",
                    f"Please take {buyer.method_named(first)} for {{order}} instead.",
                ),
                (
                    f"Wait, not that one. Take {words} for {{order}}.",
                    f"Hold on, {words} would be better for {{order}}. Please use that instead.",
                    f"Sorry, I meant {words} for {{order}}.",
                    f"Actually, no. Put {{order}} on {words} instead.",
                ),
                pays(first["id"]),
            ),
            policies=(PAYING,),
        )  # fmt: skip
    for card in [m for m in methods if m["source"] == "gift_card" and m["balance"] < total]:
        other = next((m for m in able if m["source"] != "gift_card"), None)
        cancel = look_up("cancel_pending_order", order_id=order["order_id"], reason="no longer needed")
        yield Atom(
            "gift_card_or_cancel",
            (
                "I'd like to pay for {order} with my gift card. If there isn't enough on it for the whole order, "
                "please "
                "cancel {order}, because then I no longer need it.",
                "Please put {order} on my gift card. Should the card not cover all of it, then cancel {order}; I no "
                "longer need it in that case.",
                "Can my gift card pay for {order}? If it can't pay for everything, I no longer need {order}, and you "
                "can cancel it.",
                "{Order} is to be paid with my gift card or not at all: if the balance is too small, cancel it as no "
                "longer needed.",
            ),
            (profile(buyer), see(order), cancel),
            whole(order) | money_of(card, paid),
            about="the cancellation of {order}",
            refers=_capitalised(ref),
            manner=("You do not want to split the payment of {order}.",),
            tags=("fallback",),
            policies=(PAYING, CANCELLING),
        )
        if other is not None and (words := buyer.method_named(other)):
            pay = look_up("modify_pending_order_payment", order_id=order["order_id"], payment_method_id=other["id"])
            yield Atom(
                "gift_card_or_other",
                (
                    f"I'd like to pay for {{order}} with my gift card. If that isn't enough for all of it, take "
                    f"{words}.",
                    f"Please put {{order}} on my gift card, or on {words} if the card doesn't cover it.",
                    f"{{Order}} should be paid with my gift card; only if the balance is too small, use {words}.",
                    f"Could you charge {{order}} to my gift card? Otherwise, if it is too small, to {words}.",
                ),
                (profile(buyer), see(order), pay),
                frozenset({f"{order['order_id']}:payment", f"{other['id']}:paid", f"{paid['id']}:paid"})
                | money_of(card, paid),
                about="the new payment method for {order}",
                rank=PAYMENT,
                refers=_capitalised(ref),
                manner=("You do not want to split the payment of {order}.",),
                tags=("fallback",),
                policies=(PAYING,),
            )


class Kind:
    """Changing items of a pending order and exchanging delivered ones: the same wish, other words and another tool."""

    def __init__(self, intent: str, tool: str, policy: str, says: tuple[str, ...], about: str, keeps: str) -> None:
        self.intent, self.tool, self.policy, self.says, self.about = intent, tool, policy, says, about
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


SWAP = Kind(
    "swap",
    "modify_pending_order_items",
    CHANGING,
    (
        "I'd like to change {item}: please make it the one {wanted}{rest}.",
        "Please swap {item} for the version {wanted}{rest}.",
        "Could you change {item} to the one {wanted}{rest}?",
        "I got an option wrong. {Item} should be the one {wanted}{rest}.",
    ),
    "the change of {item}",
    "Leave {item} as it is.",
)
EXCHANGE = Kind(
    "exchange",
    "exchange_delivered_order_items",
    "Delivered orders: Exchanging items",
    (
        "I'd like to exchange {item} for the one {wanted}{rest}.",
        "Please exchange {item}. I need the version {wanted}{rest}.",
        "I need another version of {item}, please. Could I get the one {wanted}{rest}?",
        "{Item} isn't right for me. What I'd like to have in exchange is the one {wanted}{rest}.",
    ),
    "the exchange of {item}",
    "I'll keep {item}.",
)


def swaps(buyer: Buyer, order: Json, kind: Kind) -> Iterator[Atom]:
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
        chosen = shuffled(buyer.rng, stock)
        yield _exact(buyer, order, item, ref, kind, method, words, chosen[0], chosen[1:2])
        sold_out = [v for v in variants if not v["available"] and v["item_id"] != item["item_id"]]
        if sold_out:
            yield _second_choice(buyer, order, item, ref, kind, method, words, buyer.rng.choice(sold_out), chosen[-1])
        yield from _superlatives(buyer, order, item, ref, kind, method, words)


def _refers(ref: Reference) -> dict[str, Reference]:
    hidden = None if ref.hidden is None else ref.hidden[0].upper() + ref.hidden[1:]
    return {"item": ref, "Item": Reference(ref.said[0].upper() + ref.said[1:], hidden)}


def _wanting(kind: Kind, item: Json, variant: Json) -> list[str]:
    """The wordings of wanting a variant, told by what differs from the item."""
    changed = differing(item, variant)
    rest = ", otherwise the same" if len(changed) < len(variant["options"]) else ""
    filled = {"wanted": options(item["name"], changed), "rest": rest, "item": "{item}", "Item": "{Item}"}
    return [text.format(**filled) for text in kind.says]


def _fits(
    buyer: Buyer, order: Json, item: Json, kind: Kind, words: str, meant: Callable[[Environment], list[Json]]
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


def _common(buyer: Buyer, order: Json, item: Json, ref: Reference, kind: Kind, method: Json) -> dict[str, Any]:
    return {
        "touches": frozenset({f"{order['order_id']}:items"}) | money_of(method),
        "about": kind.about,
        "rank": ITEMS,
        "refers": _refers(ref),
        "manner": (f"Of the order with the {noun(item['name'])}, nothing else is to be changed or exchanged.",),
        "withdraws": kind.withdraws,
        "policies": (kind.policy,),
    }


def _steps(buyer: Buyer, order: Json, item: Json, act: Action) -> tuple[Action, ...]:
    return (profile(buyer), see(order), catalogue(item), act)


def _exact(
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: Kind, method: Json, words: str, variant: Json,
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
                f"Actually, no. Please take the {again} instead.",
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
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: Kind, method: Json, words: str, gone: Json,
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

    def meant(env: Environment) -> list[Json]:
        return _having(env, item, gone["options"]) or _having(env, item, second["options"])

    return Atom(
        f"{kind.intent}_second_choice",
        tuple(says),
        _steps(buyer, order, item, kind.call(order, [(item["item_id"], second["item_id"])], method["id"])),
        fits=_fits(buyer, order, item, kind, words, meant),
        tags=("fallback",),
        **_common(buyer, order, item, ref, kind, method),
    )


def _superlatives(
    buyer: Buyer, order: Json, item: Json, ref: Reference, kind: Kind, method: Json, words: str
) -> Iterator[Atom]:
    """The cheapest, the dearest within a budget, the largest of otherwise the same."""
    name, product_id = noun(item["name"]), item["product_id"]
    variants = [v for v in buyer.books.products[product_id]["variants"].values() if v["available"]]
    common = {**_common(buyer, order, item, ref, kind, method), "tags": ("superlative",)}
    verb = "change" if kind is SWAP else "exchange"

    def cheapest(env: Environment) -> list[Json]:
        stock = list(in_stock(env, product_id))
        return [v for v in stock if v["price"] == min(other["price"] for other in stock)]

    lowest = min(variants, key=lambda v: v["price"])
    saved = round(item["price"] - lowest["price"], 2)
    if lowest["item_id"] != item["item_id"] and saved > 0:
        yield Atom(
            f"{kind.intent}_cheapest",
            (
                f"Please {verb} {{item}} for the cheapest {name} that you have in stock, whatever its options. Refund "
                f"the difference to {words}. How much is that?",
                f"{{Item}} is too expensive for me. I'd like the cheapest {name} that is available instead, I don't "
                f"mind which. What comes back to {words}?",
                f"I'd like to {verb} {{item}} and pay as little as possible: give me the cheapest available {name}. "
                f"What I save goes back to {words}; how much is it?",
                f"What is the cheapest {name} you have available? I'd like that one in place of {{item}}, and the "
                f"difference on {words}. Tell me how much it is.",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], lowest["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, cheapest),
            facts=(money(saved),),
            **common,
        )
    for size, superlative in LARGEST.items():
        if size not in item["options"] or superlative == "most keys":
            continue
        same = {key: value for key, value in item["options"].items() if key != size}
        alike = [v for v in variants if same.items() <= v["options"].items()]
        order_of = {v["item_id"]: measure(v["options"][size]) for v in alike}
        if len(alike) < 2 or None in order_of.values():
            continue
        largest = max(alike, key=lambda v: order_of[v["item_id"]] or 0)
        dearer = largest["price"] - item["price"]
        if largest["item_id"] == item["item_id"] or (method["source"] == "gift_card" and dearer > method["balance"]):
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
                f"{{Item}} isn't big enough for me. I'd like the {superlative} one in stock with all other "
                "options unchanged, and "
                f"the difference on {words}.",
                f"I'd like to {verb} {{item}}: it should be the {superlative} that you can get me, and the same in "
                f"everything else. {words[0].upper() + words[1:]} is for the difference.",
                f"Which is the {superlative} {name} you have available that is otherwise the same as mine? I want that "
                f"one in place of {{item}}. The difference goes on {words}.",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], largest["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, top),
            **common,
        )
    budget = 5 * round((1 + 0.06 * item["price"]) / 5) or 5
    under = [v for v in variants if 0 < round(v["price"] - item["price"], 2) <= budget]
    over = [v for v in variants if v["price"] - item["price"] > budget]
    best = max(under, key=lambda v: v["price"], default=None)
    if best is not None and over and (method["source"] != "gift_card" or method["balance"] >= budget):

        def within(env: Environment) -> list[Json]:
            found = [v for v in in_stock(env, product_id) if round(v["price"] - item["price"], 2) <= budget]
            return [v for v in found if v["price"] == max(other["price"] for other in found)]

        yield Atom(
            f"{kind.intent}_within_budget",
            (
                f"I'd like something better than {{item}}: the most expensive {name} that costs at most {budget} "
                "dollars "
                f"more than mine. Use {words} for the difference.",
                f"Please {verb} {{item}} for the dearest {name} in stock that is no more than {budget} dollars "
                "above the "
                f"price of mine, whatever its options. The difference goes on {words}.",
                f"I have up to {budget} dollars to spend on a better version of {{item}}. Take the most expensive "
                f"available {name} that this allows, and charge {words}.",
                f"Upgrade {{item}} for me, please, to the most expensive one in stock that costs at most {budget} "
                f"dollars more than I paid for it. {words[0].upper() + words[1:]} is for the difference.",
            ),
            _steps(buyer, order, item, kind.call(order, [(item["item_id"], best["item_id"])], method["id"])),
            fits=_fits(buyer, order, item, kind, words, within),
            **common,
        )


def measure(value: str) -> float | None:
    """A size as a number, where it has one."""
    letters = {"S": 1.0, "M": 2.0, "L": 3.0, "XL": 4.0, "small": 1.0, "medium": 2.0, "large": 3.0}
    if value in letters:
        return letters[value]
    head, _, unit = value.partition(" ")
    try:
        return float(head) if unit in ("in", "ft", "qt", "gal", "lb") else None
    except ValueError:
        return None


def several_items(buyer: Buyer, order: Json, kind: Kind) -> Iterator[Atom]:
    """Two items of one order in the one call there can be."""
    method = buyer.rng.choice(buyer.methods())
    words = buyer.method_named(method)
    pairs: list[tuple[Json, Json]] = []
    for item in shuffled(buyer.rng, order["items"]):
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
    verb = "change" if kind is SWAP else "exchange"

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
            f"same. Use {words} for the difference, and tell me how much it is in total.",
            f"Two things in {{order}} need another version: {wishes[0]}, and {wishes[1]}, both otherwise as they are. "
            f"The difference goes on {words}. What is it for the two together?",
            f"Please {verb} {names} from {{order}}. {wishes[0][0].upper() + wishes[0][1:]}, and {wishes[1]}; the rest "
            f"of each stays. For the difference take {words}. How much is it altogether?",
            f"In {{order}}, {wishes[0]}, and {wishes[1]}, each of them the same otherwise. Settle the whole difference "
            f"with {words} and give me the sum.",
        ),
        (profile(buyer), see(order), *(catalogue(item) for item, _ in pairs), act),
        frozenset({f"{order['order_id']}:items"}) | money_of(method),
        about=f"the {'change' if kind is SWAP else 'exchange'} of {names}",
        rank=ITEMS,
        refers={"order": ref},
        manner=(f"Of {{order}}, {names} are all that you want to {verb}.",),
        fits=fits,
        facts=(money(abs(total)),),
        withdraws=(
            f"Wait, leave {names} as they are, I have changed my mind about both.",
            f"Hold on, I don't want {names} changed any more. Neither of them.",
            f"Stop, please. I'd rather keep {names} as they are.",
            f"No, actually, nothing is to happen to {names}.",
        ),
        policies=(kind.policy,),
    )
