"""Wishes that only a procedure of the back office can fulfil, whose name and code stand in a work instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, look_up

from ..cases import case_of
from ..procedures import CURRENT, advance_amount, goodwill_amount
from ..rules import TODAY
from ..writing.phrases import long_day
from .asking import Holder, Json, because, grant, line, product, refusal, see

GOODWILL = (
    "You rejected {claim}. Is there really nothing that you can do for me?",
    "You have rejected {claim}, which I find hard. Can you at least pay me something as a gesture?",
    "I know that {claim} was rejected by the letter of the terms. Can anything be done all the same?",
    "About {claim}, which you have rejected: do you ever pay a part out of goodwill? I'd like that.",
)
REINSTATE = (
    "I forgot to pay, and now {contract} has lapsed. I want it back.",
    "I see that {contract} has lapsed. Please reinstate it; I will pay what is open.",
    "I missed some payments and {contract} has ended because of that. Can it be put back into force?",
    "Please bring {contract} back to life. I'll settle what I owe.",
)
LAY_UP = (
    "I'm taking the car of {contract} off the register on {day}, for {length} days. It stands in my garage. Lay it up.",
    "The car of {contract} will be off the register for {length} days from {day} on, in my garage. Can it be laid up?",
    "Please lay up the car of {contract} from {day} on. It is off the register for {length} days, in my own garage.",
    "From {day} on the car of {contract} is off the register for {length} days, in my yard. Please lay it up.",
)
EXTEND = (
    "I'm on my journey right now and want to stay longer. Please extend the cover of {contract} until {day}.",
    "My journey takes longer than planned. Please let {contract} cover it until {day}.",
    "I would like to be insured under {contract} until {day}, because I'm coming home later.",
    "Please make the cover of my journey in {contract} last until {day}.",
)
PASS_ON = (
    "I'm giving up the car of {giver}. Please pass its no-claims years on to {receiver}.",
    "The no-claims years of {giver} should go to {receiver}; both contracts are mine.",
    "Can you transfer the years without claims from {giver} to {receiver}? As many as can be.",
    "Please move my no-claims years over from {giver} to {receiver}.",
)
ADVANCE = (
    "I need money at once after {claim}. Can you pay me an advance?",
    "The papers for {claim} take time, but I have bills now. Please pay something in advance.",
    "Please pay me an advance on {claim}; I can't wait until everything is settled.",
    "Is an advance possible for {claim}? I need it to get by.",
)
PAUSE = (
    "I have lost my job. Please pause the payments of {contract} for as long as you can.",
    "I've been ill for a long time and can't pay {contract} now. I'd like the longest pause there is.",
    "Money is short since I lost my work. Can the instalments of {contract} be paused, as long as possible?",
    "I can't pay the instalments of {contract} for a while, because I'm out of work. Please give me the longest pause.",
)


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


def _grant(
    intent: str, says: tuple[str, ...], looks: Iterable[Action], act: Action, documents: Iterable[str] = (), **more: Any
) -> Atom:
    document = CURRENT[act.arguments["procedure"]].document
    return grant(intent, says, looks, [act], [*documents, document], rank=30, **more)


def _refusal(
    intent: str,
    says: tuple[str, ...],
    looks: Iterable[Action],
    name: str,
    reason: Iterable[str | list[str]],
    **more: Any,
) -> Atom:
    forbidden = ("run_procedure", {"procedure": name})
    return refusal(intent, says, looks, forbidden, reason, [CURRENT[name].document], **more)


def _goodwill(holder: Holder, claim: Json) -> Iterator[Atom]:
    contract = holder.contract_of(claim)
    if claim.get("ground") != "condition_not_met" or line(contract) not in ("home", "cycle"):
        return
    name = "goodwill_payment"
    figures, years = CURRENT[name].figures, (TODAY - holder.since).days / 365.25
    more: dict[str, Any] = {
        "about": "goodwill for {claim}",
        "refers": {"claim": holder.claim_reference(claim)},
        "touches": frozenset({claim["claim_id"], claim["contract_id"], holder.customer["customer_id"]}),
    }
    looks = see(contract, claim)
    if years >= figures["years"]:
        amount = goodwill_amount(claim["loss"], figures)
        act = _run(name, claim_id=claim["claim_id"], amount=amount)
        yield _grant("goodwill", GOODWILL, looks, act, facts=(f"{amount:.2f}",), **more)
    else:
        reason: list[str | list[str]] = [
            ["5 years"],
            ["five years"],
            ["five-year"],
            ["5-year"],
            ["not long enough"],
            *because("long"),
        ]
        yield _refusal("goodwill_refused", GOODWILL, looks, name, reason, **more)


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
        "about": "an advance on {claim}",
        "refers": {"claim": holder.claim_reference(claim)},
        "touches": frozenset({claim["claim_id"], claim["contract_id"]}),
        "manner": ("You will send in the missing papers next week. Today you only want to know about the advance.",),
    }
    if claim["loss"] >= figures["from"]:
        amount = advance_amount(claim["loss"], figures)
        act = _run(name, claim_id=claim["claim_id"], amount=amount)
        yield _grant(
            "advance", ADVANCE, see(contract, claim), act, [verdict.edition.document], facts=(f"{amount:.2f}",), **more
        )
    else:
        reason: list[str | list[str]] = [
            "5000",
            "5,000",
            "too small",
            "not large enough",
            "below the",
            *because("loss"),
        ]
        yield _refusal("advance_refused", ADVANCE, see(contract, claim), name, reason, **more)


def _reinstatement(holder: Holder, contract: Json) -> Atom:
    name = "reinstate_contract"
    figures, days = CURRENT[name].figures, (TODAY - date.fromisoformat(contract["lapsed_on"])).days
    more: dict[str, Any] = {
        "about": "{contract}",
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if days <= figures["days"]:
        arrears = round(contract["open_instalments"] + figures["fee"], 2)
        act = _run(name, contract_id=contract["contract_id"], arrears=arrears)
        return _grant("reinstatement", REINSTATE, see(contract), act, facts=(f"{arrears:.2f}",), **more)
    reason: list[str | list[str]] = [
        ["90", "days", "ago"],
        *because("90"),
        ["90", "passed"],
        ["more than 90"],
        ["longer than 90"],
        ["too late"],
        ["90-day"],
        ["90 days", "over"],
        ["lapsed", "too long"],
        ["lapsed", "days ago"],
        ["three months"],
        ["90", "no longer"],
    ]
    return _refusal("reinstatement_refused", REINSTATE, see(contract), name, reason, **more)


def _laid_up(holder: Holder, contract: Json, number: int) -> Atom:
    name = "lay_up_vehicle"
    day = TODAY + timedelta(days=9 + 5 * number)
    length = [21, 10, 24, 18, 9, 26][(number + int(contract["contract_id"][-1])) % 6]
    texts = tuple(text.replace("{day}", long_day(day)).replace("{length}", str(length)) for text in LAY_UP)
    more: dict[str, Any] = {
        "about": "the rest of the car of {contract}",
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if length >= CURRENT[name].figures["least_days"]:
        act = _run(name, contract_id=contract["contract_id"], first_day=str(day))
        return _grant("lay_up", texts, see(contract), act, follows=(str(day),), **more)
    reason: list[str | list[str]] = [
        ["at least", "14"],
        ["14 days"],
        ["too short"],
        ["two weeks"],
        ["fourteen"],
        *because("14"),
    ]
    return _refusal("lay_up_refused", texts, see(contract), name, reason, **more)


def _extensions(holder: Holder, contract: Json, number: int) -> Iterator[Atom]:
    last, name = date.fromisoformat(contract["details"]["journey_last_day"]), "extend_trip"
    first = date.fromisoformat(contract["details"]["journey_first_day"])
    if not first <= TODAY <= last:
        return
    figures = CURRENT[name].figures
    days = [6, 11, 17, 14, 9, 20][(number + int(contract["contract_id"][-2])) % 6]
    day = last + timedelta(days=days)
    says = tuple(text.replace("{day}", long_day(day)) for text in EXTEND)
    more: dict[str, Any] = {
        "about": "the longer journey of {contract}",
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    if days <= figures["most"]:
        surcharge = round(days * figures["prices"][product(contract)], 2)
        act = _run(name, contract_id=contract["contract_id"], last_day=str(day), surcharge=surcharge)
        yield _grant(
            "longer_journey", says, see(contract), act, follows=(str(day),), facts=(f"{surcharge:.2f}",), **more
        )
        return
    more["manner"] = ("If that is too long, you do not want a shorter extension either; you will see.",)
    reason: list[str | list[str]] = [
        ["14 days"],
        *because("14"),
        ["14", "most"],
        ["at most 14"],
        ["maximum", "14"],
        ["fourteen"],
        ["two weeks"],
    ]
    yield _refusal("longer_journey_refused", says, see(contract), name, reason, **more)


def _pause(holder: Holder, contract: Json) -> Atom:
    name = "payment_pause"
    figures, years = CURRENT[name].figures, (TODAY - holder.since).days / 365.25
    more: dict[str, Any] = {
        "about": "a pause in the payments of {contract}",
        "refers": {"contract": holder.contract_reference(contract)},
        "touches": frozenset({contract["contract_id"]}),
    }
    looks = [look_up("get_customer", customer_id=holder.customer["customer_id"]), *see(contract)]
    if years >= figures["years"]:
        act = _run(name, contract_id=contract["contract_id"], months=figures["most"])
        return _grant("pause", PAUSE, looks, act, facts=(str(figures["most"]),), **more)
    reason: list[str | list[str]] = [
        ["2 years"],
        ["two years"],
        ["two-year"],
        ["not long enough"],
        ["2-year"],
        *because("long"),
    ]
    return _refusal("pause_refused", PAUSE, looks, name, reason, **more)


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
        PASS_ON,
        [*see(giver), *see(receiver)],
        act,
        about="the no-claims years of {giver}",
        refers={"giver": holder.contract_reference(giver), "receiver": holder.contract_reference(receiver)},
        touches=frozenset({giver["contract_id"], receiver["contract_id"]}),
        facts=(str(years),),
    )
