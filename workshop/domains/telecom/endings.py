"""The provider's policy as predicates, for ``pytest-tau audit --endings``: what a change must not break, and wishes.

The line that is meant is the one whose number the customer names. What the phone needs is not looked at: its settings
are in the customer's hands, and the tasks grade what it can do.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.audit.endings import call

from .schema import Customer, Line
from .values import VALUES

Arguments = dict[str, Any]
REPAIRS = ("resume_line", "enable_roaming", "refuel_data")  # of the line that has the trouble
ABROAD = re.compile(r"\b(abroad|overseas|roaming)\b", re.IGNORECASE)
DATA = re.compile(r"\b(data|internet|speed|online|MMS|picture messages?|photos?|pictures?)\b", re.IGNORECASE)
SUSPEND = re.compile(r"\bsuspend\b", re.IGNORECASE)  # to suspend; who says "it is suspended" asks for nothing
NOT = re.compile(r"\b(not|never|neither|nor|no|without|instead of|unless|if)\b|n't\b", re.IGNORECASE)


def breaches(env: Environment, step: Action, said: str) -> Iterator[str]:
    """The rules that a change breaks, in the state before it."""
    db, arguments = env.tools.db, step.arguments
    if step.name == "send_payment_request" and db.bill(arguments["bill_id"]).status != "Overdue":
        yield "the bill is not overdue"
    if step.name in REPAIRS and [line.line_id for line, _ in _named(env, said)] not in ([], [arguments["line_id"]]):
        yield "it is another line than the one whose number they name"
    if step.name == "resume_line":
        if _has_ended(env, db.line(arguments["line_id"])):
            yield "the contract of the line has ended"
        if any(bill.status == "Overdue" for bill in db.bills_of(db.customer(arguments["customer_id"]))):
            yield "a bill is overdue"
    if step.name == "refuel_data":
        if arguments["gb_amount"] > VALUES["most_gb"]:
            yield f"a line gets {VALUES['most_gb']} GB at most"
        if (amounts := _amounts(said)) and arguments["gb_amount"] not in amounts:
            yield "they want another amount of data"
    if step.name == "enable_roaming" and not ABROAD.search(said):
        yield "nobody is abroad"


def others(env: Environment, step: Action, said: str) -> Iterator[tuple[Arguments, str]]:
    """The same change of the line that they name, and of the amount of data that they want."""
    if step.name not in REPAIRS:
        return
    for line, customer in _named(env, said):
        if line.line_id != step.arguments["line_id"]:
            other = {**step.arguments, "customer_id": customer.customer_id, "line_id": line.line_id}
            yield other, f"the number that they name, {line.phone_number}, is that of {line.line_id}"
    for amount in _amounts(said) if step.name == "refuel_data" else ():
        if amount != step.arguments["gb_amount"]:
            yield {**step.arguments, "gb_amount": amount}, f"they want {amount:g} GB"


def wishes(env: Environment, gold: Sequence[Action], said: str) -> Iterator[tuple[Action, str]]:
    """What a line still lacks of what they need, where nothing rules it out and the account alone decides."""
    named, phone = _named(env, said), env.dump()["user"] or {}
    if not named or str(phone["device"]["sim_card_status"]).startswith("locked"):
        return
    [(line, customer)] = named
    on_line = {"customer_id": customer.customer_id, "line_id": line.line_id}
    overdue = any(bill.status == "Overdue" for bill in env.tools.db.bills_of(customer))
    asked = [one for one in re.split(r"(?<=[.!?])\s+|\n+", said) if SUSPEND.search(one) and not NOT.search(one)]
    if line.status == "Active" and asked:
        yield call("suspend_line", {**on_line, "reason": "asked for"}), f"they ask to have {line.line_id} suspended"
    if _has_ended(env, line) or overdue:
        return
    if line.status == "Suspended" and not SUSPEND.search(said):
        yield call("resume_line", on_line), f"{line.line_id} is suspended, and nothing is against resuming it"
    if not DATA.search(said):
        return
    used_up = line.data_used_gb >= env.tools.db.plan(line.plan_id).data_limit_gb + line.data_refueling_gb
    for amount in _amounts(said) if used_up else ():
        yield call("refuel_data", {**on_line, "gb_amount": amount}), f"the data is used up, and they want {amount:g} GB"
    if re.search(r"\bam abroad\b", said) and not line.roaming_enabled:
        yield call("enable_roaming", on_line), f"they are abroad, and roaming is off on {line.line_id}"


def _named(env: Environment, said: str) -> list[tuple[Line, Customer]]:
    """The line whose number the words have, with its owner; none where there are several, or none is a line's."""
    db, numbers = env.tools.db, set(re.findall(r"(?<!account is )\b\d{3}-\d{3}-\d{4}\b", said))
    ids = [line["line_id"] for line in db.lines.scan() if line["phone_number"] in numbers]
    owners = {line_id: one["customer_id"] for one in db.customers.scan() for line_id in one.get("line_ids", [])}
    found = [(db.lines.read(line_id), db.customers.read(owners[line_id])) for line_id in ids if line_id in owners]
    return found if len(found) == 1 else []


def _amounts(said: str) -> list[float]:
    """The amounts of data that they would have, in GB, as far as a line may get them."""
    found = re.findall(r"(\d+(?:\.\d+)?) ?GB", re.sub(r"\beven (?:where|if) [^.;]*", "", said))
    return [amount for amount in dict.fromkeys(map(float, found)) if amount <= VALUES["most_gb"]]


def _has_ended(env: Environment, line: Line) -> bool:
    now, end = env.tools.now, line.contract_end_date
    return now is not None and end is not None and end < now.date()
