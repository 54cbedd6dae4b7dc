"""Ranges of time in what is said, "3 to 5 business days", and single lengths in the fields of results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ....patterns import lazy
from ..text import NUMBER_WORDS

_WORDS = NUMBER_WORDS[:12]
_NUMBER = rf"\d{{1,3}}|{'|'.join(_WORDS)}"
_UNIT = r"[ -](?:(?:business|working|calendar) )?(day|week|month|hour|minute)s?\b"
_SPAN = lazy(rf"(?<![\w.,$€£-])({_NUMBER})(?:{_UNIT})? ?(?:[-–—]|to) ?({_NUMBER}){_UNIT}", re.IGNORECASE)
_BETWEEN_TWO = lazy(rf"\bbetween ({_NUMBER})((?:{_UNIT})?) and (?={_NUMBER})", re.IGNORECASE)
_FIELD = lazy(r"(day|week|month|hour|minute)s?(?:_\w{1,9})?['\"]: ?(\d{1,3})\b", re.IGNORECASE)
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 7 * 1440, "month": 30 * 1440}


class Span(NamedTuple):
    """A range of time: its ends in minutes, and how it is told."""

    low: int
    high: int
    text: str


@lru_cache(maxsize=4096)
def spans_in(text: str) -> tuple[Span, ...]:
    """The ranges of time in a text."""
    found = _SPAN.findall(_BETWEEN_TWO.sub(r"\1\2 to ", text))
    return tuple(_span(_number(low), first or last, _number(high), last) for low, first, high, last in found)


def lengths_in(text: str) -> Iterator[int]:
    """The lengths of time in the fields of a result, in minutes: {"min_days": 3, "max_days": 5}."""
    return (int(number) * _MINUTES[unit.casefold()] for unit, number in _FIELD.findall(text))


def _span(low: int, first: str, high: int, last: str) -> Span:
    one, other = first.casefold(), last.casefold()
    begin = f"{low} {one}s" if one != other else f"{low}"
    return Span(low * _MINUTES[one], high * _MINUTES[other], f"{begin} to {high} {other}s")


def _number(number: str) -> int:
    word = number.casefold()
    return _WORDS.index(word) + 1 if word in _WORDS else int(number)
