"""Figures from nowhere: amounts, ids and days that the agent tells, and ids that it calls with, that nothing has shown.

Sources are the results so far, the policy, the customer's words and the agent's calls, the later ones as well. An
amount may also be a sum, a difference, a product or a share of such numbers, and a day so many days after another, if
a source names so many. What nothing gives may be true all the same: a reader decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from ....schema.calls import render_call
from ....schema.messages import AnyMessage, ToolCall
from ....schema.transcript import leaves
from ..days import days_in
from ..terms.money import money_in
from ..text import plain, sentences

_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_ID = re.compile(
    r"(?<![\w#.@/-])(?:#?[A-Z]{1,4}\d{3,}|\d{8,}|[a-z]+(?:_[a-z]+)*_\d{3,}"
    r"|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6})(?![\w-])"
)
_EXAMPLE = re.compile(r"\b(?:e\.?g|example|format|like|such as|starts? with)\b", re.IGNORECASE)
_OFFERED = re.compile(r"\?|\b(?:if|could|would|can|search|expand|try)\b|\b(?:i|we)(?:'ll| will)\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<![\w.])(\d{1,3})[ -](day|week)s?\b", re.IGNORECASE)
_MOST = 48


class _Figure(NamedTuple):
    """A figure that nothing before it has shown, with its turn and sentence, or the call that it is an argument of."""

    turn: int
    sentence: str
    figure: str
    called: bool = False


class _Sources:
    """What has been said and shown so far; read for numbers and days when a figure asks for them, as few do."""

    def __init__(self, policy: str, calls: Iterable[str]) -> None:
        self.texts = [policy]
        self._unread = [policy, *calls]
        self._numbers: set[float] = set()
        self._days: set[date] = set()
        self._spans = {0, 1}

    def add(self, text: str) -> None:
        """Take note of a text."""
        self.texts.append(text)
        self._unread.append(text)

    def gives_amount(self, amount: float) -> bool:
        """Whether an amount was shown, or follows from such numbers."""
        self._read()
        return follows(amount, self._numbers)

    def gives_day(self, day: date) -> bool:
        """Whether a day was shown, or is as far from such a day as a text says of days or weeks."""
        self._read()
        return any(abs((day - one).days) in self._spans for one in self._days)

    def gives_id(self, name: str) -> bool:
        """Whether an id stands in a text."""
        return any(name.lstrip("#") in text for text in self.texts)

    def _read(self) -> None:
        for text in self._unread:
            self._numbers.update(numbers_in(text))
            self._days.update(days_in(text))
            self._spans.update(_spans_in(text))
        self._unread.clear()


def from_nowhere(messages: Sequence[AnyMessage], policy: str) -> Iterator[_Figure]:
    """The amounts of money, the ids and the days that the agent tells and that nothing gives."""
    # What is proposed is worked out, and becomes so by the call that follows.
    made = (str(call.arguments) for one in messages if one.role == "assistant" for call in one.tool_calls or [])
    sources = _Sources(plain(policy), made)
    for turn, message in enumerate(messages):
        if message.role == "assistant" and message.text and not message.tool_calls:
            for sentence, amounts, days, ids in _figures_in(message.text):
                unknown = [f"${one:g}" for one in amounts if not sources.gives_amount(one)]
                unknown += [f"{day:%B} {day.day}" for day in days if not sources.gives_day(day)]
                unknown += [one for one in ids if not sources.gives_id(one)]
                yield from (_Figure(turn, sentence, one) for one in unknown)
                sources.add(plain(sentence))
        for call in getattr(message, "tool_calls", None) or []:
            if call.requestor == "assistant":
                told = render_call(call.name, call.arguments)
                yield from (_Figure(turn, told, one, called=True) for one in _ids_of(call) if not sources.gives_id(one))
            sources.add(str(call.arguments))
        sources.add(plain(message.content or ""))


@lru_cache(maxsize=4096)
def _figures_in(text: str) -> tuple[tuple[str, tuple[float, ...], tuple[date, ...], tuple[str, ...]], ...]:
    """The sentences of a text that tell figures: their amounts from 1 up, days and ids."""
    if not _DIGIT.search(text):
        return ()
    found = []
    for one in sentences(text):
        amounts = tuple(amount for amount in money_in(one) if amount >= 1)
        days = () if _OFFERED.search(one) else days_in(one)
        ids = () if _EXAMPLE.search(one) else tuple(_ID.findall(one))
        found += [(one, amounts, days, ids)] if amounts or days or ids else []
    return tuple(found)


def _ids_of(call: ToolCall) -> Iterator[str]:
    """The ids that a call is made with."""
    return (value for _, value in leaves(call.arguments) if isinstance(value, str) and _ID.fullmatch(value))


@lru_cache(maxsize=512)
def numbers_in(text: str) -> tuple[float, ...]:
    """The numbers of a text that may be amounts."""
    return tuple({round(float(one.replace(",", "")), 2) for one in _AMOUNT.findall(text) if len(one) < 12})


@lru_cache(maxsize=512)
def _spans_in(text: str) -> tuple[int, ...]:
    """How many days a text speaks of, in days or weeks."""
    return tuple(int(number) * (7 if unit.casefold() == "week" else 1) for number, unit in _SPAN.findall(text))


def follows(amount: float, known: set[float]) -> bool:
    """Whether an amount is among numbers, or their sum, difference, product or share."""
    if _among(amount, known):
        return True
    some = sorted((one for one in known if 1 <= one < 100_000), reverse=True)[: 4 * _MOST]
    if any(_among(amount / times, known) or _among(amount * times, known) for times in range(2, 10)):
        return True
    if any(_among(amount - one, known) or _among(amount + one, known) for one in some):
        return True
    few = some[:_MOST]
    return any(
        _among(amount - one - other, known) or _among(abs(amount + one - other), known)
        for one, other in combinations(few, 2)
    )


def _among(amount: float, known: set[float]) -> bool:
    return round(amount, 2) in known or (amount == int(amount) and any(abs(amount - one) < 0.5 for one in known))
