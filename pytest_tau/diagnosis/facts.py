"""What a customer can state as a fact, found in running text: ids, e-mail addresses, numbers, names, birth dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ..evaluation.language.days import ISO, dates_with_year
from ..evaluation.language.following import Days
from ..patterns import lazy

# From the beginning of a word only: a model in a circle writes one of a hundred thousand digits.
_EMAIL = lazy(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_UNDERSCORED = lazy(r"\b[a-z]+(?:_[a-z]+)*_\d+\b")
_USER_ID = lazy(r"[a-z]+_[a-z]+_\d+")
_PAYMENT = lazy(r"\w*card|certificate|paypal|voucher|account|payment|bank")
_PHONE = lazy(r"(?<![\w-])\+?(?:\d{1,2}[ -])?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?![\w-])")
_NUMBER = lazy(r"(?<![\w.,$€£-])#?\d{4,}(?![\w-]|[.,]\d|\s*(?:%|dollars|usd|gb|mb)\b)", re.IGNORECASE)
_CODE = lazy(  # and not 256GB
    r"#?\b(?!\d+[A-Z]{1,3}\b)(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{5,}\b|\b[A-Z]{1,3}-\d{3,}\b(?!-)"
)
_NAME = lazy(r"\bname(?:'s| is|:)\s+((?:[A-Z][\w'’-]+)(?:\s+[A-Z][\w'’-]+){0,2})")
_ANY = lazy(r"\d|@|\bname")
_YEAR = lazy(r"(?:19|20)\d\d")

IDENTITY = ("e-mail address", "user id", "zip code", "phone number", "name")


class Fact(NamedTuple):
    """``kind`` in words; ``value`` in one spelling, whatever it was written as."""

    kind: str
    value: str


@lru_cache(maxsize=512)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts that a text states. Amounts of money are none: anybody can add them up."""
    return tuple(_facts(text)) if _ANY.search(text) else ()


def _facts(text: str) -> Iterator[Fact]:
    for email in _EMAIL.findall(text):
        yield Fact("e-mail address", email.casefold().rstrip("."))
    rest = _EMAIL.sub(" ", text)
    for name in _UNDERSCORED.findall(rest.casefold()):
        yield Fact("user id" if _USER_ID.fullmatch(name) and not _PAYMENT.match(name) else "id", name)
    for phone in _PHONE.findall(rest):
        yield Fact("phone number", re.sub(r"\D", "", phone)[-10:])
    rest = ISO.sub(" ", _PHONE.sub(" ", rest))
    for number in _NUMBER.findall(rest):
        if not _YEAR.fullmatch(number):
            yield Fact("zip code" if re.fullmatch(r"\d{5}", number) else "number", number.lstrip("#"))
    for code in _CODE.findall(rest):
        yield Fact("code", code.lstrip("#").casefold())
    for name in _NAME.findall(rest):
        yield Fact("name", " ".join(name.casefold().split()))


_BORN = lazy(r"\b(?:born|birth|birthday|dob|d\.o\.b)\b", re.IGNORECASE)
_OLDEST = 2015  # a date before this year is somebody's birthday


def birth_dates(text: str) -> Iterator[Fact]:
    """The birth dates that a text states: full dates it calls so, or so long ago that they can be nothing else."""
    days = dict.fromkeys(dates_with_year(text))
    born = bool(days) and _BORN.search(text) is not None
    for day in days:
        if born or int(day[:4]) < _OLDEST:
            yield Fact("birth date", day)


class Known:
    """What has been said or shown so far; read only when somebody asks."""

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._words: set[str] = set()
        self._joined: set[str] = set()
        self._digits = ""
        self._days = Days()
        self._dates: set[str] = set()

    def add(self, text: str) -> None:
        """Take a text in."""
        self._unread.append(text)

    def holds(self, claim: Fact | date, beside: str = "") -> bool:
        """Whether a fact (of a name, each word) stands somewhere; a day may follow from others and the words beside."""
        for text in self._unread:
            self._read(text)
        self._unread.clear()
        if isinstance(claim, date):
            return self._days.gives(claim, beside)
        if claim.kind == "birth date":
            # A year may be kept back, and then any is as good.
            return claim.value in self._dates or not any(known[5:] == claim.value[5:] for known in self._dates)
        if claim.kind == "name":
            return all(word in self._words for word in re.findall(r"[^\W_]+", claim.value))
        if claim.kind == "phone number":
            return claim.value in self._digits
        return claim.value in self._words or (claim.kind == "code" and claim.value.replace("-", "") in self._joined)

    def _read(self, text: str) -> None:
        flat = text.casefold()
        joined = re.findall(r"[a-z0-9]+(?:[._@+-][a-z0-9]+)*", flat)
        self._words.update(joined, re.findall(r"[^\W_]+", flat))
        self._joined.update(word.replace("-", "") for word in joined)
        self._digits += " " + re.sub(r"(?<=\d)[ ()-]{1,2}(?=\d)", "", flat)
        self._days.add(text)
        self._dates.update(dates_with_year(text))
