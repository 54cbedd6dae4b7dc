"""What buyers want of orders that are still pending, and of their profile."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Revision, look_up

from ..values import MISTAKE, UNNEEDED
from .records import Buyer, Json, address_text, methods_called, money
from .steps import (
    ADDRESS,
    CANCELLING,
    MOVING,
    PAYING,
    PAYMENT,
    Arguments,
    believed_open,
    elsewhere_of,
    money_of,
    profile,
    see,
    versions,
    whole,
    with_capital,
)
from .swaps import SWAP, several_items, swaps


def of_pending(buyer: Buyer) -> Iterator[Atom]:
    """Everything that a buyer could want of what has not been sent yet."""
    for order in buyer.orders("pending"):
        yield from cancellations(buyer, order)
        yield from addresses(buyer, order)
        yield from payments(buyer, order)
        yield from swaps(buyer, order, SWAP)
        yield from several_items(buyer, order, SWAP)
    yield from own_address(buyer)
    yield from moves(buyer)
    yield from all_pending(buyer)


def cancellations(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """One order, for either of the two reasons; with the refund to be told, or without."""
    ref, paid = buyer.order_named(order), buyer.paid_with(order)
    total = money(buyer.total(order))
    for intent, reason, why, says in (
        ("cancel", UNNEEDED, "it is no longer needed", (
            "Please cancel {order}. I no longer need it.",
            "I'd like to cancel {order}, because I don't need it any more.",
            "Could you cancel {order} for me? I no longer need what is in it.",
            "I want {order} cancelled. It is no longer needed.",
        )),
        ("cancel_mistake", MISTAKE, "it was ordered by mistake", (
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
            whole(order) | money_of(paid) | versions(order["items"]),
            about="the cancellation of {order}",
            refers={"order": ref},
            manner=(f"Your reason for cancelling {{order}} is that {why}.",),
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
        buyer.new_address(order["order_id"], near=True),
        buyer.new_address(f"{order['order_id']} at first", near=True),
    )
    move = look_up("modify_pending_order_address", order_id=order["order_id"], **new)
    where, elsewhere = address_text(new), address_text(other)
    keeps = ("The address that you give for {order} is meant for no other order, and not for your profile.",)
    yield Atom(
        "order_address",
        (
            f"Please send {{order}} to my parents instead, at {where}.",
            f"{{Order}} should go to my office instead. The address there is {where}.",
            f"I won't be at home when {{order}} comes, so please have it delivered to {where}.",
            f"I'd like to have {{order}} delivered to my sister, who lives at {where}.",
            f"Could you change the shipping address of {{order}} to {where}? A friend there takes it in.",
        ),
        (see(order), move),
        # Nobody wants things sent to several other places.
        frozenset({f"{order['order_id']}:address", elsewhere_of(buyer)}),
        about="the new address for {order}",
        rank=ADDRESS,
        refers=with_capital(ref),
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
            refers=with_capital(ref),
            manner=("You do not read out your address; the agent has it in your profile.",),
            withdraws=(
                "Wait, leave the address of {order} as it is. I've just remembered why I chose it.",
                "Hold on, {order} can stay with the address that it has. It's a present.",
                "Stop, don't change {order}. It is going to the right place after all.",
                "No, actually, keep the address of {order}.",
            ),
            policies=(MOVING,),
        )


def own_address(buyer: Buyer) -> Iterator[Atom]:
    """The profile alone; orders keep theirs."""
    new = buyer.new_address("home")
    yield Atom(
        "profile_address",
        (
            f"Please change the address in my profile to {address_text(new)}.",
            f"The default address in my profile should be {address_text(new)} from now on.",
            f"I'd like you to update my profile with a new address: {address_text(new)}.",
            f"For future orders I need {address_text(new)} as the address in my profile.",
        ),
        (profile(buyer), look_up("modify_user_address", user_id=buyer.id, **new)),
        frozenset({f"{buyer.id}:address"}),
        about="the new address in your profile",
        rank=ADDRESS,
        manner=("None of your orders goes to the address that you give for your profile.",),
        withdraws=(
            "Wait, leave the address in my profile as it is for now. I have to check the new one first.",
            "Hold on, please don't touch my profile yet. I'd rather do that another time.",
            "Stop, keep the old address in my profile after all.",
            "No, actually, leave my profile alone.",
        ),
        policies=("Good to know",),
    )


def moves(buyer: Buyer) -> Iterator[Atom]:
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
        frozenset({f"{buyer.id}:address", elsewhere_of(buyer), *(f"{order['order_id']}:address" for order in orders)}),
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
        writes = [look_up("cancel_pending_order", order_id=o["order_id"], reason=UNNEEDED) for o in orders]
        total = sum(round(100 * buyer.total(order)) for order in orders) / 100
        yield Atom(
            "cancel_all_pending",
            (
                "Please cancel everything of mine that is still pending; I no longer need any of it. How much do I get "
                "back for those orders together?",
                "I'd like every pending order of mine to be cancelled, because I no longer need them. What is "
                "the refund for all of those together?",
                "Cancel all of my orders that haven't been processed yet, please. They are no longer needed. What do I "
                "get back for those together?",
                "I no longer need anything that I have on order, so please cancel all my pending orders, and tell me "
                "the sum of their refunds.",
            ),
            (profile(buyer), *looks, *writes),
            # Nobody wants something else of an order that they take to be among these.
            frozenset(believed_open(o) for o in buyer.orders("delivered")).union(
                *(whole(o) for o in buyer.orders("processed")),
                *(whole(o) | money_of(buyer.paid_with(o)) | versions(o["items"]) for o in orders),
            ),
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
        writes = [look_up("cancel_pending_order", order_id=o["order_id"], reason=MISTAKE) for o in mine]
        yield Atom(
            "cancel_by_payment",
            (
                f"Please cancel whatever pending order I paid for with {words}; I placed it by mistake.",
                f"Everything pending that I paid for with {words} was ordered by mistake. I'd like to have all of that "
                "cancelled.",
                f"Anything pending that is on {words} was ordered by mistake, so please cancel whatever that is.",
                f"I used {words} for things that I ordered by mistake. Please cancel all pending orders that were paid "
                "with it.",
            ),
            (profile(buyer), *looks, *writes),
            frozenset({f"{method['id']}:paid", f"{buyer.id}:by mistake"}).union(
                *(whole(order) | money_of(method) | versions(order["items"]) for order in mine)
            ),
            about=f"the cancellation of what you paid for with {words}",
            manner=(f"Your reason for cancelling what you paid for with {words} is that it was ordered by mistake.",),
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
                f"Could {{order}} be charged to {words} rather than to what I paid with?",
                f"I used the wrong payment method for {{order}}. It should be {words}.",
            ),
            (profile(buyer), see(order), pays(method["id"])),
            frozenset({f"{order['order_id']}:payment", f"{method['id']}:paid", f"{paid['id']}:paid"})
            | {f"{order['order_id']}:{paid['id']}"}
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
                    f"Could {{order}} be charged to {buyer.method_named(first)} rather than to what I paid with?",
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
    # Nobody hopes that nine dollars pay for a piano.
    small = [m for m in methods if m["source"] == "gift_card" and total / 10 <= m["balance"] < total]
    for card in small:
        other = next((m for m in able if m["source"] != "gift_card"), None)
        cancel = look_up("cancel_pending_order", order_id=order["order_id"], reason=UNNEEDED)
        yield Atom(
            "gift_card_or_cancel",
            (
                "I no longer really need {order}. I'd only keep it if my gift card paid for the whole order; if there "
                "isn't enough on the card, please cancel it.",
                "Please put {order} on my gift card. Should the card not cover all of it, then cancel {order}; it is "
                "nothing that I still need.",
                "Can my gift card pay for {order}? If it can't pay for everything, please cancel {order}. To be "
                "honest, I no longer need it.",
                "{Order} is to be paid with my gift card or not at all: if the balance is too small, cancel it. I can "
                "do without it, it is no longer needed.",
            ),
            (profile(buyer), see(order), cancel),
            whole(order) | money_of(card, paid) | versions(order["items"]),
            about="the cancellation of {order}",
            refers=with_capital(ref),
            manner=(
                "You do not want to split the payment of {order}. Your reason for cancelling it is that it is no "
                "longer needed.",
            ),
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
                    f"Could you charge {{order}} to my gift card? If there isn't enough on it, then to {words}.",
                ),
                (profile(buyer), see(order), pay),
                frozenset({f"{order['order_id']}:payment", f"{other['id']}:paid", f"{paid['id']}:paid"})
                | {f"{order['order_id']}:{paid['id']}"}
                | money_of(card, paid),
                about="the new payment method for {order}",
                rank=PAYMENT,
                refers=with_capital(ref),
                manner=("You do not want to split the payment of {order}.",),
                tags=("fallback",),
                policies=(PAYING,),
            )
