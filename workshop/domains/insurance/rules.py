"""The rules of the insurer: what its documents say, as data types and functions.

Documents are written from these types and the gold of tasks is worked out with them, so that the two agree. Nothing
here is seen by an agent, who has the documents. Money is in euros, dates are days.

Which edition of a document holds for a case:
- the terms of a product: the edition in force on the first day of the insurance period in which the event falls. Trip
  Single: on the day on which the contract was concluded. Paws products: on the day on which the cover began, for life.
- everything that says how we work (claims sheets, cancellation, tariffs, work instructions): the edition of today.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, Protocol, TypeVar

TODAY = date(2026, 3, 16)
Facts = Mapping[str, Any]
Ground = Literal["not_insured", "waiting_period", "condition_not_met", "below_deductible"]
LINES = {
    "home": "Household",
    "motor": "Motor",
    "travel": "Travel",
    "pet": "Pets",
    "cycle": "Bicycles",
    "gadget": "Devices",
}
PRODUCTS = {
    "home-basic": "Home Basic",
    "home-comfort": "Home Comfort",
    "home-plus": "Home Plus",
    "drive-liability": "Drive Liability",
    "drive-partial": "Drive Partial",
    "drive-full": "Drive Full",
    "trip-single": "Trip Single",
    "trip-annual": "Trip Annual",
    "trip-family": "Trip Family",
    "paws-surgery": "Paws Surgery",
    "paws-care": "Paws Care",
    "paws-care-plus": "Paws Care Plus",
    "cycle-city": "Cycle City",
    "cycle-electric": "Cycle Electric",
    "gadget-basic": "Gadget Basic",
    "gadget-plus": "Gadget Plus",
}
_LINE_OF = {"home": "home", "drive": "motor", "trip": "travel", "paws": "pet", "cycle": "cycle", "gadget": "gadget"}


def line_of(product: str) -> str:
    """The line of business of a product."""
    return _LINE_OF[product.partition("-")[0]]


def products_of(line: str) -> list[str]:
    """The products of a line: each other's neighbours."""
    return [product for product in PRODUCTS if line_of(product) == line]


class Dated(Protocol):
    """Something with a first day and perhaps a last."""

    @property
    def start(self) -> date:
        """The first day on which it is in force."""

    @property
    def end(self) -> date | None:
        """The last day, or None while it is in force."""


D = TypeVar("D", bound=Dated)


def in_force(editions: Sequence[D], day: date) -> D:
    """The edition in force on a day; raises LookupError where there is none."""
    for edition in editions:
        if edition.start <= day and (edition.end is None or day <= edition.end):
            return edition
    raise LookupError(f"no edition is in force on {day}")


@dataclass(frozen=True)
class Requirement:
    """A condition of a cover on one fact of a claim; exactly one of the four bounds is set."""

    fact: str
    equals: bool | None = None
    at_least: int | None = None
    at_most: int | None = None
    among: tuple[str, ...] = ()

    def is_met(self, facts: Facts) -> bool:
        """Whether a claim with these facts fulfils it."""
        value = facts[self.fact]
        if self.equals is not None:
            return bool(value == self.equals)
        if self.at_least is not None:
            return bool(value >= self.at_least)
        if self.at_most is not None:
            return bool(value <= self.at_most)
        return value in self.among


@dataclass(frozen=True)
class Cover:
    """What one peril is insured for.

    ``deductible``: None for the edition's general one. ``percent``: the deductible is this share of the loss, and at
    least ``deductible``. ``share``: the part of the loss that counts, in percent. ``limit``: for a claim, or with
    ``yearly`` for an insurance year. ``limit_percent``: the limit as a share of the sum insured. ``waiting``: months
    from the beginning of the cover in which nothing is insured.
    """

    peril: str
    deductible: int | None = None
    percent: int = 0
    share: int = 100
    limit: int | None = None
    limit_percent: int | None = None
    yearly: bool = False
    waiting: int = 0
    requires: tuple[Requirement, ...] = ()


@dataclass(frozen=True)
class Edition:
    """The terms of a product as they held from ``start`` to ``end``."""

    product: str
    start: date
    end: date | None
    deductible: int
    covers: tuple[Cover, ...]

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"{self.product}-terms-{self.start:%Y-%m}"

    def cover(self, peril: str) -> Cover | None:
        """The cover of a peril; None if it is not insured."""
        return next((cover for cover in self.covers if cover.peril == peril), None)


@dataclass(frozen=True)
class ClaimsSheet:
    """How the claims of a line are handled: ``late`` is what is taken off, in percent, after ``deadline`` days.

    ``evidence``: what has to be there, by peril. ``adjuster_from``: the loss from which an adjuster is sent.
    """

    line: str
    start: date
    end: date | None
    deadline: int
    late: int
    evidence: Mapping[str, tuple[str, ...]]
    adjuster_from: int | None = None

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"{self.line}-claims-{self.start:%Y-%m}"


@dataclass(frozen=True)
class ClaimCase:
    """A claim with what the contract says about it.

    ``waived``, ``grace``, ``lifted``: what bulletins grant it, see :func:`with_relief`: no deductible, days on top of
    the deadline, and the facts whose condition is set aside.
    """

    product: str
    concluded: date
    begun: date
    peril: str
    event: date
    reported: date
    loss: float
    facts: Facts
    evidence: tuple[str, ...]
    sum_insured: int | None = None
    paid_this_year: float = 0.0
    postcode: str = ""
    waived: bool = False
    grace: int = 0
    lifted: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimDecision:
    """What becomes of a claim: exactly one of the four."""

    settle: float | None = None
    reject: Ground | None = None
    missing: tuple[str, ...] = ()
    adjuster: bool = False

    @property
    def kind(self) -> str:
        """``settled``, ``papers``, ``adjuster`` or the ground of a rejection."""
        if self.settle is not None:
            return "settled"
        return self.reject or ("adjuster" if self.adjuster else "papers")


@dataclass(frozen=True)
class Practice:
    """How a claim is worked out: the present way, and what the replaced instructions said.

    ``limit_first``: cap the loss before the deductible, as it was until 2024.
    """

    limit_first: bool = False


def plus_months(day: date, months: int) -> date:
    """The same day some months later, or the last of that month."""
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def period_of(begun: date, event: date) -> date:
    """The first day of the insurance year in which an event falls."""
    years = event.year - begun.year
    start = plus_months(begun, 12 * years)
    return start if start <= event else plus_months(begun, 12 * (years - 1))


def edition_day(case: ClaimCase) -> date:
    """The day whose edition of the terms holds for a case."""
    if case.product == "trip-single":
        return case.concluded
    if line_of(case.product) == "pet":
        return case.begun
    return period_of(case.begun, case.event)


def decide(case: ClaimCase, edition: Edition, sheet: ClaimsSheet, *, practice: Practice | None = None) -> ClaimDecision:
    """What becomes of a claim, in the order of the work instruction: cover, waiting, conditions, evidence, amount."""
    cover = edition.cover(case.peril)
    if cover is None:
        return ClaimDecision(reject="not_insured")
    if case.event < plus_months(case.begun, cover.waiting):
        return ClaimDecision(reject="waiting_period")
    if not all(one.fact in case.lifted or one.is_met(case.facts) for one in cover.requires):
        return ClaimDecision(reject="condition_not_met")
    missing = tuple(sorted(set(sheet.evidence.get(case.peril, ())) - set(case.evidence)))
    if missing:
        return ClaimDecision(missing=missing)
    if sheet.adjuster_from is not None and case.loss >= sheet.adjuster_from:
        return ClaimDecision(adjuster=True)
    amount = settlement(case, edition, cover, practice or Practice())
    if amount <= 0:
        return ClaimDecision(reject="below_deductible")
    if (case.reported - case.event).days > sheet.deadline + case.grace:
        amount = amount * (100 - sheet.late) / 100
    return ClaimDecision(settle=round(amount, 2))


def with_relief(case: ClaimCase) -> ClaimCase:
    """The case with what the bulletins that are in force today grant it."""
    waived = (
        case.peril == "storm"
        and case.product in ("home-comfort", "home-plus")
        and date(2026, 2, 10) <= case.event <= date(2026, 2, 13)
        and case.postcode[:2] in ("41", "42", "44")
    )
    frost = (
        case.peril == "escape_of_water"
        and case.product in ("home-basic", "home-comfort")
        and date(2026, 1, 6) <= case.event <= date(2026, 1, 14)
    )
    strike = date(2026, 2, 2) <= case.event <= date(2026, 2, 27)
    lifted = ("days_unoccupied",) if frost else ()
    return replace(case, waived=waived, grace=12 if strike else 0, lifted=lifted)


def settlement(case: ClaimCase, edition: Edition, cover: Cover, practice: Practice) -> float:
    """The loss that counts, less the deductible, capped at the limit."""
    deductible = float(edition.deductible if cover.deductible is None else cover.deductible)
    if cover.percent:
        deductible = max(deductible, case.loss * cover.percent / 100)
    if case.waived:
        deductible = 0.0
    limit = float("inf") if cover.limit is None else float(cover.limit)
    if cover.limit_percent is not None:
        limit = (case.sum_insured or 0) * cover.limit_percent / 100
    if cover.yearly:
        limit = max(0.0, limit - case.paid_this_year)
    counted = case.loss * cover.share / 100
    if practice.limit_first:
        return min(counted, limit) - deductible
    return min(counted - deductible, limit)
