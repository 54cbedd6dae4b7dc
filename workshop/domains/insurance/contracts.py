"""What becomes of contracts while they last: how they end, what can be added, what they cost."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from .rules import TODAY, Facts, plus_months


@dataclass(frozen=True)
class CancellationRule:
    """How a customer ends contracts of a line by ordinary notice.

    ``to``: the day on which a contract may end. ``bound``: months from its beginning before which it cannot end.
    ``after_claim``: days after a settlement in which it may be ended at once; None where there is no such right.
    """

    line: str
    start: date
    end: date | None
    notice_days: int
    to: Literal["period_end", "month_end", "any_day"]
    bound: int = 12
    after_claim: int | None = None

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"{self.line}-cancellation-{self.start:%Y-%m}"


def cancellation_day(rule: CancellationRule, begun: date, period_end: date, today: date = TODAY) -> date:
    """The first day on which a contract can end by ordinary notice given today."""
    earliest = today + timedelta(days=rule.notice_days)
    if rule.to == "period_end":
        day = period_end
        while day < earliest:
            day = plus_months(day + timedelta(days=1), 12) - timedelta(days=1)
        return day
    bound = plus_months(begun, rule.bound) - timedelta(days=1)
    earliest = max(earliest, bound)
    if rule.to == "any_day":
        return earliest
    return earliest.replace(day=calendar.monthrange(earliest.year, earliest.month)[1])


def refund(annual_premium: float, last_day: date, period_end: date) -> float:
    """What is given back of a premium paid for the year: the days after the last one, of 365."""
    return round(annual_premium * (period_end - last_day).days / 365, 2)


# -- endorsements and tariffs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Endorsement:
    """An extra that can be added to a contract: ``prices`` a year by product; who is not named cannot have it.

    ``begins``: the first day of its cover. ``needs``: a limit on a detail of the contract, as (detail, "at_most" or
    "at_least", number).
    """

    line: str
    slug: str
    title: str
    code: str
    start: date
    end: date | None
    prices: Mapping[str, int]
    begins: Literal["next_day", "next_month", "next_period"]
    needs: tuple[str, Literal["at_most", "at_least"], int] | None = None
    covers: str = ""

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"{self.line}-extra-{self.slug}-{self.start:%Y-%m}"

    def is_refused(self, product: str, details: Facts) -> bool:
        """Whether a contract cannot have it."""
        if product not in self.prices:
            return True
        if self.needs is None:
            return False
        detail, bound, number = self.needs
        return bool(details[detail] > number if bound == "at_most" else details[detail] < number)

    def first_day(self, period_end: date, today: date = TODAY) -> date:
        """When its cover begins if it is added today."""
        if self.begins == "next_day":
            return today + timedelta(days=1)
        if self.begins == "next_month":
            return plus_months(today.replace(day=1), 1)
        return period_end + timedelta(days=1)


@dataclass(frozen=True)
class InstalmentTariff:
    """What paying in parts costs: surcharges in percent, and the lines that are free of them."""

    start: date
    end: date | None
    surcharges: Mapping[str, int]
    free: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"tariff-instalments-{self.start:%Y-%m}"

    def instalment(self, line: str, annual_premium: float, interval: str) -> float:
        """One payment."""
        surcharge = 0 if line in self.free else self.surcharges.get(interval, 0)
        return round(annual_premium * (100 + surcharge) / 100 / PAYMENTS[interval] + 1e-9, 2)


PAYMENTS = {"yearly": 1, "half_yearly": 2, "quarterly": 4, "monthly": 12}


@dataclass(frozen=True)
class SumTariff:
    """The price of household contents a year, in euros for each 1,000 of the sum insured, by product and zone."""

    start: date
    end: date | None
    rates: Mapping[str, Mapping[str, float]]

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"tariff-home-sums-{self.start:%Y-%m}"

    def premium(self, product: str, zone: str, sum_insured: int) -> float:
        """The annual premium."""
        return round(self.rates[product][zone] * sum_insured / 1000, 2)


@dataclass(frozen=True)
class MileageTariff:
    """Motor premiums by distance: bands up to a number of kilometres, as percent of the contract's base premium."""

    start: date
    end: date | None
    bands: tuple[tuple[int, int], ...]
    above: int

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"tariff-motor-mileage-{self.start:%Y-%m}"

    def premium(self, base_premium: float, kilometres: int) -> float:
        """The annual premium."""
        percent = next((percent for top, percent in self.bands if kilometres <= top), self.above)
        return round(base_premium * percent / 100 + 1e-9, 2)
