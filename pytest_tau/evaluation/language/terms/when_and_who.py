"""When and who: the days and persons of the call beside those that were named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from ....schema.transcript import leaves
from ..asked import read_question
from ..days import dates_with_year, days_in
from ..text import plain
from .agreed import Agreed, Breach

_BIRTH = re.compile(r"birth|^dob$")
_NAME = r"([A-Z][\w'’-]+)"

_ENDS = (1, 28, 29, 30, 31)
_CLAUSE = re.compile(r"[,;:()]\s?|\s[-–—]\s")
_AS = re.compile(r"\w+ \w+ (?:as|for|is)(?: \w+)? $", re.IGNORECASE)
_IS = re.compile(r" (?:of \S+ )?(?:is |on |being |(?:would|will) be )?[\dA-Z]\w* \w+")
_COUNTED_FROM = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)?days?|weeks?|months?|tomorrow|today|after|before|until|from|later"
    r"|earlier|next|not|rather|instead|than)\b|n't\b",
    re.IGNORECASE,
)


def days(found: Agreed) -> Breach | None:
    """The days of the call that its record did not have, beside others that the agreed proposal names instead.

    A day that somebody named earlier may be one of several; it counts where the proposal names as many as the call.
    """
    written = {day for name, value in found.values if not _BIRTH.search(name) for day in _day(value)}
    said = [line for line in found.lines if days_in(line[2])] if written else []
    had = {day for record in found.records for _, value in leaves(record) for day in _day(value)} if said else set()
    had |= {day for name, value in found.values if _BIRTH.search(name) for day in _day(value)}
    new = written - had
    at, _, proposal = next((line for line in found.lines if line[1]), (-1, True, ""))
    if len(new) == 1 and (other := _asked_for_another(proposal, new, found)):
        return Breach("day", _spell(other), _spell(new), at)
    for turn, by_agent, text in said if new else ():
        named = set(days_in(text)) - had
        if not by_agent and new & named:
            return None
        if not (named and by_agent):
            continue
        missing, instead = new - named, named - written
        told = {day for line in found.said for day in days_in(plain(line.text))} if missing and instead else set()
        if not missing or len(instead) < len(missing) or (missing & told and len(named) < len(new)):
            return None
        return Breach("day", _spell(instead), _spell(missing), turn) if found.taken_up(turn) else None
    return None


def _asked_for_another(text: str, new: set[date], found: Agreed) -> set[date]:
    """The one day that a question for leave calls by the argument's name, be it on record: "8 March as the last day".

    A day beside other words may be that of something else, or count from another one; nobody ever named the call's.
    The ends of a month have names of their own.
    """
    name = next((one for one, value in found.values if new.intersection(_day(value))), "").replace("_", " ")
    clauses = [part.partition(name) for one in read_question(text).action for part in _CLAUSE.split(one)]
    named = [part for before, here, after in clauses if here for part in (_AS.search(before), _IS.match(after)) if part]
    asked = {day for part in named for day in days_in(part[0])}
    rest = [f"{before} {after}" for before, here, after in clauses if here]
    answers = [said for _, by_agent, said in found.lines[:1] if not by_agent]
    if any(map(_COUNTED_FROM.search, (*rest, *answers))) or any(re.search(r"\d", said) for said in answers):
        return set()
    if len(asked) != 1 or not asked.isdisjoint(new) or any(day.day in _ENDS for day in new):
        return set()
    return set() if any(new.intersection(days_in(plain(line.text))) for line in found.said) else asked


def _day(value: Any) -> Iterator[date]:
    if isinstance(value, str) and value[4:5] == "-" and re.match(r"\d{4}-\d\d-\d\d(?:$|T| )", value):
        yield from days_in(value[:10])


def _spell(some: set[date]) -> str:
    return ", ".join(f"{day:%B} {day.day}" for day in sorted(some))


def persons(found: Agreed) -> Breach | None:
    """A person of the call whose name or date of birth nobody said or showed, beside another that was said for it."""
    for person in _people(found.call.arguments):
        first, last, born = person["first_name"], person["last_name"], person.get("dob")
        for turn, _, text in found.lines:
            if first not in text and last not in text:
                continue
            if f"{first} {last}" not in text and not (found.has_heard(first) and found.has_heard(last)):
                named = re.search(rf"\b{re.escape(first)} {_NAME}|{_NAME} {re.escape(last)}\b", text)
                if named:
                    return Breach("name", named[0], f"{first} {last}", turn)
            dates = {day for part in text.splitlines() if first in part for day in dates_with_year(part)}
            if dates and isinstance(born, str) and not _is_known_day(found, born):
                return Breach("date of birth", ", ".join(sorted(dates)), born, turn)
    return None


def _people(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("first_name"), str) and isinstance(value.get("last_name"), str):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _people(one)


def _is_known_day(found: Agreed, day: str) -> bool:
    return any(day in text or day in dates_with_year(text) for text in found.heard)
