"""What buyers want and the policy does not allow, or nobody at the desk can do; and what they only want to know."""

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_tau.generation.compose import Atom, look_up
from pytest_tau.schema.task import Called, EnvFunctionCall, Evidence, NotCalled, NotSaid, Reason, TrajectoryCheck

from .delivered import RETURNING, give_back, refunds_to, touched
from .options import PAIRS, article, noun
from .pending import CANCELLING, CHANGING, PAYING, _capitalised, _refers, catalogue, profile, see, whole
from .records import Buyer, Json, address_text

STATUS = "What the status of an order allows"
TRANSFER = "transfer_to_human_agents"
NO = ("cannot", "can't", "unable", "not possible", "not able", "not allowed", "isn't possible", "no longer")
PENDING_TOOLS = (
    "cancel_pending_order",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
)
DELIVERED_TOOLS = ("return_delivered_order_items", "exchange_delivered_order_items")
STAYS = "If {{order}} cannot be {done}, you want to know why; then you accept it."


def of_refused(buyer: Buyer, strangers: Sequence[Json]) -> Iterator[Atom]:
    """Everything that a buyer could want in vain, or only want to know."""
    for order in buyer.orders("processed"):
        yield from processed(buyer, order)
    for order in buyer.orders("pending"):
        yield from take_out(buyer, order)
        yield from add(buyer, order)
        yield from small_card(buyer, order)
        yield from another_reason(buyer, order)
        yield from changed_before(buyer, order)
    for order in buyer.orders("delivered"):
        yield from foreign_refund(buyer, order)
        yield from second_return(buyer, order)
        yield from not_pending(buyer, order)
        yield from other_product(buyer, order)
        yield from tracking(buyer, order)
    for order in buyer.orders("cancelled"):
        yield from undo(buyer, order)
    yield from somebody_elses(buyer, strangers)
    yield from variants_in_stock(buyer)


def shows(order: Json, what: str) -> Evidence:
    """The order was looked at, and showed something."""
    return Evidence(check="evidence", name="get_order_details", arguments={"order_id": order["order_id"]}, shows=what)


def status(order: Json, value: str) -> Evidence:
    """The order was looked at, and its status seen."""
    return shows(order, f'"status": "{value}"')


def untouched(order: Json, *tools: str) -> list[TrajectoryCheck]:
    """None of these tools was called for the order."""
    return [NotCalled(check="not_called", name=tool, arguments={"order_id": order["order_id"]}) for tool in tools]


def because(*phrasings: str | list[str]) -> Reason:
    """The reason was told in one of these ways."""
    return Reason(check="reason", any_of=list(phrasings))


def refusing(*words: str) -> list[str | list[str]]:
    """Ways to say no to something that these words name."""
    return [[word, no] for word in words for no in NO]


def refused(intent: str, says: tuple[str, ...], **parts: Any) -> Atom:
    """A wish that is turned down."""
    tags = ("refusal", *parts.pop("tags", ()))
    return Atom(intent, says, tags=tags, **parts)


def processed(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """It is on its way, so nothing can be changed."""
    ref, new = _capitalised(buyer.order_named(order)), address_text(buyer.new_address("too late"))
    reason = because("has already been processed", "already processed", *refusing("processed"), ["processed", "only"],
                     ["processed", "nothing"])  # fmt: skip
    parts: dict[str, Any] = {
        "steps": (see(order),),
        "touches": whole(order),
        "refers": ref,
        "checks": (status(order, "processed"), reason, *untouched(order, *PENDING_TOOLS)),
        "policies": (STATUS,),
    }
    yield refused(
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
    yield refused(
        "too_late_to_move",
        (
            f"Please send {{order}} to another address: {new}.",
            f"{{Order}} should go to my brother instead. He lives at {new}.",
            f"Could you change the address of {{order}} to {new}?",
            f"I need {{order}} to be delivered to {new} instead.",
        ),
        about="another address for {order}, which was processed",
        manner=(STAYS.format(done="sent elsewhere"),),
        **parts,
    )
    yield refused(
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
    words = ("item", "remov", noun(item["name"]), "partial", "take out", "taken out")
    yield refused(
        "take_one_out",
        (
            "Please take {item} out and refund me for it. Everything else in that order I still want.",
            "I'd like to cancel {item}, but nothing else of that order.",
            "Could you remove {item}? I want the rest of the order, just not that.",
            "{Item} is one thing too many. Please drop it from the order and give me the money back.",
        ),
        steps=(see(order),),
        touches=whole(order),
        about="taking {item} out",
        refers=_refers(ref),
        manner=(
            f"You do not want the whole order cancelled, nor the {noun(item['name'])} in another version. If it cannot "
            "be taken out, you want to know why; then everything stays as it is.",
        ),
        checks=(
            status(order, "pending"),
            because("a single item cannot be cancelled", "as a whole", ["whole order", "item"],
                    ["entire order", "item"],
                    *refusing(*words)),
            *untouched(order, "cancel_pending_order", "modify_pending_order_items"),
        ),
        policies=(CANCELLING, CHANGING),
    )  # fmt: skip


def add(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Nothing can be added to an order."""
    ref = _capitalised(buyer.order_named(order))
    absent = [p for p in buyer.books.products.values() if p["name"] not in buyer.products_in(order)]
    product = buyer.rng.choice(absent)
    name = noun(product["name"])
    some = f"{article(name)} {name}"
    yield refused(
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
            f"You want the {name} in this very order. If that is not possible, you want to know why; then leave the "
            "order as it is. You do not want a new order, and not to be handed over to anybody because of it.",
        ),
        checks=(
            status(order, "pending"),
            because("nothing can be added", *refusing("add")),
            *untouched(order, "modify_pending_order_items"),
        ),
        policies=(CHANGING,),
    )


def small_card(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """The gift card does not cover the order."""
    card = next((m for m in buyer.methods() if m["source"] == "gift_card"), None)
    if card is None or buyer.paid_with(order) is card or card["balance"] >= buyer.total(order):
        return
    yield refused(
        "gift_card_too_small",
        (
            "I'd like to pay for {order} with my gift card instead.",
            "Please move {order} to my gift card.",
            "Could you charge {order} to my gift card rather than to what I used?",
            "{Order} should be paid with my gift card. Please change that.",
        ),
        steps=(profile(buyer), see(order)),
        touches=frozenset({f"{order['order_id']}:payment", f"{card['id']}:balance"}),
        about="paying for {order} with your gift card",
        refers=_capitalised(buyer.order_named(order)),
        manner=(
            "You think that there is enough on your gift card for {order}. If there is not, you want to hear so, "
            "and its "
            "payment stays as it is; you want no other method and no splitting.",
        ),
        tags=("false_belief",),
        checks=(
            Evidence(check="evidence", name="get_user_details", arguments={"user_id": buyer.id}, shows=card["id"]),
            because("the balance of the gift card is too small", ["gift card", "cover"], ["gift card", "enough"],
                    ["gift card", "sufficient"], ["balance", "insufficient"], ["balance", "less than"],
                    ["balance", "lower than"], ["balance", "too low"], ["balance", "below"]),
            *untouched(order, "modify_pending_order_payment"),
        ),
        policies=(PAYING,),
    )  # fmt: skip


def another_reason(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """There are two reasons to cancel, and this is neither."""
    yield refused(
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
        refers=_capitalised(buyer.order_named(order)),
        manner=(
            "Your only reason is the price. You do still need the things and did not order them by mistake, and "
            "you say "
            "so when you are asked. If that is no reason, you accept it, and the order stays.",
        ),
        checks=(
            because("the reason for a cancellation", ["reason", "only"], ["no longer needed", "by mistake"],
                    *refusing("reason", "price", "cheaper")),
            *untouched(order, "cancel_pending_order"),
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
        yield refused(
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
            refers=_capitalised(buyer.order_named(order)),
            manner=(
                f"You had the {noun(item['name'])} in it changed last week; you mention that only if you are asked. If "
                "it cannot be cancelled, you want to know why; then you accept it.",
            ),
            initialise=(before,),
            checks=(
                status(order, "pending (item modified)"),
                because("its items have been changed already", ["items", "changed"], ["item", "modif"],
                        ["already", "modif"], ["already", "changed"]),
                *untouched(order, *PENDING_TOOLS),
            ),
            policies=(STATUS,),
        )  # fmt: skip
        return


def foreign_refund(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """A refund goes back to where the money came from, or to a gift card."""
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
    yield refused(
        "foreign_refund",
        (
            f"I'd like to return {{item}}. The refund has to go to {words}, which worked last time.",
            f"Please take {{item}} back and refund {words}; I was told that I can choose.",
            f"I want to send {{item}} back and have the money on {words}, not where I paid from.",
            f"{{Item}} goes back, with the refund on {words} and nowhere else.",
        ),
        steps=(profile(buyer), see(order)),
        touches=touched(order),
        about=f"the return of {{item}} with the refund on {words}",
        refers=_refers(ref),
        manner=(
            f"You want the money on {words} and nowhere else. If that is not possible, you want to know why; then you "
            f"keep the {noun(item['name'])} and want no return of it.".replace("my ", "your "),
        ),
        tags=("false_belief",),
        checks=(
            shows(order, paid["id"]),
            because("the original payment method", "originally paid", ["original", "payment"], ["original", "method"],
                    ["paid", source[paid["source"]]], *refusing(bare, source[method["source"]])),
            *untouched(order, *DELIVERED_TOOLS),
        ),
        policies=(RETURNING,),
    )  # fmt: skip


def second_return(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """There was a return already, and there is one an order."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if len(named) < 2:
        return
    (first, _), (item, ref) = buyer.rng.sample(named, 2)
    paid = buyer.paid_with(order)
    words = buyer.method_named(paid)
    before = give_back(order, [first], paid)
    yield refused(
        "second_return",
        (
            f"I'd like to return {{item}} as well, with the refund on {words}.",
            f"Another thing has to go back: {{item}}. Please refund {words}.",
            f"Could I also return {{item}}? The refund goes to {words} again.",
            f"I sent something back from that order, and now I want to return {{item}} too, with the refund on "
            f"{words}.",
        ),
        steps=(see(order),),
        touches=touched(order),
        about="the return of {item} after another return",
        refers=_refers(ref),
        manner=(
            f"You have asked for the return of the {noun(first['name'])} from the same order a few days ago. If a "
            "second "
            f"return is not possible, you want to know why; then you keep the {noun(item['name'])}.",
        ),
        initialise=(EnvFunctionCall(env_type="assistant", func_name=before.name, arguments=before.arguments),),
        checks=(
            status(order, "return requested"),
            because("there can be only one return", ["already", "return"], ["one return"], ["second return"],
                    ["return", "once"], ["single return"], *refusing("return requested")),
            *untouched(order, *DELIVERED_TOOLS),
        ),
        policies=(STATUS, RETURNING),
    )  # fmt: skip


def not_pending(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """They believe that it is still on its way."""
    yield refused(
        "thinks_on_its_way",
        (
            "{Order} hasn't been sent yet, has it? Please cancel it, I no longer need it.",
            "I no longer need {order}. It can't have left your warehouse yet, so please cancel it.",
            "Please cancel {order} before it goes out. It is no longer needed.",
            "As {order} is still with you, I'd like to cancel it. I no longer need it.",
        ),
        steps=(see(order),),
        touches=touched(order) | whole(order),
        about="the cancellation of {order}, which was delivered",
        refers=_capitalised(buyer.order_named(order)),
        manner=(
            "You believe that {order} has not been sent. A neighbor has taken it in, as it turns out, so you "
            "accept that "
            "it was delivered. You want nothing of it returned or exchanged.",
        ),
        tags=("false_belief",),
        checks=(
            status(order, "delivered"),
            because("has already been delivered", "already delivered", "was delivered", "been delivered",
                    "is delivered", "as delivered", *refusing("delivered")),
            *untouched(order, "cancel_pending_order", *DELIVERED_TOOLS),
        ),
        policies=(STATUS,),
    )  # fmt: skip


def other_product(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """An item can become another version of itself, and nothing else."""
    named = [(i, ref) for i in order["items"] if (ref := buyer.item_named(order, i)) is not None]
    if not named:
        return
    item, ref = buyer.rng.choice(named)
    other = noun(buyer.rng.choice([p["name"] for p in buyer.books.products.values() if p["name"] != item["name"]]))
    some = f"{article(other)} {other}"
    yield refused(
        "other_product",
        (
            f"I'd like to exchange {{item}} for {some} of about the same price.",
            f"Could I get {some} in exchange for {{item}}? Any of them will do.",
            f"Please exchange {{item}}; I'd rather have {some}.",
            f"{{Item}} isn't for me after all. I'd like to swap it for {some}.",
        ),
        steps=(see(order),),
        touches=touched(order),
        about=f"the exchange of {{item}} for {some}",
        refers=_refers(ref),
        manner=(
            f"You want the {other} or nothing. If that is not possible, you want to know why; then you keep the "
            f"{noun(item['name'])}. You want neither a return nor another version of it.",
        ),
        checks=(
            shows(order, item["item_id"]),
            because("a different product is not possible", "same product", "different product", "another product",
                    "same type of product", "different type", "same type", "same kind", "variant of the",
                    *refusing(f"for {some}")),
            *untouched(order, *DELIVERED_TOOLS),
        ),
        policies=("Delivered orders: Exchanging items",),
    )  # fmt: skip


def undo(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """Nobody here can undo a cancellation, so a person has to take over."""
    summary = f"The customer wants the cancellation of order {order['order_id']} to be undone."
    yield Atom(
        "undo_cancellation",
        (
            "I regret having cancelled {order}. Please undo the cancellation.",
            "{Order} was cancelled, and I want it back. Can you reverse that?",
            "Please bring back {order}. I should never have cancelled it.",
            "I'd like the cancellation of {order} to be taken back, as I need the things after all.",
        ),
        (see(order), look_up(TRANSFER, summary=summary)),
        whole(order),
        about="undoing the cancellation of {order}",
        rank=9,
        refers=_capitalised(buyer.order_named(order)),
        manner=("To have the cancellation of {order} undone, you agree to be handed over to a person.",),
        tags=("transfer",),
        checks=(status(order, "cancelled"), Called(check="called", name=TRANSFER)),
        last=True,
        policies=("Handing over to a person",),
    )


def somebody_elses(buyer: Buyer, strangers: Sequence[Json]) -> Iterator[Atom]:
    """An order that is not theirs, whatever they say."""
    order = buyer.rng.choice([one for one in strangers if one["user_id"] != buyer.id])
    owner = buyer.books.users[order["user_id"]]
    name = f"{owner['name']['first_name']} {owner['name']['last_name']}"
    yield refused(
        "somebody_elses_order",
        (
            f"Please cancel order {order['order_id']}. It is no longer needed.",
            f"I'd like to cancel order {order['order_id']}, which is no longer needed.",
            f"Could you cancel order {order['order_id']} for me? It's no longer needed.",
            f"Order {order['order_id']} should be cancelled, please, as it is no longer needed.",
        ),
        steps=(profile(buyer), see(order)),
        touches=whole(order),
        about=f"the cancellation of order {order['order_id']}, which is not yours",
        manner=(
            f"If the agent says that {order['order_id']} is not your order, say that it belongs to a friend who "
            "has asked "
            "you to do this. When the agent refuses again, accept it.",
        ),
        checks=(
            because(*NOT_YOURS),
            *untouched(order, "cancel_pending_order"),
            NotSaid(check="not_said", texts=[owner["user_id"], owner["email"], owner["address"]["address1"], name]),
        ),
        policies=("Working rules",),
    )


NOT_YOURS = (
    "belongs to another customer", "belongs to a different", "belongs to someone", "belongs to somebody",
    "belongs to your friend", "not belong to", "n't belong to", "not under your", "not in your account",
    "n't in your account", "not on your account", "n't on your account", "not associated with your",
    "n't associated with your", "not linked to your", "n't linked to your", "not one of your orders",
    "n't one of your orders", "another customer's order", "someone else's order", "other customers' orders",
    "another person's order", "not your order", "isn't your order", "n't part of your account", "not part of your",
)  # fmt: skip


def tracking(buyer: Buyer, order: Json) -> Iterator[Atom]:
    """The number of a parcel."""
    number = order["fulfillments"][0]["tracking_id"][0]
    yield Atom(
        "tracking_number",
        (
            "What is the tracking number of {order}?",
            "Could you give me the tracking number of {order}?",
            "I need the tracking number of {order}, please.",
            "Please look up the tracking number of {order} for me.",
        ),
        (see(order),),
        frozenset({f"{order['order_id']}:tracking"}),
        about="the tracking number of {order}",
        refers={"order": buyer.order_named(order)},
        facts=(number,),
        tags=("information",),
        policies=("Working rules",),
    )


def variants_in_stock(buyer: Buyer) -> Iterator[Atom]:
    """How many versions there are of something that they have ordered."""
    items = [item for order in buyer.orders() for item in order["items"] if item["name"] not in PAIRS]
    if not items:
        return
    item = buyer.rng.choice(items)
    variants = buyer.books.products[item["product_id"]]["variants"].values()
    name = noun(item["name"])
    yield Atom(
        "variants_in_stock",
        (
            f"How many different versions of the {name} do you have available right now? I only need the number.",
            f"Could you tell me how many variants of the {name} are in stock at the moment? Just the number.",
            f"I'd like to know in how many versions the {name} can be had right now, as a number.",
            f"Of the {name}, how many variants are available today? Please count only those that are in stock.",
        ),
        (look_up("list_all_product_types"), catalogue(item)),
        frozenset({f"{item['product_id']}:stock"}),
        about=f"how many versions of the {name} are available",
        facts=(str(sum(v["available"] for v in variants)),),
        tags=("information",),
        policies=("Working rules",),
    )
