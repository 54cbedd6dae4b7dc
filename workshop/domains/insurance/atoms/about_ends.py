"""Wishes to be rid of a contract: by notice, after a claim, because there is nothing left to insure, by revocation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, look_up, phrases_of

from ..contracts import cancellation_day, refund
from ..procedures import CURRENT
from ..rules import TODAY, in_force
from ..servicing import CANCELLATIONS, REVOCATION_DAYS
from ..writing.phrases import long_day, sentence
from .asking import Holder, Json, because, grant, line, refusal, see

say = phrases_of(__file__)
REFUND = CURRENT["premium_refund"]
REVOCATION = f"rule-revocation-{REVOCATION_DAYS[-1][0]:%Y-%m}"
GONE = ("cycle", "gadget", "motor", "pet")  # lines of what can be sold, or die


def of_ends(holder: Holder) -> Iterator[Atom]:
    """All of them."""
    for number, contract in enumerate(holder.active()):
        concluded = date.fromisoformat(contract["concluded"])
        new = (TODAY - concluded).days <= 30
        if new:
            yield from _revocations(holder, contract, concluded)
        elif line(contract) != "travel" or not contract["details"]:
            yield from _notices(holder, contract)
        if line(contract) in GONE and not new:
            yield from _moves_away(holder, contract, TODAY - timedelta(days=4 + number * 5))
    for claim in holder.claims:
        if claim.get("status") == "settled":
            yield from _after(holder, holder.contract_of(claim), claim)


def _end(contract: Json, last_day: date, ground: str) -> list[Action]:
    """Cancel, and give back what was paid for the time after, if anything."""
    contract_id = contract["contract_id"]
    steps = [look_up("cancel_contract", contract_id=contract_id, last_day=str(last_day), ground=ground)]
    amount = contract["annual_premium"]
    if ground != "revocation":
        amount = refund(amount, last_day, date.fromisoformat(contract["insurance_year_ends"]))
    if contract["payment"] == "yearly" and amount >= REFUND.figures["least"]:
        details = {"contract_id": contract_id, "amount": amount}
        steps.append(look_up("run_procedure", procedure=REFUND.name, authorisation_code=REFUND.code, details=details))
    return steps


def _ending(
    intent: str,
    holder: Holder,
    contract: Json,
    last_day: date,
    ground: str,
    document: str,
    **more: Any,
) -> Atom:
    acts = _end(contract, last_day, ground)
    documents = [document]
    if len(acts) > 1:
        documents.append(REFUND.document)
        more["facts"] = (f"{acts[1].arguments['details']['amount']:.2f}",)
    more["refers"] = {"contract": holder.contract_reference(contract), **more.get("refers", {})}
    looks = more.pop("looks", see(contract))
    return grant(
        intent,
        looks,
        acts,
        documents,
        **say("ends"),
        follows=(str(last_day),),
        touches=frozenset({contract["contract_id"], *more.pop("touches", ())}),
        rank=40,
        **more,
    )


def _notices(holder: Holder, contract: Json) -> Iterator[Atom]:
    rule = in_force(CANCELLATIONS[line(contract)], TODAY)
    ends = date.fromisoformat(contract["insurance_year_ends"])
    began = date.fromisoformat(contract["cover_began"])
    day = cancellation_day(rule, began, ends)
    old = cancellation_day(CANCELLATIONS[line(contract)][0], began, ends)
    if rule.to != "period_end" and day > ends:
        return
    if day == old:
        return  # an old sheet would not be noticed
    yield _ending("notice", holder, contract, day, "ordinary_notice", rule.document, **say("notice"))


def _moves_away(holder: Holder, contract: Json, day: date) -> Iterator[Atom]:
    if day <= date.fromisoformat(contract["cover_began"]):
        return
    rule = in_force(CANCELLATIONS[line(contract)], TODAY)
    details = contract["details"]
    animal = say("animal.called", animal=details.get("animal", ""), animal_name=details.get("animal_name", ""))
    words = say(f"gone_{line(contract)}", day=long_day(day), animal=animal, Animal=sentence(animal))
    yield _ending("nothing_left", holder, contract, day, "nothing_left_to_insure", rule.document, **words)


def _after(holder: Holder, contract: Json, claim: Json) -> Iterator[Atom]:
    if contract.get("status", "active") != "active":
        return
    rule, days = in_force(CANCELLATIONS[line(contract)], TODAY), (TODAY - date.fromisoformat(claim["decided_on"])).days
    refers = {"contract": holder.contract_reference(contract), "claim": holder.claim_reference(claim)}
    looks = see(contract, claim)
    if rule.after_claim is not None and days <= rule.after_claim:
        yield _ending(
            "after_claim",
            holder,
            contract,
            TODAY,
            "after_claim",
            rule.document,
            refers=refers,
            looks=looks,
            touches=(claim["claim_id"],),
            **say("after_claim"),
        )
        return
    gone = say("no_right.no_longer" if rule.after_claim is not None else "no_right.never")
    yield refusal(
        "after_claim_refused",
        looks,
        ("cancel_contract", {"contract_id": contract["contract_id"]}),
        [*gone, *because(**say("after_claim_refused.because"))],
        [rule.document],
        **say("ends"),
        **say("after_claim"),
        **say("after_claim_refused"),
        refers=refers,
        touches=frozenset({contract["contract_id"], claim["claim_id"]}),
    )


def _revocations(holder: Holder, contract: Json, concluded: date) -> Iterator[Atom]:
    if contract.get("claim_ids") or (line(contract) == "travel" and contract["details"]):
        return
    days = (TODAY - concluded).days
    if days <= REVOCATION_DAYS[-1][2]:
        began = date.fromisoformat(contract["cover_began"])
        yield _ending("revocation", holder, contract, began, "revocation", REVOCATION, **say("revocation"))
        return
    yield refusal(
        "revocation_refused",
        see(contract),
        ("cancel_contract", {"contract_id": contract["contract_id"]}),
        because(**say("revocation_refused.because")),
        [REVOCATION],
        **say("revocation"),
        **say("revocation_refused"),
        refers={"contract": holder.contract_reference(contract)},
        touches=frozenset({contract["contract_id"]}),
    )
