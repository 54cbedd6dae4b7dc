"""The weekday that the agent gives a day, beside the calendar: "Monday the 26th", where 26 May 2024 is a Sunday.

The year is the one that is told with it, or that all results have for this day; else that of the domain's ``now``. A
day without its month is one that has been named, where only one such has. A question tells nothing, and who says the
customer's own weekday again, or that of a result, has not made it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from ....patterns import lazy
from ....schema.messages import AnyMessage
from ..days import MONTHS, WEEKDAYS, days_in
from ..text import plain, sentences
from .records import UntrueSentence

_NAME = rf"\b(?P<name>{'|'.join(WEEKDAYS)})"
_ANY = lazy(_NAME, re.IGNORECASE)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?![:.,]\d)"
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})\b\.?"
_YEAR = r"(?:,? (?P<year>(?:19|20)\d\d)\b)?"
_TOLD = (
    lazy(rf"{_NAME},? (?:the )?{_DAY} (?:of )?{_MONTH}{_YEAR}", re.IGNORECASE),
    lazy(rf"{_NAME},? {_MONTH} (?:the )?{_DAY}{_YEAR}", re.IGNORECASE),
    lazy(rf"\b{_DAY} {_MONTH}{_YEAR} \({_NAME}\)", re.IGNORECASE),
    lazy(rf"\b{_MONTH} {_DAY}{_YEAR} \({_NAME}\)", re.IGNORECASE),
    lazy(rf"{_NAME},? the (?P<day>[0-3]?\d)(?:st|nd|rd|th)\b(?! (?:of )?(?:{'|'.join(MONTHS)}))", re.IGNORECASE),
)
_ISO = lazy(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")


def told_of_weekdays(messages: Sequence[AnyMessage], now: datetime | None) -> Iterator[UntrueSentence]:
    """The sentences of the agent that give a day another weekday than it has."""
    told = {
        turn
        for turn, message in enumerate(messages)
        if message.role == "assistant" and not message.tool_calls and _ANY.search(message.content or "")
    }
    years: dict[tuple[int, int], set[int]] = {}
    named: set[tuple[int, int]] = set()
    given: set[tuple[str, int]] = set()
    for turn, message in enumerate(messages[: max(told, default=-1) + 1]):
        text = plain(message.content or "")
        for one in sentences(text) if turn in told else ():
            if "?" not in one and (why := next(_untrue(one, years, named, given, now), None)) is not None:
                yield UntrueSentence(turn, one, why)
        if message.role != "assistant":
            given.update(_weekday_of(found) for pattern in _TOLD for found in pattern.finditer(text))
        named.update((day.month, day.day) for day in days_in(text))
        for year, month, day in _ISO.findall(text) if message.role == "tool" else ():
            years.setdefault((int(month), int(day)), set()).add(int(year))


def _untrue(
    sentence: str,
    years: dict[tuple[int, int], set[int]],
    named: set[tuple[int, int]],
    given: set[tuple[str, int]],
    now: datetime | None,
) -> Iterator[str]:
    for pattern in _TOLD:
        for found in pattern.finditer(sentence):
            parts = found.groupdict()
            weekday, day = _weekday_of(found)
            if month := parts.get("month"):
                places = [(_number_of(month), day)]
            else:
                places = [one for one in named if one[1] == day]
            if len(places) != 1 or (weekday, day) in given:
                continue
            of_results = years.get(places[0], {now.year} if now is not None else set())
            told = {int(parts["year"])} if parts.get("year") else of_results
            meant = [one for year in told if (one := _date(year, *places[0])) is not None]
            if len(meant) == 1 and WEEKDAYS[meant[0].weekday()] != weekday:
                yield f"{meant[0]:%B} {meant[0].day}, {meant[0].year} is a {meant[0]:%A}"


def _weekday_of(found: re.Match[str]) -> tuple[str, int]:
    return found["name"].casefold(), int(found["day"])


def _number_of(month: str) -> int:
    return next(at for at, name in enumerate(MONTHS, 1) if re.fullmatch(name, month, re.IGNORECASE))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
