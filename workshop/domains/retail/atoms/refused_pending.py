"""What buyers want of orders that are under way, and the policy does not allow."""

from collections.abc import Iterator
from typing import Any

from pytest_tau.schema.calls import EnvFunctionCall
from pytest_tau.schema.checks import Evidence
from tau_workshop.compose import Atom, because, phrases_of

from ..values import MISTAKE, UNNEEDED
from .options import article, noun
from .records import Buyer, Json, address_text
from .refusing import PENDING_TOOLS, STATUS, not_called_for, refusal, status
from .steps import CANCELLING, CHANGING, PAYING, elsewhere_of, profile, refers, see, whole, with_capital

say = phrases_of(__file__)


def already_processed(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """It is on its way, so nothing can be changed."""
    ref, new = with_capital(buyer.order_named(order)), address_text(buyer.new_address("too late"))
    reason = because(**say("too_late.because"))
    parts: dict[str, Any] = {
        "steps": (see(order),),
        "touches": whole(order),
        "refers": ref,
        "checks": (status(order, "processed"), reason, *not_called_for(order, *PENDING_TOOLS)),
        "policies": (STATUS,),
    }
    yield refusal(
        "too_late_to_cancel",
        **say("too_late_to_cancel"),
        **parts,
    )
    yield refusal(
        "too_late_to_move",
        **say("too_late_to_move", new=new),
        **{**parts, "touches": whole(order) | {elsewhere_of(buyer)}},
    )
    yield refusal(
        "thinks_pending",
        **say("thinks_pending"),
        tags=("false_belief",),
        **parts,
    )


def take_out(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Part of a pending order cannot be cancelled."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if len(order["items"]) < 2 or not named:
        return
    item, ref = buyer.rng.choice(named)
    yield refusal(
        "take_one_out",
        **say("take_one_out", thing=noun(item["name"])),
        steps=(see(order),),
        touches=whole(order),
        refers=refers(ref),
        checks=(
            because(**say("take_one_out.because", thing=noun(item["name"]))),
            *not_called_for(order, "cancel_pending_order", "modify_pending_order_items"),
        ),
        policies=(CANCELLING, CHANGING),
    )


def add(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Nothing can be added to an order."""
    ref = with_capital(buyer.order_named(order))
    name = noun(buyer.rng.choice(buyer.never_ordered())["name"])
    some = f"{article(name)} {name}"
    yield refusal(
        "add_one_more",
        **say("add_one_more", some=some, name=name),
        steps=(see(order),),
        touches=frozenset({f"{order['order_id']}:items"}),
        refers=ref,
        checks=(
            because(**say("add_one_more.because")),
            *not_called_for(order, "modify_pending_order_items"),
        ),
        policies=(CHANGING,),
    )


def small_card(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """The gift card does not cover the order."""
    card = next((m for m in buyer.methods() if m["source"] == "gift_card"), None)
    if card is None or buyer.paid_with(order) is card or not 20 <= card["balance"] < buyer.total(order):
        return
    yield refusal(
        "gift_card_too_small",
        **say("gift_card_too_small"),
        steps=(profile(buyer), see(order)),
        touches=frozenset({f"{order['order_id']}:payment", f"{card['id']}:balance"}),
        refers=with_capital(buyer.order_named(order)),
        tags=("false_belief",),
        checks=(
            Evidence(check="evidence", name="get_user_details", arguments={"user_id": buyer.id}, shows=card["id"]),
            because(
                **say(
                    "gift_card_too_small.because",
                    balance=f"{card['balance']:.2f}",
                    total=f"{buyer.total(order):.2f}",
                    short_balance=f"{card['balance']:g}",
                    short_total=f"{buyer.total(order):g}",
                )
            ),
            *not_called_for(order, "modify_pending_order_payment"),
        ),
        policies=(PAYING,),
    )


def another_reason(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """There are two reasons to cancel, and this is neither."""
    yield refusal(
        "cancel_for_another_reason",
        **say("cancel_for_another_reason"),
        steps=(see(order),),
        touches=whole(order),
        refers=with_capital(buyer.order_named(order)),
        checks=(
            because(
                **say("cancel_for_another_reason.because", unneeded=UNNEEDED, mistake=MISTAKE.removeprefix("ordered "))
            ),
            *not_called_for(order, "cancel_pending_order"),
        ),
        policies=(CANCELLING,),
    )


def changed_before(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Its items were changed once, which closes it."""
    for item in order["items"]:
        ref = buyer.item_named(order, item)
        stock = [
            v
            for v in buyer.books.products[item["product_id"]]["variants"].values()
            if v["available"] and v["item_id"] != item["item_id"]
        ]
        method = next((m for m in buyer.methods() if m["source"] != "gift_card"), None)
        if ref is None or not stock or method is None:
            continue
        before = EnvFunctionCall(
            env_type="assistant",
            func_name="modify_pending_order_items",
            arguments={
                "order_id": order["order_id"],
                "item_ids": [item["item_id"]],
                "new_item_ids": [buyer.rng.choice(stock)["item_id"]],
                "payment_method_id": method["id"],
            },
        )
        yield refusal(
            "changed_before",
            **say("changed_before", thing=noun(item["name"])),
            steps=(see(order),),
            touches=whole(order),
            refers=with_capital(buyer.order_named(order)),
            initialise=(before,),
            checks=(
                status(order, "pending (item modified)"),
                because(**say("changed_before.because")),
                *not_called_for(order, *PENDING_TOOLS),
            ),
            policies=(STATUS,),
        )
        return
