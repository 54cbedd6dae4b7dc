"""Wishes that only a procedure of the back office can fulfil, whose name and code stand in a work instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, look_up, phrases_of

from ..cases import case_of
from ..procedures import CURRENT, advance_amount, goodwill_amount
from ..rules import TODAY
from ..writing.phrases import long_day
from .asking import Holder, Json, because, grant, line, product, refusal, see

say = phrases_of(__file__)


def of_procedures(holder: Holder) -> Iterator[Atom]:
    """All of them."""
    for claim in holder.claims:
        yield from _goodwill(holder, claim)
        yield from _advance(holder, claim)
    for contract in holder.contracts:
        if contract.get("status") == "lapsed":
            yield _reinstatement(holder, contract)
    for number, contract in enumerate(holder.active()):
        if line(contract) == "motor":
            yield _laid_up(holder, contract, number)
        if "journey_last_day" in contract["details"]:
            yield from _extensions(holder, contract, number)
        if contract["payment"] == "monthly":
            yield _pause(holder, contract)
    yield from _passed_on(holder)


def _run(name: str, **details: Any) -> Action:
    procedure = CURRENT[name]
    return look_up("run_procedure", procedure=name, authorisation_code=procedure.code, details=details)


def _grant(intent: str, looks: Iterable[Action], act: Action, documents: Iterable[str] = (), **more: Any) -> Atom:
    document = CURRENT[act.arguments["procedure"]].document
    return grant(intent, looks, [act], [*documents, document], rank=30, **more)


def _refusal(
    intent: str,
    looks: Iterable[Action],
    name: str,
    reason: Iterable[str | list[str]],
    **more: Any,
) -> Atom:
    forbidden = ("run_procedure", {"procedure": name})
    return refusal(intent, looks, forbidden, reason, [CURRENT[name].document], **more)


def _goodwill(holder: Holder, claim: Json) -> Iterator[Atom]:
    contract = holder.contract_of(claim)
    if claim.get("ground") != "condition_not_met" or line(contract) not in ("home", "cycle"):
        return
    name = "goodwill_payment"
    figures, years = CURRENT[name].figures, (TODAY - holder.since).days / 365.25
    more: dict[str, Any] = {
        **say("goodwill"),
        "refers": {"claim": holder.claim_reference(claim)},
        "touches": frozenset({claim["claim_id"], claim["contract_id"], holder.customer["customer_id"]}),
    }
    looks = see(contract, claim)
    if years >= figures["years"]:
        amount = goodwill_amount(claim["loss"], figures)
        act = _run(name, claim_id=claim["claim_id"], amount=amount)
        yield _grant("goodwill", looks, act, facts=(f"{amount:.2f}",), **more)
    else:
        yield _refusal("goodwill_refused", looks, name, because(**say("goodwill.because")), **more)


def _advance(holder: Holder, claim: Json) -> Iterator[Atom]:
    contract = holder.contract_of(claim)
    name, figures = "advance_payment", CURRENT["advance_payment"].figures
    if (
        claim.get("status", "open") != "open"
        or claim["event"] not in ("fire", "escape_of_water")
        or line(contract) != "home"
    ):
        return
    _, verdict = case_of(contract, claim, holder.customer["postcode"])
    if verdict.decision.kind != "papers":
        return
    more: dict[str, Any] = {
        **say("advance"),
        "refers": {"claim": holder.claim_reference(claim)},
        "touches": frozenset({claim["claim_id"], claim["contract_id"]}),
    }
    if claim["loss"] >= figures["from"]:
        amount = advance_amount(claim["loss"], figures)
        act = _run(name, claim_id=claim["claim_id"], amount=amount)
        yield _grant("advance", see(contract, claim), act, [verdict.edition.document], facts=(f"{amount:.2f}",), **more)
    else:
        yield _refusal("advance_refused", see(contract, claim), name, because(**say("advance.because")), **more)


def _reinstatement(holder: Holder, contract: Json) -> Atom:
    name = "reinstate_contract"
    figures, days = CURRENT[name].figures, (TODAY - date.fromisoformat(contract["lapsed_on"])).days
    more: dict[str, Any] = {
        **say("reinstatement"),
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if days <= figures["days"]:
        arrears = round(contract["open_instalments"] + figures["fee"], 2)
        act = _run(name, contract_id=contract["contract_id"], arrears=arrears)
        return _grant("reinstatement", see(contract), act, facts=(f"{arrears:.2f}",), **more)
    return _refusal("reinstatement_refused", see(contract), name, because(**say("reinstatement.because")), **more)


def _laid_up(holder: Holder, contract: Json, number: int) -> Atom:
    name = "lay_up_vehicle"
    day = TODAY + timedelta(days=9 + 5 * number)
    length = [21, 10, 24, 18, 9, 26][(number + int(contract["contract_id"][-1])) % 6]
    more: dict[str, Any] = {
        **say("lay_up", day=long_day(day), length=length),
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if length >= CURRENT[name].figures["least_days"]:
        act = _run(name, contract_id=contract["contract_id"], first_day=str(day))
        return _grant("lay_up", see(contract), act, follows=(str(day),), **more)
    return _refusal("lay_up_refused", see(contract), name, because(**say("lay_up.because")), **more)


def _extensions(holder: Holder, contract: Json, number: int) -> Iterator[Atom]:
    last, name = date.fromisoformat(contract["details"]["journey_last_day"]), "extend_trip"
    first = date.fromisoformat(contract["details"]["journey_first_day"])
    if not first <= TODAY <= last:
        return
    figures = CURRENT[name].figures
    days = [6, 11, 17, 14, 9, 20][(number + int(contract["contract_id"][-2])) % 6]
    day = last + timedelta(days=days)
    more: dict[str, Any] = {
        **say("longer_journey", day=long_day(day)),
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if days <= figures["most"]:
        surcharge = round(days * figures["prices"][product(contract)], 2)
        act = _run(name, contract_id=contract["contract_id"], last_day=str(day), surcharge=surcharge)
        yield _grant("longer_journey", see(contract), act, follows=(str(day),), facts=(f"{surcharge:.2f}",), **more)
        return
    more |= say("longer_journey.refused")
    yield _refusal("longer_journey_refused", see(contract), name, because(**say("longer_journey.because")), **more)


def _pause(holder: Holder, contract: Json) -> Atom:
    name = "payment_pause"
    figures, years = CURRENT[name].figures, (TODAY - holder.since).days / 365.25
    more: dict[str, Any] = {
        **say("pause"),
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    looks = [look_up("get_customer", customer_id=holder.customer["customer_id"]), *see(contract)]
    if years >= figures["years"]:
        act = _run(name, contract_id=contract["contract_id"], months=figures["most"])
        return _grant("pause", looks, act, facts=(str(figures["most"]),), **more)
    return _refusal("pause_refused", looks, name, because(**say("pause.because")), **more)


def _passed_on(holder: Holder) -> Iterator[Atom]:
    cars = holder.active("motor")
    if len(cars) != 2:
        return
    giver, receiver = sorted(cars, key=lambda one: -one["details"]["no_claims_years"])
    have = giver["details"]["no_claims_years"]
    years = min(have, receiver["details"]["licence_years"])
    if have < 3 or years == receiver["details"]["no_claims_years"]:
        return
    act = _run(
        "transfer_no_claims_years",
        from_contract_id=giver["contract_id"],
        to_contract_id=receiver["contract_id"],
        years=years,
    )
    yield _grant(
        "pass_on_years",
        [*see(giver), *see(receiver)],
        act,
        **say("pass_on_years"),
        refers={"giver": holder.contract_reference(giver), "receiver": holder.contract_reference(receiver)},
        touches=frozenset({giver["contract_id"], receiver["contract_id"]}),
        facts=(str(years),),
    )
