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
    Case,
    ClaimsSheet,
    Decision,
    Edition,
    Practice,
    decide,
    edition_day,
    in_force,
    line_of,
    products_of,
    relieved,
)
from .servicing import SHEETS

PRODUCT_IDS = {name: product for product, name in PRODUCTS.items()}


@dataclass(frozen=True)
class Verdict:
    """A decision with the documents that it rests on."""

    decision: Decision
    edition: Edition
    sheet: ClaimsSheet


@dataclass(frozen=True)
class Mistake:
    """A decision by way of a wrong document: ``kind`` is "stale", "neighbour" or "unread", for a missed bulletin."""

    kind: str
    document: str
    decision: Decision


def case_of(contract: Mapping[str, Any], claim: Mapping[str, Any], postcode: str) -> tuple[Case, Verdict]:
    """A claim as it stands in the books, of a customer with this post code, and what is right."""
    product = PRODUCT_IDS[contract["product"]]
    case = Case(
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
    case = relieved(case)
    edition = in_force(EDITIONS[product], edition_day(case))
    sheet = in_force(SHEETS[line_of(product)], TODAY)
    return case, Verdict(decide(case, edition, sheet), edition, sheet)


def wrong_decisions(case: Case, right: Decision) -> list[Mistake]:
    """What wrong documents lead to, where that is something else."""
    return [mistake for mistake in _mistakes(case) if mistake.decision != right]


def _mistakes(case: Case) -> Iterator[Mistake]:
    line = line_of(case.product)
    edition, sheet = in_force(EDITIONS[case.product], edition_day(case)), in_force(SHEETS[line], TODAY)
    for other in EDITIONS[case.product]:
        if other != edition:
            yield Mistake("stale", other.document, decide(case, other, sheet))
    for old in SHEETS[line]:
        if old != sheet:
            yield Mistake("stale", old.document, decide(case, edition, old))
    plain = replace(case, waived=False, grace=0, lifted=())
    if plain != case:
        yield Mistake("unread", "bulletin", decide(plain, edition, sheet))
    practice = Practice(limit_first=True)
    yield Mistake("stale", "instruction-settlement-2022-01", decide(case, edition, sheet, practice=practice))
    for product in products_of(line):
        if product != case.product:
            neighbour = in_force(EDITIONS[product], edition_day(case))
            yield Mistake("neighbour", neighbour.document, decide(replace(case, product=product), neighbour, sheet))


def _day(value: Any) -> date:
    return value if isinstance(value, date) else date.fromisoformat(value)
