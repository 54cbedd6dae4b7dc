"""Quantities with a unit that fields of results are named by: "6.2 GB" beside {"data_used_gb": 6.2}.

What is told has to be a number that was given, whatever of, or to follow from those that were given with this unit: a
multiple, a sum of two, that less another, or a share of these. Lengths of time are told in more ways than that, of
which spans.py knows some.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from ....patterns import lazy
from ..following import counts_in, nearness, numbers_in
from ..text import NUMBER_WORDS

_QUANTITY = lazy(r"(?<![\w.,$€£#-])(\d{1,6}(?:\.\d{1,3})?) ?([a-z]{2,9})(?!\w)", re.IGNORECASE)
_NO_UNIT = lazy(
    r"(?:minute|hour|day|week|month|year|dollar|euro|cent|number|id)s?|[ap]m|usd|eur|gbp|percent"
    r"|a[st]|by|for|from|i[ns]|of|o[nr]|per|to",  # of in_stock, to_pay, at_most
    re.IGNORECASE,
)
_IN_WORDS = {word: str(number) for number, word in enumerate(NUMBER_WORDS, start=1)}
_WORD = lazy(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_AND_A_HALF = lazy(r"\b(\d{1,6}) and a half\b", re.IGNORECASE)
_TIMES = range(2, 10)
_MOST = 24  # numbers of a unit


class Quantity(NamedTuple):
    """A number, to how many places it is told, and its unit in small letters."""

    number: float
    places: int
    unit: str

    def __str__(self) -> str:
        return f"{self.number:.{self.places}f} {self.unit}"


@lru_cache(maxsize=4096)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """What a text has of a number before a word that may be a unit."""
    return tuple(
        Quantity(float(number), len(number.partition(".")[2]), unit.casefold())
        for number, unit in _QUANTITY.findall(text)
        if not _NO_UNIT.fullmatch(unit)
    )


class Quantities:
    """The quantities that were given so far, in texts that are read when one is asked for."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._read_to = 0
        self._numbers: set[float] = set()
        self._with_unit: list[Quantity] = []
        self._of_fields: dict[str, tuple[set[float], int]] = {}  # by unit, from so many of the texts

    def add(self, text: str) -> None:
        """Take note of a text."""
        self._texts.append(text)

    def unknown(self, told: Sequence[Quantity], sentence: str) -> list[Quantity]:
        """Those of a sentence whose unit names a field, and that neither were given nor follow."""
        return [one for one in told if self._in_fields(one.unit) and not self._gives(one, sentence)]

    def _in_fields(self, unit: str) -> set[float]:
        """The numbers of the fields that a unit names; for most words behind a number there are none."""
        numbers, begin = self._of_fields.get(unit, (set(), 0))
        for text in self._texts[begin:]:
            if unit in text:
                numbers.update(map(float, _field_of(unit).findall(text)))
        self._of_fields[unit] = numbers, len(self._texts)
        return numbers

    def _gives(self, told: Quantity, sentence: str) -> bool:
        self._read()
        near = max(0.5 * 10.0**-told.places + 1e-9, nearness(told.number, sentence))
        if any(abs(one - told.number) <= near for one in self._numbers):
            return True
        known = {*self._in_fields(told.unit), *(one.number for one in self._with_unit if one.unit == told.unit)}
        some = sorted(known)[:_MOST]
        sums = {0.0, *(one + other for one, other in combinations(some, 2)), *some}
        made = {one - other for one in sums for other in (0.0, *some)}
        made.update(one * times for one in some for times in _TIMES)
        return any(abs(one / share - told.number) <= near for one in made for share in (1, *counts_in(sentence)))

    def _read(self) -> None:
        for text in map(_in_digits, self._texts[self._read_to :]):
            self._numbers.update(numbers_in(text))
            self._with_unit += quantities_in(text)
        self._read_to = len(self._texts)


def _in_digits(text: str) -> str:
    """A text with its numbers in digits: "one and a half GB" is 1.5 GB."""
    return _AND_A_HALF.sub(r"\1.5", _WORD.sub(lambda found: _IN_WORDS[found[0].casefold()], text))


@lru_cache(maxsize=512)
def _field_of(unit: str) -> re.Pattern[str]:
    """Finds the number of a field that begins or ends with a unit: gb_amount, data_used_gb."""
    name = rf"(?:{unit}(?:_\w{{1,60}})?|[a-z]\w{{0,60}}_{unit})"
    return re.compile(rf"['\"]{name}['\"]: ?['\"]?(\d{{1,9}}(?:\.\d{{1,6}})?)(?![\w.-])")
