"""How a person tells the values of a record, and which of them a line tells.

A value is kept as it would be told, in small letters; only the words of somebody's name keep their capital.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from ..language.days import days_in
from ..language.following import Days

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_SAID_DAY = re.compile(rf"\d{{1,2}} (?:{'|'.join(_MONTHS)})|(?:{'|'.join(_MONTHS)}) \d{{1,2}}")
_AS_MONEY = ("${}", "€{}", "{} dollars", "{} euros")
_NAMES = frozenset(("first_name", "last_name", "full_name", "name"))
_DAYS_OF_A_LIFE = ("birth", "dob", "since")
# A word that is a name and no other word: "Rose's order", "Mr. Long", "registered to Rose".
_AS_A_NAME = (
    r"\b(?:[Mm](?:r|rs|s|iss)\.?|named|called|(?:name|account) of|(?:registered|belongs?) to"
    r"|(?:booked|placed|ordered) by) {0}\b|\b{0}'s\b|\b{0} [A-Z]\."
)
_DECIMAL = re.compile(r"\d{1,9}\.\d{0,3}[1-9]0{0,3}")  # a number that JSON has as a text; whole ones are no decimals
_STREET = re.compile(r"\d+\w? (\w{4,} \w.*)")  # told without the number of the house
_EVERYBODYS = ("status", "type", "method")  # fields
_TOO_COMMON = frozenset(("usa", "true", "false", "none", "null", "yes", "no", "round_trip", "one_way"))


def spoken(value: Any, field: str) -> Iterator[str]:
    """How a person would tell a value of a record: each word of a name by itself, a birthday by its month."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return
    # Small ones are money where they are written with a part after the point, as no age and no quantity is.
    least = 10 if isinstance(value, float) else 100
    if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) and value >= least:
        yield from (form.format(int(value)) for form in _AS_MONEY)
    if not _telling(value) or field.endswith(_EVERYBODYS):
        return
    if field in _NAMES:
        yield from (word for word in str(value).split() if len(word) >= 4 and word.isalpha() and word.istitle())
    if field not in _NAMES or " " in str(value):
        yield f"{value:.2f}" if isinstance(value, float) else str(value).casefold()
        if isinstance(value, float) and str(value) != f"{value:.2f}":
            yield str(value)
    if field.startswith("address") and (street := _STREET.fullmatch(str(value))):
        yield street[1].casefold()
    if (day := _ISO_DAY.fullmatch(str(value))) is not None:
        if field.endswith(_DAYS_OF_A_LIFE) and (month := _month(day[1], day[2])):
            yield month
        yield from _days(*day.groups())


def _telling(value: Any) -> bool:
    """Whether a value, told, tells of its record: statuses and small numbers are everybody's."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return value != int(value)
    text = str(value)
    if text.casefold() in _TOO_COMMON or len(text) < 4:
        return False
    return not (text.islower() and text.replace("_", "").replace(" ", "").isalpha())


def first_told(text: str, values: Collection[str], public: Sequence[str], policy: str) -> str | None:
    """The first of these values that a line tells, and that nothing public gives; None where it tells none.

    Args:
        text: the line.
        values: as :func:`spoken` has them.
        public: what everybody in the conversation has seen or said.
        policy: in which the words of a name mean something else.
    """
    flat = _flat(text)
    told = [value for value in values if _is_told(value, flat, text)]
    elsewhere = [_flat(said) for said in public] if told else []
    rules = [*elsewhere, _flat(policy)] if told else []

    days = Days()
    for said in (*public, policy) if told else ():
        days.add(said)

    def is_public(value: str) -> bool:
        if (day := _day_of(value)) is not None:
            return days.has(day)
        if _ISO_DAY.fullmatch(value) and any(value[:4] in said for said in rules):
            return any(map(days.has, days_in(value)))
        return any(stands(one, said) for one in _written(value) for said in (elsewhere if _is_name(value) else rules))

    told = [value for value in told if not is_public(value)]
    names = [value for value in told if _is_name(value)]
    return next((value for value in told if value not in names or _told_as_name(value, names, text)), None)


def _written(value: str) -> Iterator[str]:
    """What is told, as it may stand elsewhere: 1477.30 as 1477.3, and $1764 as 1764."""
    yield value.casefold()
    if value[-1] == "0" and "." in value:
        yield value[:-1]
    if amount := re.fullmatch(r"[$€]?(\d+)(?: \w+)?", value):
        yield amount[1]


def _is_name(value: str) -> bool:
    """Whether a value is a word of somebody's name: all others are kept in small letters."""
    return not value.islower() and value.isalpha()


def _told_as_name(value: str, names: Sequence[str], text: str) -> bool:
    """Whether a word of somebody's name stands for a person, by what is around it or beside another of the names."""
    others = "|".join(re.escape(one) for one in names if one != value)
    beside = rf"\b{re.escape(value)}(?:,? and |, | )(?:{others})\b" if others else "(?!)"
    return re.search(f"{_AS_A_NAME.format(re.escape(value))}|{beside}", text) is not None


def _is_told(value: str, flat: str, text: str) -> bool:
    """Whether a line tells a value, a name with its capital; ``flat``: the line as :func:`_flat` has it.

    "$50.00" tells "$50", and "$50.25" does not.
    """
    if _is_name(value):
        return stands(value, text)
    if (day := _day_of(value)) is not None:
        return day in days_in(text)
    # Looked for first as it is: most values stand in no line.
    whole = rf"(?<![^\W_])(?<!\d\.){re.escape(value)}(?![^\W_]|\.\d*[1-9])"
    return stands(value, flat) and re.search(whole, flat) is not None


def _flat(text: str) -> str:
    """A text in small letters, amounts without commas, and with the month of each day as it is said."""
    found = _ISO_DAY.findall(text)
    months = " ".join(_month(year, month) for year, month, _ in found)
    return f"{_THOUSANDS.sub('', text.casefold())} {months}" if months else _THOUSANDS.sub("", text.casefold())


def _month(year: str, month: str) -> str:
    return f"{_MONTHS[int(month) - 1]} {year}" if 1 <= int(month) <= 12 else ""


def _days(year: str, month: str, day: str) -> Iterator[str]:
    """A day as it is said: "26 may", "may 26"."""
    if name := _month(year, month).partition(" ")[0]:
        yield f"{int(day)} {name}"
        yield f"{name} {int(day)}"


@lru_cache(maxsize=4096)
def _day_of(value: str) -> date | None:
    """The day that a value is, as it is said; in a text there are more ways to say it."""
    found = days_in(value) if _SAID_DAY.fullmatch(value) else ()
    return found[0] if found else None


def stands(value: str, text: str) -> bool:
    """Whether a value stands in a text, and not within a word."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return True
        at = text.find(value, at + 1)
    return False
