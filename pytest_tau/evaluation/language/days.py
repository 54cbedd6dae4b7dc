"""Days in running text: 2024-05-18, May 18, 18 May, with a year or without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from ...patterns import lazy

MONTHS = (
    *("jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?", "aug(?:ust)?"),
    *("sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"),
)
"""The months in order, as patterns of their names, long and short."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""In the order of ``date.weekday()``."""

_SHORT_MONTHS = [month[:3] for month in MONTHS]
_MONTH = rf"({'|'.join(MONTHS)})\.?"
_DAY = r"([0-3]?\d)(?:st|nd|rd|th)?\b(?!\d|:|\.\d|,\d{3})"
LEAP_YEAR = 2024
"""The year of all days: they are compared without theirs, and February may have 29."""

_DIGIT = re.compile(r"\d")
ISO = lazy(r"\b\d{4}-(\d\d)-(\d\d)(?!\d)")
_MONTH_DAY = lazy(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}", re.IGNORECASE)
# "Option 1 may lead to …" names no day, "26 may for two" does.
_MAY_BE = r"(?-i:may (?!to\b|at\b|for\b|on\b|and\b|or\b|in\b|with\b|from\b|the\b|please\b|instead\b|is\b|was\b)[a-z])"
_DAY_MONTH = lazy(rf"\b{_DAY}\s+(?:of\s+)?(?!{_MAY_BE}){_MONTH}\b", re.IGNORECASE)
_WITH_YEAR = (
    lazy(r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"),
    lazy(rf"\b(?P<n>{_MONTH})\s+(?:the\s+)?(?P<d>[0-3]?\d)(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)\b", re.IGNORECASE),
    lazy(rf"\b(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<n>{_MONTH}),?\s+(?P<y>(?:19|20)\d\d)\b", re.IGNORECASE),
)


@lru_cache(maxsize=4096)
def days_in(text: str) -> tuple[date, ...]:
    """The days that a text names, all in one year."""
    return tuple(_days(text)) if _DIGIT.search(text) else ()


def _days(text: str) -> Iterator[date]:
    pairs = [(int(month), int(day)) for month, day in ISO.findall(text)]
    lower = text.lower()
    if any(month in lower for month in _SHORT_MONTHS):  # few texts that have numbers name one
        pairs += [(_SHORT_MONTHS.index(month[:3].casefold()) + 1, int(day)) for month, day in _MONTH_DAY.findall(text)]
        pairs += [(_SHORT_MONTHS.index(month[:3].casefold()) + 1, int(day)) for day, month in _DAY_MONTH.findall(text)]
    for month, day in pairs:
        try:
            yield date(LEAP_YEAR, month, day)
        except ValueError:
            continue


def dates_with_year(text: str) -> Iterator[str]:
    """The full dates that a text names, as YYYY-MM-DD."""
    for pattern in _WITH_YEAR:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            month = int(parts["m"]) if parts.get("m") else _SHORT_MONTHS.index(parts["n"][:3].casefold()) + 1
            yield f"{parts['y']}-{month:02d}-{int(parts['d']):02d}"
