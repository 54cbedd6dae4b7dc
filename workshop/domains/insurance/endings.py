"""The insurer's documents as predicates, for ``pytest-tau audit --endings``: what a change must not break, and wishes.

The tools take any amount, day and ground; what is right follows from the books by the documents in force. So the search
is over claims, ends of contracts, prices and procedures, where the documents leave one answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.audit.endings import call

from .cases import PRODUCT_IDS, case_of
from .contracts import cancellation_day, refund
from .procedures import CURRENT, FIRMS, advance_amount, goodwill_amount
from .products import EDITIONS
from .rules import TODAY, in_force, line_of
from .servicing import (
    CANCELLATIONS,
    ENDORSEMENTS,
    HOME_SUMS,
    INSTALMENTS,
    MILEAGE,
    REVOCATION_DAYS,
    zone_of,
)

Arguments = dict[str, Any]
Right = list[Arguments] | None
EARLIEST = re.compile(r"\b(earliest|first day|shortest|soonest|as soon as)\b", re.IGNORECASE)
LONGEST = re.compile(r"\b(longest|as long as)\b", re.IGNORECASE)
DECIDE = re.compile(
    r"\b(decision|decided?|work out|settled?|finished|look at|pay it out|what (?:happens|becomes|I get))\b",
    re.IGNORECASE,
)
NOTICE = re.compile(r"\b(notice|cancel|end)\b", re.IGNORECASE)
NOT = re.compile(r"\b(not|never|neither|nor|no|without|instead of|unless|if)\b|n't\b", re.IGNORECASE)
DECISIONS = ("settle_claim", "reject_claim", "request_evidence")
# The facts that terms are about; of others, bulletins may speak.
KNOWN = {
    rule.fact for one in EDITIONS.values() for edition in one for cover in edition.covers for rule in cover.requires
}


def breaches(env: Environment, step: Action, said: str) -> Iterator[str]:
    """The rules that a change breaks, in the state before it."""
    right = _right(env, step, said)
    if right is not None and _plain(step.arguments) not in map(_plain, right):
        known = "; ".join(str(call(step.name, one)) for one in right)
        yield f"the documents say {known}" if known else "the documents do not allow it"


def others(env: Environment, step: Action, said: str) -> Iterator[tuple[Arguments, str]]:
    """The same change with the numbers, days and papers that the documents lead to."""
    for arguments in _right(env, step, said) or ():
        if _plain(arguments) != _plain(step.arguments):
            yield arguments, f"the documents say {call(step.name, arguments)}"


def wishes(env: Environment, gold: Sequence[Action], said: str) -> Iterator[tuple[Action, str]]:
    """Decisions and notices that they ask for by number and the gold path leaves out, and premiums not given back."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", said)
    touched = {value for step in gold for value in map(str, step.arguments.values())}
    for number in sorted(set(re.findall(r"\b[SK]-\d{5}\b", said)) - touched):
        named = [one for one in sentences if number in one]
        if any(NOT.search(one) for one in named):
            continue
        is_open = number in env.tools.db.claims and env.tools.db.claims.read(number).status == "open"
        if is_open and any(map(DECIDE.search, named)) and (right := _decision(env, number)) is not None:
            yield right, f"they ask for a decision on {number}"
        if number in env.tools.db.contracts and EARLIEST.search(said) and any(map(NOTICE.search, named)):
            arguments = {"contract_id": number, "last_day": "", "ground": "ordinary_notice"}
            for end in _ends(env, arguments, said) or ():
                yield call("cancel_contract", end), f"they give notice for {number}"
    for step in gold:
        if step.name == "cancel_contract" and (amount := _unused(env, str(step.arguments["contract_id"]))):
            details = {"contract_id": step.arguments["contract_id"], "amount": amount}
            yield _run("premium_refund", details), "the premium for the time after the end is given back"


def _plain(arguments: Arguments) -> Arguments:
    """Arguments that can be compared: days as texts, papers in order."""
    return {
        name: sorted(map(str, one))
        if isinstance(one, list)
        else one
        if isinstance(one, (int, float, dict))
        else str(one)
        for name, one in arguments.items()
    }


def _run(name: str, details: Arguments) -> Action:
    return call("run_procedure", {"procedure": name, "authorisation_code": CURRENT[name].code, "details": details})


def _right(env: Environment, step: Action, said: str) -> Right:
    """The arguments with which a change is right, none where it is not allowed; None where nothing here can tell."""
    if step.name in DECISIONS:
        right = _decision(env, step.arguments["claim_id"])
        return None if right is None else [right.arguments] if right.name == step.name else []
    if step.name == "run_procedure":
        check = _PROCEDURES.get(step.arguments["procedure"])
        found = None if check is None else check(env, step.arguments["details"], said)
        return None if found is None else [{**step.arguments, "details": one} for one in found]
    change = _CHANGES.get(step.name)
    return None if change is None else change(env, step.arguments, said)


def _contract(env: Environment, arguments: Arguments) -> Any:
    return env.tools.db.contracts.read(arguments["contract_id"])


def _postcode(env: Environment, contract: Any) -> str:
    return str(env.tools.db.customers.read(contract.customer_id).postcode)


def _line(contract: Any) -> str:
    return line_of(PRODUCT_IDS[contract.product])


def _decision(env: Environment, claim_id: str) -> Action | None:
    """What becomes of a claim as it stands in the books; None where its facts are not those of the terms."""
    claim = env.tools.db.claims.read(claim_id)
    if not KNOWN.issuperset(claim.facts):
        return None
    contract = env.tools.db.contracts.read(claim.contract_id)
    postcode = _postcode(env, contract)
    decision = case_of(contract.model_dump(), claim.model_dump(), postcode)[1].decision
    if decision.settle is not None:
        return call("settle_claim", {"claim_id": claim_id, "amount": decision.settle})
    if decision.reject is not None:
        return call("reject_claim", {"claim_id": claim_id, "ground": decision.reject})
    if decision.missing:
        return call("request_evidence", {"claim_id": claim_id, "papers": list(decision.missing)})
    return _run("send_adjuster", {"claim_id": claim_id, "firm": FIRMS[postcode[0]]})


def _ends(env: Environment, arguments: Arguments, said: str) -> Right:
    contract, ground = _contract(env, arguments), arguments["ground"]
    if contract.status != "active" or contract.product == "Trip Single":
        return []
    rule = in_force(CANCELLATIONS[_line(contract)], TODAY)
    if ground == "ordinary_notice":
        first = cancellation_day(rule, contract.cover_began, contract.insurance_year_ends)
        if EARLIEST.search(said) or str(arguments["last_day"]) < str(first):
            return [{**arguments, "last_day": str(first)}]
        return None
    if ground == "revocation":
        new = (TODAY - contract.concluded).days <= REVOCATION_DAYS[-1][2] and not contract.claim_ids
        return [{**arguments, "last_day": str(contract.cover_began)}] if new else []
    if ground == "after_claim":
        claims = [env.tools.db.claims.read(claim_id) for claim_id in contract.claim_ids]
        days = [(TODAY - one.decided_on).days for one in claims if one.status == "settled" and one.decided_on]
        return None if rule.after_claim is not None and any(one <= rule.after_claim for one in days) else []
    return None


def _unused(env: Environment, contract_id: str) -> float:
    """What of a premium that was paid for a year is still to be given back after the contract's end; 0 for nothing."""
    contract = env.tools.db.contracts.read(contract_id)
    if contract.payment != "yearly" or contract.last_day is None or contract.premium_refunded is not None:
        return 0.0
    amount = contract.annual_premium
    if contract.end_ground != "revocation":
        amount = refund(amount, contract.last_day, contract.insurance_year_ends)
    return amount if contract.product != "Trip Single" and amount >= CURRENT["premium_refund"].figures["least"] else 0.0


def _extra(env: Environment, arguments: Arguments, said: str) -> Right:
    contract = _contract(env, arguments)
    extras = [in_force(one, TODAY) for one in ENDORSEMENTS if one[0].line == _line(contract)]
    extra = next((one for one in extras if one.code == arguments["code"]), None)
    product, details = PRODUCT_IDS[contract.product], {**contract.details, "sum_insured": contract.sum_insured}
    if extra is None or extra.is_refused(product, details):
        return []
    begins = str(extra.first_day(contract.insurance_year_ends))
    return [{**arguments, "begins": begins, "annual_price": float(extra.prices[product])}]


def _interval(env: Environment, arguments: Arguments, said: str) -> Right:
    contract = _contract(env, arguments)
    instalment = INSTALMENTS[-1].instalment(_line(contract), contract.annual_premium, arguments["interval"])
    return [{**arguments, "instalment": instalment}]


def _sum(env: Environment, arguments: Arguments, said: str) -> Right:
    contract = _contract(env, arguments)
    zone = zone_of(_postcode(env, contract), TODAY)
    premium = HOME_SUMS[-1].premium(PRODUCT_IDS[contract.product], zone, arguments["sum_insured"])
    return [{**arguments, "annual_premium": premium}]


def _mileage(env: Environment, arguments: Arguments, said: str) -> Right:
    premium = MILEAGE[-1].premium(_contract(env, arguments).details["base_premium"], arguments["kilometres"])
    return [{**arguments, "annual_premium": premium}]


def _goodwill(env: Environment, details: Arguments, said: str) -> Right:
    claim, figures = env.tools.db.claims.read(details["claim_id"]), CURRENT["goodwill_payment"].figures
    contract = env.tools.db.contracts.read(claim.contract_id)
    since: date = env.tools.db.customers.read(contract.customer_id).customer_since
    allowed = claim.ground == "condition_not_met" and (TODAY - since).days / 365.25 >= figures["years"]
    return [{**details, "amount": goodwill_amount(claim.loss, figures)}] if allowed else []


def _advance(env: Environment, details: Arguments, said: str) -> Right:
    claim, figures = env.tools.db.claims.read(details["claim_id"]), CURRENT["advance_payment"].figures
    allowed = claim.advance is None and claim.loss >= figures["from"]
    return [{**details, "amount": advance_amount(claim.loss, figures)}] if allowed else []


def _reinstatement(env: Environment, details: Arguments, said: str) -> Right:
    contract, figures = _contract(env, details), CURRENT["reinstate_contract"].figures
    if contract.lapsed_on is None or (TODAY - contract.lapsed_on).days > figures["days"]:
        return []
    return [{**details, "arrears": round((contract.open_instalments or 0) + figures["fee"], 2)}]


def _pause(env: Environment, details: Arguments, said: str) -> Right:
    most = CURRENT["payment_pause"].figures["most"]
    return [{**details, "months": most}] if LONGEST.search(said) or details["months"] > most else None


def _refund(env: Environment, details: Arguments, said: str) -> Right:
    amount = _unused(env, details["contract_id"])
    return [{**details, "amount": amount}] if amount else []


def _adjuster(env: Environment, details: Arguments, said: str) -> Right:
    right = _decision(env, details["claim_id"])
    return None if right is None else [right.arguments["details"]] if right.name == "run_procedure" else []


_CHANGES: dict[str, Callable[[Environment, Arguments, str], Right]] = {
    "cancel_contract": _ends,
    "add_extra": _extra,
    "change_payment_interval": _interval,
    "change_sum_insured": _sum,
    "change_mileage": _mileage,
}
_PROCEDURES: dict[str, Callable[[Environment, Arguments, str], Right]] = {
    "goodwill_payment": _goodwill,
    "advance_payment": _advance,
    "reinstate_contract": _reinstatement,
    "payment_pause": _pause,
    "premium_refund": _refund,
    "send_adjuster": _adjuster,
}
