"""A call and what was said of it: what the checks of terms look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from ....patterns import lazy
from ....schema.messages import AnyMessage, ToolCall, ToolMessage
from ....schema.transcript import NO_JSON, Line, calls_made, leaves, lines_of, parse_result, records_shown
from ..dialogue import answer, rest_stands
from ..naming import Subject, subject_in
from ..text import plain, sentences


@dataclass(frozen=True)
class Breach:
    """A term that was named and not kept: what it is, what was said in which turn, and what was written instead."""

    what: str
    named: str
    written: str
    turn: int

    def __str__(self) -> str:
        return f"turn {self.turn} names {self.named} as the {self.what}, and it became {self.written}"


@dataclass(frozen=True)
class Agreed:
    """A call and what was said of it. Each part is worked out when a check asks for it: most calls need few."""

    call: ToolCall
    turn: int
    conversation: Sequence[AnyMessage]
    subject: Subject
    changes: Sequence[int]
    choices: Mapping[str, tuple[str, ...]]

    @property
    def messages(self) -> Sequence[AnyMessage]:
        """What came before the call."""
        return self.subject.messages

    @cached_property
    def values(self) -> list[tuple[str, Any]]:
        """The values in the call's arguments, each with its name."""
        return leaves(self.call.arguments)

    @cached_property
    def own_subject(self) -> Subject:
        """What the call is about, without the lists among its arguments: those are of parts of it."""
        arguments = self.call.arguments
        singles = {name: value for name, value in arguments.items() if not isinstance(value, list | dict)}
        return self.subject if len(singles) == len(arguments) else subject_in(singles, self.messages)

    @cached_property
    def said(self) -> list[Line]:
        """What both sides said before it."""
        return [line for line in lines_of(self.conversation) if line.turn < self.turn]

    @property
    def shown(self) -> Iterator[str]:
        """What the results of earlier calls have."""
        return (one.content or "" for one in self.messages if isinstance(one, ToolMessage))

    @property
    def heard(self) -> Iterator[str]:
        """All of what was said before it, and of what results have."""
        yield from (line.text for line in self.said)
        yield from self.shown

    def has_heard(self, name: str) -> bool:
        """Whether a name stands there, in whatever case."""
        return any(name.casefold() in text.casefold() for text in self.heard)

    @cached_property
    def lines(self) -> tuple[tuple[int, bool, str], ...]:
        """What was said of it since the last change, the latest first: turn, whether the agent's, text."""
        said = [line for line in self.said if not line.calls]
        return tuple(_about(said, self.changes, self.own_subject))

    @cached_property
    def result(self) -> ToolMessage | None:
        """The call's result, if there is one."""
        return _result(self.conversation, self.call)

    @cached_property
    def records(self) -> tuple[dict[str, Any], ...]:
        """What earlier results showed of the call's record, the latest first."""
        return tuple(_records(self.conversation, self.turn, self.subject.keys))

    @cached_property
    def _beside(self) -> list[ToolCall]:
        return upon_the_same_answer(self.conversation, self.turn)

    @property
    def alone(self) -> bool:
        """Whether no other call of the kind was made upon the same answer."""
        return sum(made.name == self.call.name for made in self._beside) == 1

    @property
    def sole(self) -> bool:
        """Whether no other call was made upon the same answer, but for look-ups."""
        return all(made is self.call or _LOOKS_UP.match(made.name) for made in self._beside)

    @property
    def used_beside(self) -> set[str]:
        """The texts among the arguments of all calls that were made upon the same answer."""
        return {value for made in self._beside for _, value in leaves(made.arguments) if isinstance(value, str)}

    @cached_property
    def elsewhere(self) -> frozenset[float]:
        """The numbers that other calls of the conversation give: a sum may be theirs."""
        others = [made for _, made, _ in calls_made(self.conversation) if made is not self.call]
        numbers = (number_in(value) for made in others for _, value in leaves(made.arguments))
        return frozenset(number for number in numbers if number is not None)

    @property
    def last_exchange(self) -> list[tuple[int, bool, str]]:
        """The lines in which the call itself was put forward and agreed to."""
        return [line for line in self.lines if line[0] >= len(self.messages) - _LAST_EXCHANGE]

    def taken_up(self, turn: int, named: Collection[str] = ()) -> bool:
        """Whether the customer answered a proposal with a yes, and wished nothing else: words may name another item.

        ``named``: what the proposal names, so that it is no other in the answer.
        """
        said = next((line.text for line in self.said if line.turn > turn and not line.by_agent), "")
        given = answer(said)
        if given.no or given.wait or given.wish or rest_stands(said) or _BUT.search(said):
            return False
        return bool(given.yes or given.casual) and self.subject.others_in(said) <= {*named}


class Reported(Agreed):
    """A call that was made, and the agent's next line, which tells of it."""

    @cached_property
    def said(self) -> list[Line]:
        """What both sides said until the report."""
        return [line for line in lines_of(self.conversation) if line.turn <= self._told_at]

    @cached_property
    def lines(self) -> tuple[tuple[int, bool, str], ...]:
        """The report, without what it says of other things."""
        own = _own_part(self.report, self.own_subject) if self.report else ""
        return ((self._told_at, True, own),) if own else ()

    @property
    def report(self) -> str:
        """All of the line; "" where the customer speaks next, or nobody."""
        return plain(self.conversation[self._told_at].content or "") if self._told_at >= 0 else ""

    @property
    def last_exchange(self) -> list[tuple[int, bool, str]]:
        """The report."""
        return [*self.lines]

    def taken_up(self, turn: int, named: Collection[str] = ()) -> bool:
        """Nobody has to agree to what is told."""
        return True

    @cached_property
    def _told_at(self) -> int:
        told = next((line for line in lines_of(self.conversation) if line.turn > self.turn), None)
        return told.turn if told is not None and told.by_agent and not told.calls else -1


_BUT = lazy(r"\bbut\b", re.IGNORECASE)
_LOOKS_UP = lazy(r"(?:get|find|search|list|check|calculate|look)_|think$|calculate$")
# A proposal, its answer and what may stand between: what was said before may be about how something else is paid.
_LAST_EXCHANGE = 4


def upon_the_same_answer(messages: Sequence[AnyMessage], turn: int) -> list[ToolCall]:
    """The calls between the customer's last line before a turn and the next one after it."""
    answers = [line.turn for line in lines_of(messages) if not line.by_agent]
    start = max((at for at in answers if at < turn), default=-1)
    end = min((at for at in answers if at > turn), default=len(messages))
    return [made for at, made, _ in calls_made(messages) if start < at < end]


def _result(messages: Sequence[AnyMessage], call: ToolCall) -> ToolMessage | None:
    return next((result for _, made, result in calls_made(messages) if made is call), None)


def _about(lines: Sequence[Line], changes: Sequence[int], own: Subject) -> Iterator[tuple[int, bool, str]]:
    """The lines since the change before the last answer, without what they say of other things; the latest first."""
    answered = max((line.turn for line in lines if not line.by_agent), default=-1)
    before = max((line.turn for line in lines if line.by_agent and line.turn < answered), default=answered)
    start = max((at for at in changes if at < before), default=-1)
    for line in reversed(lines):
        if line.turn <= start:
            return
        if text := _own_part(plain(line.text), own):
            yield line.turn, line.by_agent, text


def _own_part(text: str, subject: Subject) -> str:
    """Of a line about several things of the call's kind, what follows the call's own id; of any other, all of it."""
    others = subject.others_in(text) | subject.others_of_letters_in(text)
    if not others:
        return text
    own, parts = not subject.keys_in(text), []
    if own:
        return ""
    for sentence in sentences(text):
        if subject.keys_in(sentence):
            own = True
        elif any(other in sentence for other in others):
            own = False
        if own:
            parts.append(sentence)
    return "\n".join(parts)


def _records(messages: Sequence[AnyMessage], end: int, keys: frozenset[str]) -> Iterator[dict[str, Any]]:
    for turn, record, texts in reversed(records_shown(messages)):
        if turn < end and not keys.isdisjoint(texts):
            yield record


def whole_line(found: Agreed, turn: int) -> str:
    """A line with what it says of other things."""
    return plain(found.conversation[turn].content or "")


def is_said(found: Agreed, value: str) -> bool:
    """Whether anybody said this before the call, as it stands."""
    return any(value in line.text for line in found.said)


def number_in(value: Any) -> float | None:
    """A value as a finite number; None where it is none."""
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        return None
    return round(number, 2) if isfinite(number) else None


def json_of(content: str | None) -> Any:
    """A result's JSON; None where it is a plain text."""
    return None if (value := parse_result(content or "")) is NO_JSON else value
