"""Figures from nowhere: what the agent tells or calls with, and nothing has shown: amounts, ids, days, hours, how much.

Sources are the results so far, the policy, the customer's words, the agent's calls, the later ones as well, and what
follows from these (following.py says how). What nothing gives may be true all the same: a reader decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ....patterns import lazy
from ....schema.calls import render_call
from ....schema.messages import AnyMessage, ToolCall
from ....schema.transcript import leaves
from ..days import days_in
from ..following import Days, Numbers
from ..terms.money import OTHERWISE_WRITTEN, money_in
from ..text import plain, sentences
from .hours import Hours, hours_in
from .quantities import Quantities, Quantity, quantities_in
from .spans import Span, lengths_in, spans_in

_DIGIT = lazy(r"\d")
_ID = lazy(
    r"(?<![\w#.@/-])(?!USD|EUR|GBP)(?:#?[A-Z]{1,4}\d{3,}|\d{8,}|[a-z]+(?:_[a-z]+)*_\d{3,}"
    r"|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6})(?![\w-])"
)
_EXAMPLE = lazy(r"\b(?:e\.?g|example|format|like|such as|starts? with)\b", re.IGNORECASE)
_OFFERED = lazy(r"\?|\b(?:if|could|would|can|search|expand|try)\b|\b(?:i|we)(?:'ll| will)\b", re.IGNORECASE)
_BETWEEN = lazy(
    r"\b(?:by|before|after|between|from|around|about|takes?|lasts?|long|durations?|layovers?|stopovers?|hours?|hrs?"
    r"|minutes?|min)\b|[-–] ?\d?\d:\d\d",
    re.IGNORECASE,
)
_WHOLE_HOUR = lazy(r"\b(1[0-2]|0?[1-9])(?: ?[ap]\.?m\b| o'clock\b)|\b(?:noon|midnight)\b", re.IGNORECASE)
_MOST = 60  # sentences of a message


class _Figure(NamedTuple):
    """A figure that nothing before it has shown, with its turn and its sentence, or the call that it is part of."""

    turn: int
    sentence: str
    figure: str


class _Told(NamedTuple):
    """The figures of a sentence."""

    sentence: str
    amounts: tuple[float, ...]
    days: tuple[date, ...]
    ids: tuple[str, ...]
    hours: Hours
    spans: tuple[Span, ...]
    quantities: tuple[Quantity, ...]


class _Sources:
    """What has been said and shown so far."""

    def __init__(self, policy: str, calls: Iterable[str] = ()) -> None:
        self.numbers, self.days, self.quantities = Numbers(), Days(), Quantities()
        self._texts: list[str] = []
        self._given: set[str] = set()
        self._hours: set[tuple[int, int]] = set()
        self._read_for_hours = 0
        self._spans: set[tuple[int, int]] = set()
        self._lengths: set[int] = set()
        self._read_for_spans = 0
        self._joined: list[str] = []
        self.add(policy)
        for one in calls:  # gives no ids: those are called with
            self._add(one)

    def add(self, text: str) -> None:
        """Take note of a text."""
        self._texts.append(text)
        self._add(text)

    def _add(self, text: str) -> None:
        for source in (self.numbers, self.days, self.quantities):
            source.add(text)

    def unknown_hours(self, told: Hours) -> list[str]:
        """The times of day that stand in no text, by a clock of 24 hours or of 12: 17:00 may be "5 pm" there."""
        if not told:
            return []
        for text in self._texts[self._read_for_hours :]:
            self._hours.update((hour % 12, minute) for hour, minute in hours_in(text))
            self._hours.update((int(hour or 12) % 12, 0) for hour in _WHOLE_HOUR.findall(text))
        self._read_for_hours = len(self._texts)
        return [f"{hour}:{minute:02d}" for hour, minute in sorted(told) if (hour % 12, minute) not in self._hours]

    def unknown_spans(self, told: Sequence[Span]) -> list[str]:
        """The ranges of time ("3 to 5 days") that stand in no text, in these units or others."""
        if not told:
            return []
        for text in self._texts[self._read_for_spans :]:
            self._spans.update((one.low, one.high) for one in spans_in(text))
            self._lengths.update(lengths_in(text))
        self._read_for_spans = len(self._texts)
        return [one.text for one in told if not self._gives_span(one)]

    def _gives_span(self, span: Span) -> bool:
        """Whether a range stands in a text, or its ends in two fields: {"min_days": 3, "max_days": 5}."""
        ends = (span.low, span.high)
        return ends in self._spans or self._lengths.issuperset(ends)

    def gives_id(self, name: str) -> bool:
        """Whether an id stands in a text, in small letters or in groups perhaps."""
        if name not in self._given and self._shows(name.lstrip("#")):
            self._given.add(name)
        return name in self._given

    def _shows(self, name: str) -> bool:
        if any(name in text for text in reversed(self._texts)):
            return True
        flat = name.casefold()
        self._joined += map(_joined, self._texts[len(self._joined) :])
        return any(flat in text for text in self._joined)


def from_nowhere(messages: Sequence[AnyMessage], policy: str) -> Iterator[_Figure]:
    """The amounts, ids, days, times, ranges of time and quantities that the agent tells and that nothing gives."""
    told = {
        turn: found
        for turn, message in enumerate(messages)
        if message.role == "assistant" and not message.tool_calls and (found := _figures_in(message.text or ""))
    }
    if not told:
        return
    # What is proposed is worked out, and becomes so by the call that follows.
    made = (str(call.arguments) for one in messages if one.role == "assistant" for call in one.tool_calls or [])
    sources, asked = _Sources(plain(policy), made), ""
    for turn, message in enumerate(messages[: max(told) + 1]):
        for one in told.get(turn, ()):
            beside = f"{one.sentence}\n{asked}"
            unknown = [f"${amount:g}" for amount in sources.numbers.unknown(one.amounts, beside)]
            unknown += [f"{day:%B} {day.day}" for day in one.days if not sources.days.gives(day, beside)]
            unknown += [id for id in one.ids if not sources.gives_id(id)]
            unknown += sources.unknown_hours(one.hours) + sources.unknown_spans(one.spans)
            unknown += map(str, sources.quantities.unknown(one.quantities, one.sentence))
            yield from (_Figure(turn, one.sentence, figure) for figure in unknown)
            sources.add(plain(one.sentence))
        for text in _texts_of(message):
            sources.add(text)
        asked = plain(message.text) if message.role == "user" and message.text else asked


def called_from_nowhere(messages: Sequence[AnyMessage], policy: str) -> Iterator[_Figure]:
    """The ids that the agent calls with and that nothing gives."""
    sources = _Sources(plain(policy))
    for turn, message in enumerate(messages):
        for call in (message.tool_calls or []) if message.role == "assistant" else []:
            told = render_call(call.name, call.arguments)
            yield from (_Figure(turn, told, one) for one in _ids_of(call) if not sources.gives_id(one))
        for text in _texts_of(message):
            sources.add(text)


def _texts_of(message: AnyMessage) -> Iterator[str]:
    """What a message says, and with what it calls."""
    yield from (str(call.arguments) for call in getattr(message, "tool_calls", None) or [])
    yield plain(message.content or "")


@lru_cache(maxsize=4096)
def _figures_in(text: str) -> tuple[_Told, ...]:
    """The sentences of a text that tell figures."""
    if not _DIGIT.search(text):
        return ()
    found = []
    for one in sentences(text):
        amounts = money_in(OTHERWISE_WRITTEN.sub(" ", one))
        days = () if _OFFERED.search(one) else days_in(one)
        ids = () if _EXAMPLE.search(one) else tuple(_ID.findall(one))
        hours = Hours() if _OFFERED.search(one) or _BETWEEN.search(one) else hours_in(one)
        spans = () if "?" in one else spans_in(one)
        told = _Told(one, amounts, days, ids, hours, spans, () if "?" in one else quantities_in(one))
        found += [told] if any(told[1:]) else []
    return tuple(found[:_MOST])


def _joined(text: str) -> str:
    """A text in small letters without what parts groups: "QX 81-LM"."""
    return re.sub(r"[\s-]", "", text.casefold())


def _ids_of(call: ToolCall) -> Iterator[str]:
    """The ids that a call is made with."""
    return (value for _, value in leaves(call.arguments) if isinstance(value, str) and _ID.fullmatch(value))
