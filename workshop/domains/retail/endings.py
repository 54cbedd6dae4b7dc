"""The shop's policy as predicates, for ``pytest-tau audit --endings``: what a change must not break, and wishes.

The tools check the most of it; what they leave to the agent is which variant of a product the words mean. So the search
is over the variants: one that has every option that the words name, and keeps every option that they do not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.audit.endings import call

from .values import MISTAKE, REFUND_ALSO, UNNEEDED

Json = Mapping[str, Any]
Arguments = dict[str, Any]
SWAPS = ("exchange_delivered_order_items", "modify_pending_order_items")
NOT = re.compile(r"\b(not|never|neither|nor|no|without|instead of|rather than|unless|if)\b|n't\b", re.IGNORECASE)
CANCEL = re.compile(r"\bcancel\b", re.IGNORECASE)  # to cancel; who says "you cancelled" asks for nothing
# Words that choose among variants by more than their options: prices, and what the customer would do without.
CHOOSES = re.compile(
    r"\b(cheap\w*|expensive|price\w*|cost\w*|most|least|lowest|highest|dear\w*|budget|spend|sav\w+|similar|"
    r"same as|available|prefer\w*|otherwise|different|any|closest|next|than|like the|match\w*|as the)\b",
    re.IGNORECASE,
)


def breaches(env: Environment, step: Action, said: str) -> Iterator[str]:
    """The rules that a change breaks, in the state before it, beside those that the tools check."""
    order = _order(env, step.arguments.get("order_id"))
    if order is None:
        return
    if step.name == "return_delivered_order_items":
        method = env.tools.db.users[order["user_id"]].payment_methods.get(step.arguments["payment_method_id"])
        first = order["payment_history"][0]["payment_method_id"]
        if method is not None and method.id != first and method.source != REFUND_ALSO:
            yield "the refund may not go there"
    if step.name in SWAPS:
        pairs = zip(step.arguments["item_ids"], step.arguments["new_item_ids"], strict=False)
        yield from ("an item cannot become itself" for old, new in pairs if old == new)


def others(env: Environment, step: Action, said: str) -> Iterator[tuple[Arguments, str]]:
    """The same swap with another variant that the words mean as well as the gold one."""
    order = _order(env, step.arguments.get("order_id"))
    if order is None or step.name not in SWAPS or CHOOSES.search(said):
        return
    old_ids, new_ids = step.arguments["item_ids"], step.arguments["new_item_ids"]
    for place, (old_id, new_id) in enumerate(zip(old_ids, new_ids, strict=False)):
        item = next((one for one in order["items"] if one["item_id"] == old_id), None)
        if item is None:
            continue
        variants = env.tools.db.products.read(item["product_id"]).model_dump()["variants"]
        if new_id not in variants:
            continue
        gold, old = variants[new_id]["options"], item["options"]
        for other_id, other in variants.items():
            if other_id in (old_id, new_id) or not other["available"]:
                continue
            if changes := _as_good(other["options"], gold, old, said):
                ids = [*new_ids[:place], other_id, *new_ids[place + 1 :]]
                yield {**step.arguments, "new_item_ids": ids}, f"the words fit {item['name']} {other_id}: {changes}"


def _as_good(other: Json, gold: Json, old: Json, said: str) -> str:
    """In what a variant that the words fit is another than the gold one; empty where it does not fit them."""
    unsaid = [name for name, value in gold.items() if other.get(name) != value]
    if any(_says(gold[name], said) for name in unsaid):
        return ""
    # An option that nobody names stays as it was.
    if any(other.get(name) != old.get(name) for name in unsaid):
        return ""
    return ", ".join(f"{name} stays {old[name]}, and nobody asks for {gold[name]}" for name in unsaid)


def _says(value: str, said: str) -> bool:
    """Whether the words name a value of an option, in full or by one of its words."""
    words = [word for word in re.findall(r"[A-Za-z]{3,}|\d+(?:\.\d+)?", value) if word.lower() not in ("with", "and")]
    return any(re.search(rf"\b{re.escape(word)}", said, re.IGNORECASE) for word in words) or not words


def wishes(env: Environment, gold: Sequence[Action], said: str) -> Iterator[tuple[Action, str]]:
    """Cancellations that the customer asks for by the order's number, and the gold path leaves out."""
    touched = {step.arguments.get("order_id") for step in gold}
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", said):
        if not CANCEL.search(sentence) or NOT.search(sentence):
            continue
        reason = MISTAKE if "mistake" in said.lower() else UNNEEDED
        for number in sorted(set(re.findall(r"#W\d+", sentence)) - touched):
            if (order := _order(env, number)) is not None and _is_theirs(env, order, said):
                step = call("cancel_pending_order", {"order_id": number, "reason": reason})
                yield step, f"they ask to cancel {number}, and it can be cancelled"


def _is_theirs(env: Environment, order: Json, said: str) -> bool:
    user = env.tools.db.users[order["user_id"]].model_dump()
    lower = said.lower()
    return user["name"]["last_name"].lower() in lower or user["email"].lower() in lower or user["user_id"] in lower


def _order(env: Environment, number: Any) -> Json | None:
    table = env.tools.db.orders
    return table[number].model_dump() if number in table else None
