"""Claims of the books as cases of the rules: how each is rightly decided, and how by way of a wrong document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from .products import EDITIONS
from .rules import (
    PRODUCTS,
    TODAY,
    ClaimCase,
    ClaimDecision,
    ClaimsSheet,
    Edition,
    Practice,
    decide,
    edition_day,
    in_force,
    line_of,
    products_of,
    with_relief,
)
from .servicing import SHEETS

PRODUCT_IDS = {name: product for product, name in PRODUCTS.items()}


@dataclass(frozen=True)
class DocumentedDecision:
    """A decision with the documents that it rests on."""

    decision: ClaimDecision
    edition: Edition
    sheet: ClaimsSheet


@dataclass(frozen=True)
class MistakenDecision:
    """A decision by way of a wrong document: ``kind`` is "stale", "neighbour" or "unread", for a missed bulletin."""

    kind: str
    document: str
    decision: ClaimDecision


def case_of(
    contract: Mapping[str, Any], claim: Mapping[str, Any], postcode: str
) -> tuple[ClaimCase, DocumentedDecision]:
    """A claim as it stands in the books, of a customer with this post code, and what is right."""
    product = PRODUCT_IDS[contract["product"]]
    case = ClaimCase(
        product=product,
        concluded=_day(contract["concluded"]),
        begun=_day(contract["cover_began"]),
        peril=claim["event"],
        event=_day(claim["event_date"]),
        reported=_day(claim["reported_on"]),
        loss=claim["loss"],
        facts=claim["facts"],
        evidence=tuple(claim["papers"]),
        sum_insured=contract.get("sum_insured"),
        paid_this_year=(contract.get("paid_this_year") or {}).get(claim["event"], 0.0),
        postcode=postcode,
    )
    case = with_relief(case)
    edition = in_force(EDITIONS[product], edition_day(case))
    sheet = in_force(SHEETS[line_of(product)], TODAY)
    return case, DocumentedDecision(decide(case, edition, sheet), edition, sheet)


def wrong_decisions(case: ClaimCase, right: ClaimDecision) -> list[MistakenDecision]:
    """What wrong documents lead to, where that is something else."""
    return [mistake for mistake in _mistakes(case) if mistake.decision != right]


def _mistakes(case: ClaimCase) -> Iterator[MistakenDecision]:
    line = line_of(case.product)
    edition, sheet = in_force(EDITIONS[case.product], edition_day(case)), in_force(SHEETS[line], TODAY)
    for other in EDITIONS[case.product]:
        if other != edition:
            yield MistakenDecision("stale", other.document, decide(case, other, sheet))
    for old in SHEETS[line]:
        if old != sheet:
            yield MistakenDecision("stale", old.document, decide(case, edition, old))
    plain = replace(case, waived=False, grace=0, lifted=())
    if plain != case:
        yield MistakenDecision("unread", "bulletin", decide(plain, edition, sheet))
    practice = Practice(limit_first=True)
    yield MistakenDecision("stale", "instruction-settlement-2022-01", decide(case, edition, sheet, practice=practice))
    for product in products_of(line):
        if product != case.product:
            neighbour = in_force(EDITIONS[product], edition_day(case))
            yield MistakenDecision(
                "neighbour", neighbour.document, decide(replace(case, product=product), neighbour, sheet)
            )


def _day(value: Any) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value)
