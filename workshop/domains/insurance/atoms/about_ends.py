"""Wishes to be rid of a contract: by notice, after a claim, because there is nothing left to insure, by revocation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, look_up

from ..contracts import cancellation_day, refund
from ..procedures import CURRENT
from ..rules import TODAY, in_force
from ..servicing import CANCELLATIONS, REVOCATION_DAYS
from ..writing.phrases import long_day, sentence
from .asking import REFUSES, Holder, Json, because, grant, line, refusal, see

REFUND = CURRENT["premium_refund"]
REVOCATION = f"rule-revocation-{REVOCATION_DAYS[-1][0]:%Y-%m}"
NOTICE = (
    "I want to give notice for {contract}, to the earliest day that is possible.",
    "Please cancel {contract} as soon as the rules allow.",
    "I don't need {contract} any more; end it on the first day on which it can end.",
    "How soon can I get out of {contract}? Please cancel it for that day.",
    "I'd like {contract} to stop at the earliest date there is.",
    "Please put in my notice for {contract}, with the shortest period that I have to keep to.",
)
AFTER = (
    "You settled {claim} not long ago, and because of that I want to end {contract} as of today.",
    "After {claim} I have had enough of {contract}. I want to use my right to leave at once after a claim.",
    "Now that {claim} was settled, please end {contract} today.",
    "I'd like to end {contract} with immediate effect, since {claim} has been settled.",
)
REVOKE = (
    "I have thought better of {contract}, which is quite new. I want to revoke it.",
    "Please revoke {contract}; I signed it only recently.",
    "I'd like to withdraw from {contract} altogether, as it is still new.",
    "It was a mistake to take out {contract}. I only just signed it and want to undo it.",
)
GONE = {
    "cycle": (
        "I sold the bicycle of {contract} on {day}. Please end the contract as of that day.",
        "The bicycle that {contract} is about is not mine any more, I sold it on {day}. The contract can end.",
        "Please end {contract}: the bicycle was sold on {day}.",
        "On {day} I sold my bicycle, so {contract} has nothing to insure any more.",
    ),
    "gadget": (
        "I sold the device of {contract} on {day}. Please end the contract as of that day.",
        "The device that {contract} is about was sold on {day}, so the contract can end.",
        "Please end {contract}: I sold the device on {day}.",
        "On {day} I sold the device, and {contract} has nothing to insure any more.",
    ),
    "motor": (
        "The car of {contract} was scrapped and taken off the register on {day}. Please end the contract.",
        "I sold the car of {contract} and had it taken off the register on {day}. End the contract, please.",
        "Please end {contract}. The car is sold and was taken off the register on {day}.",
        "On {day} the car was taken off the register because it was scrapped, so {contract} can end.",
    ),
    "pet": (
        "I'm sorry to say that {animal} died on {day}, so please end {contract}.",
        "Our {animal} died on {day}, which means that {contract} is no longer needed.",
        "Please end {contract}; we had to have {animal} put to sleep on {day}.",
        "Since {day} {animal} is no longer alive, so {contract} has to end.",
    ),
}


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
    says: tuple[str, ...],
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
        says,
        looks,
        acts,
        documents,
        about="the end of {contract}",
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
    manner = ("You want the earliest day there is, whatever it is, and you take any money that you get back.",)
    yield _ending("notice", NOTICE, holder, contract, day, "ordinary_notice", rule.document, manner=manner)


def _moves_away(holder: Holder, contract: Json, day: date) -> Iterator[Atom]:
    if day <= date.fromisoformat(contract["cover_began"]):
        return
    rule = in_force(CANCELLATIONS[line(contract)], TODAY)
    animal = "our {animal} {animal_name}".format_map({"animal": "", "animal_name": "", **contract["details"]})
    words = {"{day}": long_day(day), "Our {animal}": sentence(animal), "{animal}": animal}
    says = tuple(_put(words, text) for text in GONE[line(contract)])
    yield _ending("nothing_left", says, holder, contract, day, "nothing_left_to_insure", rule.document)


def _put(words: dict[str, str], text: str) -> str:
    for name, word in words.items():
        text = text.replace(name, word)
    return text


def _after(holder: Holder, contract: Json, claim: Json) -> Iterator[Atom]:
    if contract.get("status", "active") != "active":
        return
    rule, days = in_force(CANCELLATIONS[line(contract)], TODAY), (TODAY - date.fromisoformat(claim["decided_on"])).days
    refers = {"contract": holder.contract_reference(contract), "claim": holder.claim_reference(claim)}
    looks = see(contract, claim)
    if rule.after_claim is not None and days <= rule.after_claim:
        yield _ending(
            "after_claim",
            AFTER,
            holder,
            contract,
            TODAY,
            "after_claim",
            rule.document,
            refers=refers,
            looks=looks,
            touches=(claim["claim_id"],),
        )
        return
    gone = [["no longer", "right"]] if rule.after_claim is not None else ["no such right"]
    yield refusal(
        "after_claim_refused",
        AFTER,
        looks,
        ("cancel_contract", {"contract_id": contract["contract_id"]}),
        [
            *gone,
            "has passed",
            "have passed",
            "too late",
            "expired",
            "lapsed",
            "run out",
            ["deadline", "ended"],
            "no right",
            ["does not give", "right"],
            ["doesn't give", "right"],
            *(["claim", word] for word in ("more than", "over", "cannot", "no longer", *REFUSES)),
        ],
        [rule.document],
        about="the end of {contract}",
        refers=refers,
        touches=frozenset({contract["contract_id"], claim["claim_id"]}),
        manner=(
            "If the claim gives you no right to leave {contract} at once, you keep it and do not give ordinary notice.",
        ),
    )


def _revocations(holder: Holder, contract: Json, concluded: date) -> Iterator[Atom]:
    if contract.get("claim_ids") or (line(contract) == "travel" and contract["details"]):
        return
    days = (TODAY - concluded).days
    if days <= REVOCATION_DAYS[-1][2]:
        began = date.fromisoformat(contract["cover_began"])
        yield _ending("revocation", REVOKE, holder, contract, began, "revocation", REVOCATION)
        return
    yield refusal(
        "revocation_refused",
        REVOKE,
        see(contract),
        ("cancel_contract", {"contract_id": contract["contract_id"]}),
        [
            ["14", "days", "passed"],
            ["14", "days", "expired"],
            ["14", "days", "over"],
            ["14", "days", "ended"],
            ["more than 14 days"],
            *(["14", "days", f"{run} out"] for run in ("run", "ran")),
            *(["fourteen", "days", end] for end in ("passed", "expired", "over", "ended", "run out", "ran out")),
            ["14-day"],
            ["too late"],
            ["no longer", "revo"],
            *because("14"),
        ],
        [REVOCATION],
        about="{contract}",
        refers={"contract": holder.contract_reference(contract)},
        touches=frozenset({contract["contract_id"]}),
        manner=("If {contract} cannot be revoked, you keep it and do not give ordinary notice.",),
    )
