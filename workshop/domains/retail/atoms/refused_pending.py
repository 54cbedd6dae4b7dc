"""What buyers want of orders that are under way, and the policy does not allow."""

from collections.abc import Iterator
from typing import Any

from pytest_tau.schema.calls import EnvFunctionCall
from pytest_tau.schema.checks import Evidence
from tau_workshop.compose import Atom, refusing

from ..values import MISTAKE, UNNEEDED
from .options import article, noun
from .records import Buyer, Json, address_text
from .refusing import PENDING_TOOLS, STATUS, because, not_called_for, refusal, status
from .steps import CANCELLING, CHANGING, PAYING, elsewhere_of, profile, refers, see, whole, with_capital

STAYS = "If {{order}} cannot be {done}, you want to know why; then you accept it."


def already_processed(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """It is on its way, so nothing can be changed."""
    ref, new = with_capital(buyer.order_named(order)), address_text(buyer.new_address("too late"))
    reason = because("has already been processed", "already processed", "not pending", "n't pending",
                     "no longer pending", "already shipped", "already been shipped", "already on its way",
                     ["processed", "only"], ["processed", "nothing"], ["processed", "too late"],
                     ["processed", "fixed"], ["processed", "final"], ["processed", "locked"], "processed, so",
                     "processed and so", "processed, which means", ["processed", "stage"], ["processed", "past"],
                     *refusing("processed", "processing", "shipped", "on its way", "prepared"))  # fmt: skip
    parts: dict[str, Any] = {
        "steps": (see(order),),
        "touches": whole(order),
        "refers": ref,
        "checks": (status(order, "processed"), reason, *not_called_for(order, *PENDING_TOOLS)),
        "policies": (STATUS,),
    }
    yield refusal(
        "too_late_to_cancel",
        (
            "Please cancel {order}. I no longer need it.",
            "I'd like {order} to be cancelled, as I no longer need it.",
            "Can you still cancel {order}? I don't need it any more.",
            "{Order} is no longer needed, so please cancel it.",
        ),
        about="the cancellation of {order}, which was processed",
        manner=(STAYS.format(done="cancelled any more"),),
        **parts,
    )
    yield refusal(
        "too_late_to_move",
        (
            f"Please send {{order}} to my neighbor's new place instead: {new}.",
            f"{{Order}} should go to my brother instead. He lives at {new}.",
            f"Could you change the address of {{order}} to {new}? I'll be staying with friends there.",
            f"I'll be with my mother all month, so I need {{order}} to be delivered to {new} instead.",
        ),
        about="another address for {order}, which was processed",
        manner=(STAYS.format(done="sent elsewhere"),),
        **{**parts, "touches": whole(order) | {elsewhere_of(buyer)}},
    )
    yield refusal(
        "thinks_pending",
        (
            "{Order} is still pending, so please cancel it. I no longer need it.",
            "As {order} hasn't been processed yet, I'd like to cancel it; it's no longer needed.",
            "I saw that {order} is still pending. Please cancel it, I don't need it any more.",
            "You haven't started on {order} yet, so cancel it, please. I no longer need it.",
        ),
        about="the cancellation of {order}, which was processed",
        manner=("You believe that {order} is still pending. Told otherwise, you are surprised and accept it.",),
        tags=("false_belief",),
        **parts,
    )


def take_out(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Part of a pending order cannot be cancelled."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if len(order["items"]) < 2 or not named:
        return
    item, ref = buyer.rng.choice(named)
    words = ("item", "remov", noun(item["name"]), "partial", "take out", "taken out", "individual", "single", "part of")
    yield refusal(
        "take_one_out",
        (
            "Please take out {item} and refund me for it. Everything else in that order I still want.",
            "I'd like to cancel {item}, but nothing else of that order.",
            "Could you remove {item}? I want the rest of the order, just not that.",
            "{Item} is one thing too many. Please drop it from the order and give me the money back.",
        ),
        steps=(see(order),),
        touches=whole(order),
        about="taking {item} out",
        refers=refers(ref),
        manner=(
            f"You want neither the whole order with the {noun(item['name'])} cancelled nor the {noun(item['name'])} in "
            "another version. If it cannot be taken out, you want to know why; then that order stays as it is.",
        ),
        checks=(
            because("a single item cannot be cancelled", "as a whole", "in full", ["whole order", "item"],
                    ["entire order", "item"], ["whole order", "only"], ["entire order", "only"],
                    ["full order", "only"], ["complete order", "only"],
                    *refusing(*words)),
            *not_called_for(order, "cancel_pending_order", "modify_pending_order_items"),
        ),
        policies=(CANCELLING, CHANGING),
    )  # fmt: skip


def add(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Nothing can be added to an order."""
    ref = with_capital(buyer.order_named(order))
    name = noun(buyer.rng.choice(buyer.never_ordered())["name"])
    some = f"{article(name)} {name}"
    yield refusal(
        "add_one_more",
        (
            f"Please add {some} to {{order}} before it is sent.",
            f"I forgot something: could you put {some} into {{order}} as well?",
            f"I'd like to have {some} added to {{order}}, so that it all comes together.",
            f"There should be {some} in {{order}} too. Please add one, any will do.",
        ),
        steps=(see(order),),
        touches=frozenset({f"{order['order_id']}:items"}),
        about=f"adding {some} to {{order}}",
        refers=ref,
        manner=(
            f"You want the {name} in {{order}} or not at all. If it cannot be added, you want to know why; then you do "
            "without it. You want no new order, and you do not want to be handed over to anybody because of it.",
        ),
        checks=(
            because("nothing can be added", ["nothing", "added"], ["nothing", "add"], ["only", "variant"],
                    ["only", "same product"], ["only", "same item"], ["only", "version"],
                    *refusing("add", "added", "adding", "addition", "additional", "include", "put", "new item",
                              "extend", "expand", "grow")),
            *not_called_for(order, "modify_pending_order_items"),
        ),
        policies=(CHANGING,),
    )  # fmt: skip


def small_card(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """The gift card does not cover the order."""
    card = next((m for m in buyer.methods() if m["source"] == "gift_card"), None)
    if card is None or buyer.paid_with(order) is card or not 20 <= card["balance"] < buyer.total(order):
        return
    yield refusal(
        "gift_card_too_small",
        (
            "I'd like to pay for {order} with my gift card instead.",
            "Please take what {order} costs from my gift card instead.",
            "Could you charge {order} to my gift card rather than to what I paid with?",
            "{Order} should be paid with my gift card. Please change that.",
        ),
        steps=(profile(buyer), see(order)),
        touches=frozenset({f"{order['order_id']}:payment", f"{card['id']}:balance"}),
        about="paying for {order} with your gift card",
        refers=with_capital(buyer.order_named(order)),
        manner=(
            "You think that there is enough on your gift card for {order}. If there is not, you want to hear so, "
            "and its "
            "payment stays as it is; you want no other method and no splitting.",
        ),
        tags=("false_belief",),
        checks=(
            Evidence(check="evidence", name="get_user_details", arguments={"user_id": buyer.id}, shows=card["id"]),
            because("the balance of the gift card is too small",
                    *([what, f"{no} {word}"] for what in ("gift card", "balance") for no in ("not", "n't")
                      for word in ("cover", "fully cover", "enough", "be enough", "have enough", "hold enough",
                               "sufficient", "suffice")),
                    ["gift card", "cannot cover"], ["balance", "cannot cover"], ["balance", "insufficient"],
                    ["balance", "less than"],
                    ["balance", "lower than"], ["balance", "too low"], ["balance", "below"],
                    ["gift card", "insufficient"], ["gift card", "less than"], ["gift card", "too low"],
                    ["gift card", "too small"], ["gift card", "short"], ["gift card", "more than"],
                    ["gift card", "only has"], ["gift card", "exceeds"], ["balance", "exceeds"],
                    [f"{card['balance']:.2f}", f"{buyer.total(order):.2f}"],
                    [f"{card['balance']:g}", f"{buyer.total(order):g}"]),
            *not_called_for(order, "modify_pending_order_payment"),
        ),
        policies=(PAYING,),
    )  # fmt: skip


def another_reason(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """There are two reasons to cancel, and this is neither."""
    yield refusal(
        "cancel_for_another_reason",
        (
            "Please cancel {order}. I have found all of it cheaper somewhere else.",
            "I'd like to cancel {order}, because another shop has the same for less.",
            "{Order} should be cancelled: I can get it at a better price elsewhere.",
            "Could you cancel {order}? I've seen the same things cheaper in town.",
        ),
        steps=(see(order),),
        touches=whole(order),
        about="the cancellation of {order} because it is cheaper elsewhere",
        refers=with_capital(buyer.order_named(order)),
        manner=(
            "Your only reason for cancelling {order} is the price. You still need what is in it and did not order it "
            "by mistake, and you say so when you are asked. If the price is no reason, you accept that {order} stays.",
        ),
        checks=(
            because("the reason for a cancellation", ["reason", "only"], [UNNEEDED, MISTAKE.removeprefix("ordered ")],
                    *refusing("reason", "price", "cheaper", "for less")),
            *not_called_for(order, "cancel_pending_order"),
        ),
        policies=(CANCELLING,),
    )  # fmt: skip


def changed_before(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Its items were changed once, which closes it."""
    for item in order["items"]:
        ref = buyer.item_named(order, item)
        stock = [
            v for v in buyer.books.products[item["product_id"]]["variants"].values()
            if v["available"] and v["item_id"] != item["item_id"]
        ]  # fmt: skip
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
            (
                "Please cancel {order}. I no longer need it.",
                "I'd like {order} cancelled, it is no longer needed.",
                "Can you cancel {order} for me? I no longer need it.",
                "I no longer need {order}, so please cancel it.",
            ),
            steps=(see(order),),
            touches=whole(order),
            about="the cancellation of {order}, whose items were changed before",
            refers=with_capital(buyer.order_named(order)),
            manner=(
                f"Last week you had the {noun(item['name'])} changed for another version; you mention that only if you "
                "are asked. If {order} cannot be cancelled, you want to know why; then you accept it.",
            ),
            initialise=(before,),
            checks=(
                status(order, "pending (item modified)"),
                because("its items have been changed already", ["items", "changed"], ["item", "modif"],
                        ["already", "modif"], ["already", "changed"], ["item", "changed"], ["changed", "earlier"],
                        ["change", "earlier"], ["modified", "earlier"], ["swapped", "earlier"], ["modified", "once"],
                        ["changed", "once"], ["changed", "before"], ["modified", "before"],
                        *refusing("item modified", "modified", "swapped")),
                *not_called_for(order, *PENDING_TOOLS),
            ),
            policies=(STATUS,),
        )  # fmt: skip
        return
