"""Wishes about claims: decide it, in each of the ways in which that can end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_tau.schema.checks import Reason
from tau_workshop.compose import Atom, look_up, phrases_of

from ..cases import case_of, wrong_decisions
from ..procedures import CURRENT, FIRMS
from ..rules import ClaimCase, Cover
from .asking import Holder, Json, grant, line, see

say = phrases_of(__file__)
SETTLEMENT, DECIDING = "instruction-settlement-2024-06", "instruction-deciding-claims-2025-01"
IRMA, FROST, STRIKE = "bulletin-2026-02-storm-irma", "bulletin-2026-01-frost", "bulletin-2026-03-post"


def of_claims(holder: Holder) -> Iterator[Atom]:
    """Every open claim that a wrong document would decide otherwise."""
    for claim in holder.claims:
        contract = holder.contract_of(claim)
        if claim.get("status", "open") != "open" or contract.get("status", "active") in ("lapsed", "cancelled"):
            continue
        case, verdict = case_of(contract, claim, holder.customer["postcode"])
        if wrong_decisions(case, verdict.decision):
            yield _decision(holder, contract, claim)


def _decision(holder: Holder, contract: Json, claim: Json) -> Atom:
    case, verdict = case_of(contract, claim, holder.customer["postcode"])
    decision, cover = verdict.decision, verdict.edition.cover(case.peril)
    claim_id = claim["claim_id"]
    documents = [verdict.edition.document]
    more: dict[str, Any] = {
        **say("claim"),
        "refers": {"claim": holder.claim_reference(claim)},
        "touches": _touches(contract, claim),
        "rank": 10,
    }
    looks = see(contract, claim)
    if decision.settle is not None and cover is not None:
        acts = [look_up("settle_claim", claim_id=claim_id, amount=decision.settle)]
        documents += [SETTLEMENT, verdict.sheet.document]
        if waived := _waives(case, verdict.edition.deductible, cover):
            procedure = CURRENT["waive_deductible"]
            acts.insert(
                0,
                look_up(
                    "run_procedure",
                    procedure=procedure.name,
                    authorisation_code=procedure.code,
                    details={"claim_id": claim_id},
                ),
            )
            documents += [IRMA, procedure.document]
        documents += _bulletins(case, verdict.sheet.deadline)
        more["facts"] = (f"{decision.settle:.2f}",)
        intent = "claim_waived" if waived else f"claim_{line(contract)}"
        return grant(intent, looks, acts, documents, **more)
    if decision.reject is not None:
        acts = [look_up("reject_claim", claim_id=claim_id, ground=decision.reject)]
        more["checks"] = (Reason(check="reason", any_of=_why(case, decision.reject, cover)),)
        documents += [DECIDING] + ([SETTLEMENT] if decision.reject == "below_deductible" else [])
        return grant(f"claim_{decision.reject}", looks, acts, documents, **more)
    documents += [verdict.sheet.document]
    if decision.missing:
        acts = [look_up("request_evidence", claim_id=claim_id, papers=list(decision.missing))]
        return grant("claim_papers", looks, acts, documents, **more)
    procedure, firm = CURRENT["send_adjuster"], FIRMS[holder.customer["postcode"][0]]
    acts = [
        look_up(
            "run_procedure",
            procedure=procedure.name,
            authorisation_code=procedure.code,
            details={"claim_id": claim_id, "firm": firm},
        )
    ]
    more["facts"] = (firm,)
    return grant("claim_adjuster", looks, acts, [*documents, procedure.document], **more)


def _touches(contract: Json, claim: Json) -> frozenset[str]:
    """At home, bulletins and adjusters go by where the customer lives, so nobody moves in the same task."""
    lives = {contract["customer_id"]} if line(contract) == "home" else set()
    return frozenset({claim["claim_id"], contract["contract_id"], *lives})


def _waives(case: ClaimCase, general: int, cover: Cover) -> bool:
    return case.waived and bool((general if cover.deductible is None else cover.deductible) or cover.percent)


def _bulletins(case: ClaimCase, deadline: int) -> list[str]:
    """Bulletins without which the claim would be decided otherwise, but for the one on the storm."""
    late = (case.reported - case.event).days
    return [FROST] * bool(case.lifted) + [STRIKE] * (case.grace > 0 and late > deadline)


def _why(case: ClaimCase, ground: str, cover: Cover | None) -> list[str | list[str]]:
    if ground == "condition_not_met" and cover is not None:
        failed = [one for one in cover.requires if not one.is_met(case.facts)]
        return list(dict.fromkeys(phrase for one in failed for phrase in say(f"facts.{one.fact}")))
    return list(say(f"grounds.{ground if ground in ('waiting_period', 'below_deductible') else 'not_insured'}"))
