"""What buyers want of orders that are still pending, and of their profile."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Revision, look_up, phrases_of, with_endings

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

say = phrases_of(__file__)


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
    for intent, reason in (("cancel", UNNEEDED), ("cancel_mistake", MISTAKE)):
        said = say("cancellation") | say(intent)
        cancel = look_up("cancel_pending_order", order_id=order["order_id"], reason=reason)
        asks = buyer.rng.random() < 0.4 and len(order["items"]) > 1
        if asks:
            said["says"] = with_endings(said["says"], say("sum.asks"))
        yield Atom(
            intent,
            **said,
            steps=(see(order), cancel),
            touches=whole(order) | money_of(paid) | versions(order["items"]),
            refers={"order": ref},
            facts=(total,) if asks else (),
            policies=(CANCELLING,),
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
    yield Atom(
        "order_address",
        **say("order_address", where=where),
        steps=(see(order), move),
        # Nobody wants things sent to several other places.
        touches=frozenset({f"{order['order_id']}:address", elsewhere_of(buyer)}),
        rank=ADDRESS,
        refers=with_capital(ref),
        revision=Revision(
            **say("order_address.revision", elsewhere=elsewhere, where=where),
            proposal=look_up("modify_pending_order_address", order_id=order["order_id"], **other),
        ),
        policies=(MOVING,),
    )
    home = buyer.row["address"]
    if dict(home) != dict(order["address"]):
        there = {name: home[name] for name in ("address1", "address2", "city", "state", "country", "zip")}
        yield Atom(
            "order_address_from_profile",
            **say("order_address_from_profile"),
            steps=(
                profile(buyer),
                see(order),
                look_up("modify_pending_order_address", order_id=order["order_id"], **there),
            ),
            touches=frozenset({f"{order['order_id']}:address", f"{buyer.id}:address"}),
            rank=ADDRESS,
            refers=with_capital(ref),
            policies=(MOVING,),
        )


def own_address(buyer: Buyer) -> Iterator[Atom]:
    """The profile alone; orders keep theirs."""
    new = buyer.new_address("home")
    yield Atom(
        "profile_address",
        **say("profile_address", where=address_text(new)),
        steps=(profile(buyer), look_up("modify_user_address", user_id=buyer.id, **new)),
        touches=frozenset({f"{buyer.id}:address"}),
        rank=ADDRESS,
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
        **say("moved_house", where=where),
        steps=(profile(buyer), *looks, own, *writes),
        touches=frozenset(
            {f"{buyer.id}:address", elsewhere_of(buyer), *(f"{order['order_id']}:address" for order in orders)}
        ),
        rank=ADDRESS,
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
            **say("cancel_all_pending"),
            steps=(profile(buyer), *looks, *writes),
            # Nobody wants something else of an order that they take to be among these.
            touches=frozenset(believed_open(o) for o in buyer.orders("delivered")).union(
                *(whole(o) for o in buyer.orders("processed")),
                *(whole(o) | money_of(buyer.paid_with(o)) | versions(o["items"]) for o in orders),
            ),
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
            **say("cancel_by_payment", words=words),
            steps=(profile(buyer), *looks, *writes),
            touches=frozenset({f"{method['id']}:paid", f"{buyer.id}:by mistake"}).union(
                *(whole(order) | money_of(method) | versions(order["items"]) for order in mine)
            ),
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
            **say("payment", words=words),
            steps=(profile(buyer), see(order), pays(method["id"])),
            touches=frozenset({f"{order['order_id']}:payment", f"{method['id']}:paid", f"{paid['id']}:paid"})
            | {f"{order['order_id']}:{paid['id']}"}
            | money_of(method, paid),
            rank=PAYMENT,
            refers={"order": ref},
            fits=fits,
            revision=None
            if first is None
            else Revision(
                **say("payment.revision", other=buyer.method_named(first), words=words),
                proposal=pays(first["id"]),
            ),
            policies=(PAYING,),
        )
    # Nobody hopes that nine dollars pay for a piano.
    small = [m for m in methods if m["source"] == "gift_card" and total / 10 <= m["balance"] < total]
    for card in small:
        other = next((m for m in able if m["source"] != "gift_card"), None)
        cancel = look_up("cancel_pending_order", order_id=order["order_id"], reason=UNNEEDED)
        yield Atom(
            "gift_card_or_cancel",
            **say("gift_card_or_cancel"),
            steps=(profile(buyer), see(order), cancel),
            touches=whole(order) | money_of(card, paid) | versions(order["items"]),
            refers=with_capital(ref),
            tags=("fallback",),
            policies=(PAYING, CANCELLING),
        )
        if other is not None and (words := buyer.method_named(other)):
            pay = look_up("modify_pending_order_payment", order_id=order["order_id"], payment_method_id=other["id"])
            yield Atom(
                "gift_card_or_other",
                **say("gift_card_or_other", words=words),
                steps=(profile(buyer), see(order), pay),
                touches=frozenset({f"{order['order_id']}:payment", f"{other['id']}:paid", f"{paid['id']}:paid"})
                | {f"{order['order_id']}:{paid['id']}"}
                | money_of(card, paid),
                rank=PAYMENT,
                refers=with_capital(ref),
                tags=("fallback",),
                policies=(PAYING,),
            )
