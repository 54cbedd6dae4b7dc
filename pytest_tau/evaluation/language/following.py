"""What follows from what was told: amounts from others, as a share or with a tax, and days so far from others.

An amount may have been told as any number. What is added up, multiplied or shared out has to be money: of hundreds of
numbers of all kinds (quantities, years, parts of an address) some two or three add up to nearly everything.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import combinations, islice, product

from ...patterns import lazy
from .days import LEAP_YEAR, days_in
from .terms.money import money_in
from .text import NUMBER_WORDS

_AMOUNT = lazy(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
# Besides what has a sign of money: numbers with a part after the point, and those of a field that is named like money.
# Both are bounded, as nobody pays more: a model may repeat "1,1,1,…" or "priceprice…" without end.
_DECIMAL = lazy(r"(?<![\w.])\d[\d,]{0,8}\.\d\d?(?![\w.])")
_MONEY_FIELD = lazy(
    r"(?:price|amount|cost|fee|balance|total|charge|refund|paid|credit|due|deductible|premium|limit|sum|saving|discount"
    r"|fare|economy|business|deposit|bill|payment|payout|invoice|salary|wage|income|bonus|penalty|budget|tax|usd|eur)"
    r"\w{0,40}(?<!_id)['\"]: ?['\"]?-?(\d[\d,]*)(?![\w.-])",
    re.IGNORECASE,
)
_ABOUT = lazy(
    r"(?:\b(?:about|around|roughly|approx\w*\.?|nearly|almost|circa|ca\.|close to"
    r"|(?:just|an? (?:bit|little)) (?:over|under)) |[~≈] ?)"
    r"(?:(?:usd|eur) )?[$€£]?\d|\d or so\b",
    re.IGNORECASE,
)
_RATE = lazy(
    r"(\d{1,2}(?:\.\d{1,3})?) ?(?:%|per ?cent)"
    r"|(?:percent\w{0,40}|rate|pct|tax|vat|discount)['\"]?: ?(\d{1,2}(?:\.\d{1,4})?)\b",
    re.IGNORECASE,
)
_COUNTED = {word: number for number, word in enumerate(NUMBER_WORDS[1:], start=2)} | {
    "a couple of": 2,
    "half": 2,
    "dozen": 12,
}
_COUNT = lazy(
    rf"(?<![\w.,$€£#-])(\d{{1,2}}|36[56]|\d{{3}}(?= days?\b)|{'|'.join(_COUNTED)})(?![\w%]|[.,:]\d|-\d)", re.IGNORECASE
)
_PERIOD = (
    (lazy(r"\b(?:years?|yearly|annual\w*|per annum)\b", re.IGNORECASE), (12, 365, 52)),
    (lazy(r"\b(?:days?|daily)\b", re.IGNORECASE), (30, 31)),
    (lazy(r"\b(?:weeks?|weekly)\b", re.IGNORECASE), (7, 52)),
)
_TIMES = tuple(range(2, 10))
_EXACT = 0.006
_MOST, _FEW, _COUNTS = 192, 48, 8
_MOST_TOLD = 60
_LARGEST = 1e9  # nobody pays more
_PER_THOUSAND = 20.0  # nor more for each thousand
_OF_A_THOUSAND = lazy(r"\b(?:per|each|every|for) [$€£]?1,?000\b|‰|\bper mille\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def numbers_in(text: str) -> tuple[float, ...]:
    """The numbers of a text that may be amounts."""
    return tuple({round(float(one.replace(",", "")), 2) for one in _AMOUNT.findall(text) if len(one) < 12})


@lru_cache(maxsize=512)
def _money_told(text: str) -> frozenset[float]:
    """The amounts of money of a text or a result."""
    written = (*_DECIMAL.findall(text), *_MONEY_FIELD.findall(text))
    return frozenset(round(float(one.replace(",", "")), 2) for one in written if len(one) < 12).union(money_in(text))


@lru_cache(maxsize=512)
def _rates_in(text: str) -> frozenset[float]:
    """The rates of a text, as shares of one: "19 %" is 0.19."""
    told = (float(one or other) for one, other in _RATE.findall(text))
    return frozenset(one / 100 if one >= 1 else one for one in told if one)


@lru_cache(maxsize=512)
def counts_in(text: str) -> tuple[int, ...]:
    """How many of something a text speaks of: "12 lamps", "twelve instalments", "a year" (of twelve months)."""
    told = (_number(one) for one in islice(_COUNT.findall(text), _COUNTS))
    periods = (number for pattern, numbers in _PERIOD if pattern.search(text) for number in numbers)
    return tuple(dict.fromkeys(one for one in (*told, *periods) if one > 1))


class Numbers:
    """The numbers that were told so far, in texts that are read when an amount is asked for, as few are."""

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._known: set[float] = set()
        self._known_money: set[float] = set()
        self._rates: set[float] = set()
        self._per_thousand = False
        self._all: list[float] = []
        self._money: list[float] = []
        self._largest: list[float] = []

    def add(self, text: str) -> None:
        """Take note of a text."""
        self._unread.append(text)

    def unknown(self, amounts: Iterable[float], beside: str) -> Iterator[float]:
        """The amounts of a sentence that do not follow; ``beside``: the sentence and what it answers."""
        shown: list[float] = []
        left: list[float] = []
        for amount in sorted(islice({one for one in amounts if 1 <= one < _LARGEST}, _MOST_TOLD)):
            follows = self.gives(amount, beside) or _adds_up(amount, shown[-4:], counts_in(beside)[:4])
            (shown if follows else left).append(amount)
        for amount in reversed(left):
            if any(self._is_beside(amount, other, beside) for other in shown):
                shown.append(amount)
            else:
                yield amount

    def _is_beside(self, amount: float, other: float, beside: str) -> bool:
        """Whether two amounts of a sentence make a known one: "€676, so €182 more", "€75 a year, €6.25 a month"."""
        if self._is_money(abs(other - amount), _EXACT) or self._is_money(other + amount, _EXACT):
            return True
        return any(abs(amount * count - other) <= _EXACT * count for count in counts_in(beside))

    def gives(self, amount: float, beside: str = "") -> bool:
        """Whether an amount was told, or is the sum, difference, product or share of others, or theirs by a rate."""
        self._read()
        if _is_among(self._all, amount, _EXACT):
            return True
        near = nearness(amount, beside)
        if _is_among(self._all, amount, near) or self._sums(amount, near):
            return True
        counts = counts_in(beside)
        times = (*_TIMES, *counts)
        if any(self._is_money(amount / one, near / one) or self._is_money(amount * one, _EXACT * one) for one in times):
            return True
        if self._by_rate(amount, near) or any(self._by_count(amount, near, one, counts) for one in counts):
            return True
        return self._per_thousand and any(
            self._is_money(amount / one * 1000, near / one * 1000) for one in self._largest if one < _PER_THOUSAND
        )

    def _by_rate(self, amount: float, near: float) -> bool:
        return any(
            self._is_money(amount / part, near / part)
            for rate in islice(sorted(self._rates), 24)
            for part in (rate, 1 + rate, 1 - rate)
        )

    def _by_count(self, amount: float, near: float, count: int, counts: Iterable[int]) -> bool:
        """Whether it is so many of a share, as two of three nights are, or of a sum, or so many and another."""
        if self._sums(amount * count, _EXACT * count) or self._by_rate(amount * count, _EXACT * count):
            return True
        return any(self._is_money(amount / count * times, near * times) for times in (*_TIMES, *counts)) or any(
            self._is_money(amount - count * one, near) for one in self._largest[:_FEW]
        )

    def _sums(self, amount: float, near: float) -> bool:
        """Whether it is one amount, or a sum or a difference of two or three."""
        return self._sum_of_two(amount, near) or any(
            self._is_money(amount - one - other, near)
            or self._is_money(abs(amount + one - other), near)
            or self._is_money(amount + one + other, near)
            for one, other in combinations(self._largest[:_FEW], 2)
        )

    def _sum_of_two(self, amount: float, near: float) -> bool:
        return self._is_money(amount, near) or any(
            self._is_money(amount - one, near) or self._is_money(amount + one, near) for one in self._largest
        )

    def _is_money(self, amount: float, near: float) -> bool:
        return _is_among(self._money, amount, near)

    def _read(self) -> None:
        if not self._unread:
            return
        for text in self._unread:
            self._known.update(numbers_in(text))
            self._known_money.update(_money_told(text))
            self._rates.update(_rates_in(text))
            self._per_thousand = self._per_thousand or _OF_A_THOUSAND.search(text) is not None
        self._unread.clear()
        self._all, self._money = sorted(self._known), sorted(self._known_money)
        self._largest = [one for one in reversed(self._money) if 1 <= one < 100_000][:_MOST]


def _is_among(numbers: list[float], amount: float, near: float) -> bool:
    """Whether one of these, in order, is as near as that; a whole one may be rounded."""
    near = max(near, 0.499) if amount == int(amount) else near
    at = bisect_left(numbers, amount - near)
    return at < len(numbers) and numbers[at] <= amount + near


def nearness(amount: float, beside: str) -> float:
    """How far an amount may be from the exact one; ``beside``: its sentence, which may say that it is rounded."""
    if not _ABOUT.search(beside):
        return _EXACT
    whole, tens = amount == int(amount), amount % 10 == 0
    if amount >= 1000 and amount % 100 == 0:
        return 50.0
    return (5.0 if amount >= 100 else 1.0) if tens else 0.5 if whole else 0.05


def _adds_up(amount: float, parts: list[float], counts: tuple[int, ...]) -> bool:
    """Whether a sentence adds up to it: "2 bags at $50, and $90 for the insurance, are $190"."""
    ways = product((0, 1, *counts), repeat=len(parts)) if parts else ()
    return any(abs(sum(n * one for n, one in zip(way, parts, strict=True)) - amount) < 0.006 for way in ways)


# --- days ----------------------------------------------------------------------------------------------------------

_NUMBER = rf"\d{{1,3}}|{'|'.join(_COUNTED)}|an?|one|next|the following|every|each|per"
_SPAN = lazy(
    rf"(?<![\w.])({_NUMBER})(?:(?: ?[-–] ?| to | or )({_NUMBER}))?[ -](business |working |calendar |full )?"
    r"(hour|day|night|week|fortnight|month|year)s?\b",
    re.IGNORECASE,
)
_FIELD = lazy(r"(day|night|week|month|year)s?['\"]: ?(\d{1,3})\b", re.IGNORECASE)
_ORDINAL = lazy(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_NUMERIC = lazy(r"(?<![\d./])(\d{1,2})(?:/(\d{1,2})(?:/\d{2,4})?|\.(\d{1,2})\.(?:\d{2,4})?)(?![\d/])")
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?|weekends?"
_BY_WEEKDAY = lazy(
    rf"\b(?:next|following|this|coming|upcoming|after|before|previous|last|closest|nearest)\b[^.?!\n]{{0,12}}\b(?:{_WEEKDAY})\b"
    rf"|\b(?:{_WEEKDAY}),? (?:after|before|following|of that week)\b",
    re.IGNORECASE,
)
_BESIDE_ANOTHER = lazy(
    r"\b(?:tomorrow|yesterday|(?:next|previous) day|day (?:after|before|earlier|later))\b", re.IGNORECASE
)
_OF_DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14}


class Days:
    """The days that were told so far, and how many days; texts are read when a day is asked for."""

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._days: set[date] = set()
        self._spans: set[int] = set()
        self._ordinals: set[int] = set()
        self._goes_by_another = False

    def add(self, text: str) -> None:
        """Take note of a text."""
        self._unread.append(text)

    def gives(self, day: date, beside: str = "") -> bool:
        """Whether a day was told, or is its neighbour, or so many days away, or so many months that ``beside`` names.

        Days have no year here: a week after 28 December is 4 January.
        """
        self._read()
        spans, months = self._spans | _spans_in(beside), _months_in(beside)
        near = _nearness_of_days(beside)
        return any(
            min(apart := _apart(day, one)) <= near
            or not spans.isdisjoint(apart)
            or _is_months_away(day, one, months)
            or (day.day in self._ordinals and min(apart) <= 31)
            or (_ends_a_month(day) and day.month == one.month and "month" in beside)
            for one in self._days
        )

    def has(self, day: date) -> bool:
        """Whether a day itself was told, by its number alone perhaps ("the 9th"), or as the day beside another."""
        self._read()
        apart = {min(_apart(day, one)) for one in self._days}
        by_number = day.day in self._ordinals and min(apart, default=32) <= 31
        return day in self._days or (self._goes_by_another and 1 in apart) or by_number

    def _read(self) -> None:
        for text in self._unread:
            lower = text.lower()
            if not self._goes_by_another and ("day" in lower or "tomorrow" in lower):
                self._goes_by_another = _BESIDE_ANOTHER.search(text) is not None
            self._days.update(days_in(text), _numeric_days_in(text))
            self._spans.update(_spans_in(text))
            self._ordinals.update(int(one) for one in _ORDINAL.findall(text))
        self._unread.clear()


@lru_cache(maxsize=512)
def _nearness_of_days(beside: str) -> int:
    """How many days apart a day may be from one that was told: more where it goes by a weekday."""
    return 14 if _BY_WEEKDAY.search(beside) else 1


def _apart(day: date, other: date) -> set[int]:
    """How many days two days are apart, in the same year or not, in a leap year or not."""
    first, last = sorted((day, other))
    apart, leaps = (last - first).days, first <= date(LEAP_YEAR, 2, 29) <= last
    return {apart, apart - leaps, 366 - apart, 366 - apart - (not leaps)}


def _ends_a_month(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


def _is_months_away(day: date, one: date, months: frozenset[int]) -> bool:
    """Whether a day is so many months from another: the same one there, or the month's first or last."""
    apart = (day.month - one.month) % 12
    if not apart or months.isdisjoint((apart, 12 - apart)):
        return False
    return abs(day.day - one.day) <= 1 or day.day in (1, 28, 29, 30, 31)


def _numeric_days_in(text: str) -> Iterator[date]:
    """The days of a text in numbers, both ways round: 05/20/2024, 20.5."""
    for first, second, third in _NUMERIC.findall(text):
        for month, day in ((first, second or third), (second or third, first)):
            try:
                yield date(LEAP_YEAR, int(month), int(day))
            except ValueError:
                continue


@lru_cache(maxsize=512)
def _spans_in(text: str) -> frozenset[int]:
    """How many days a text speaks of, in days, weeks or business days, beyond one."""
    found, lower = set[int](), text.lower()
    if not any(unit in lower for unit in _OF_DAYS) and "hour" not in lower:
        return frozenset()  # as nearly all texts, which the patterns would take forty times as long to tell
    for first, last, kind, unit in _SPAN.findall(text):
        factor, begin = _OF_DAYS.get(unit.casefold(), 0), _number(first)
        end = max(begin, _number(last)) if last else begin
        if unit.casefold() == "hour":
            found |= {begin // 24, end // 24}
        elif kind.strip().casefold() in ("business", "working"):
            found.update(range(begin, end + 2 * (end // 5 + 1) + 1))
        else:
            found.update(factor * one for one in range(begin, min(end, begin + 31) + 1))
    found |= {_OF_DAYS[unit.casefold()] * int(one) for unit, one in _FIELD.findall(text) if unit.casefold() in _OF_DAYS}
    return frozenset(one for one in found if one > 1)


@lru_cache(maxsize=512)
def _months_in(text: str) -> frozenset[int]:
    """How many months a text speaks of."""
    told = [(first, unit) for first, _, _, unit in _SPAN.findall(text)]
    told += [(last, unit) for _, last, _, unit in _SPAN.findall(text) if last]
    told += [(number, unit) for unit, number in _FIELD.findall(text)]
    found = {_number(number) % 12 for number, unit in told if unit.casefold() == "month"}
    return frozenset(found | ({1} if re.search(r"\bmonthly\b", text, re.IGNORECASE) else set()))


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _COUNTED.get(word.casefold(), 1)
