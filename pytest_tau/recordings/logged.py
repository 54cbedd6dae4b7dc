"""A conversation out of somebody's log, in our messages, and how they are put together from what a log says.

A log tells of events: somebody said something, a tool was called, a call returned. :func:`messages_of` makes of them
what every part of pytest-tau reads: messages in which each call is followed by its result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Literal

from pydantic import ValidationError

from ..printable import one_line
from ..schema.messages import AnyMessage, AssistantMessage, Requestor, ToolCall, ToolMessage, UserMessage
from ..schema.task import InitialState


@dataclass(frozen=True)
class LoggedConversation:
    """One conversation of a log.

    Attributes:
        id: as the log names it; in one file no two are equal.
        messages: what was said and called, each call followed by its result.
        meta: what else is known. ``format``: the reader's name; ``where``: file and line; ``system``: the prompt;
            ``tools``: the tools' schemas, in the form of chat completions; ``notes``: sentences about what was left
            out; ``reward``: what the log says that it earned; ``ended``: why it ended; ``task_id``, ``domain``;
            ``initial_state``: the state of the world before, as a task has it.
    """

    id: str
    messages: Sequence[AnyMessage]
    meta: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """Equal for two conversations in which the same was said, called and returned; 16 hexadecimal digits.

        Of one that was redacted it is that of the original, as its ``meta`` keeps it.
        """
        if isinstance(kept := self.meta.get("hash"), str):
            return kept
        said: list[Any] = []
        for message in self.messages:
            if isinstance(message, ToolMessage):
                said.append(["tool", message.content, message.error])
            else:
                calls = [[call.name, call.arguments] for call in message.tool_calls or []]
                said.append([message.role, (message.content or "").strip(), calls])
        text = json.dumps(said, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def initial_state(self) -> InitialState | None:
        """The state that the log itself says it began in, without messages; None where it says nothing usable."""
        given = self.meta.get("initial_state")
        if not isinstance(given, Mapping):
            return None
        try:
            state = InitialState.model_validate({**given, "message_history": None})
        except ValidationError:
            return None
        return state if state.initialization_data or state.initialization_actions else None


@dataclass(frozen=True)
class Unread:
    """A part of a log that could not be read: ``where`` (file and line) and ``why``, in one sentence."""

    where: str
    why: str

    def __str__(self) -> str:
        return one_line(f"{self.where}: {self.why}")


@dataclass(frozen=True)
class Part:
    """A piece of a log file: a line, an entry of a list, or all of it; ``where`` names it."""

    where: str
    value: Any


@dataclass(frozen=True)
class SaidEvent:
    """A text of one side, or the system prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class CalledEvent:
    """A tool call; ``id`` is "" where the log gives none. ``flaw``: why its arguments could not be read."""

    id: str
    name: str
    arguments: dict[str, Any]
    requestor: Requestor = "assistant"
    flaw: str = ""


@dataclass(frozen=True)
class ReturnedEvent:
    """What a call returned; ``id`` as the call's, or "" for the first of its message that waits.

    ``name``: the tool's, if given. ``beside``: the log keeps it with the call right before it.
    """

    id: str
    content: str
    error: bool = False
    name: str = ""
    beside: bool = False


@dataclass(frozen=True)
class LeftOutEvent:
    """Something that the log holds and no message of ours can; ``why`` becomes a note."""

    why: str


_Told = SaidEvent | CalledEvent | ReturnedEvent
Event = _Told | LeftOutEvent


def messages_of(events: Iterable[Event]) -> tuple[list[AnyMessage], str | None, list[str]]:
    """The messages, the system prompt, and notes on what was left out.

    Calls without a result are left out, those whose arguments cannot be read, and results of no call.
    """
    lost: dict[str, None] = {}  # each kind once, and after what became of calls
    told: list[_Told] = []
    for event in events:
        if isinstance(event, LeftOutEvent):
            lost[event.why] = None
        else:
            told.append(event)
    results, notes = _match_results(told)
    system = "\n\n".join(dict.fromkeys(e.text for e in told if isinstance(e, SaidEvent) and e.role == "system"))
    messages: list[AnyMessage] = []
    ids: set[str] = set()
    given = {event.id for event in told if isinstance(event, CalledEvent)}
    for side, group in _message_groups(told):
        text = "\n\n".join(e.text for e in group if isinstance(e, SaidEvent) and e.text.strip()) or None
        made: list[tuple[ToolCall, ToolMessage]] = []
        for event in group:
            if not isinstance(event, CalledEvent):
                continue
            result = results.get(id(event))
            if event.flaw:
                notes.append(f"a call of {event.name} is left out, as its arguments {event.flaw}")
                continue
            if result is None:
                notes.append(f"a call of {event.name} has no result and is left out")
                continue
            made_up = (f"call_{number}" for number in count(len(ids) + 1))
            name = event.id if event.id not in ids else ""
            name = name or next(one for one in made_up if one not in ids and one not in given)
            ids.add(name)
            call = ToolCall(id=name, name=event.name, arguments=event.arguments, requestor=event.requestor)
            made.append(
                (call, ToolMessage(id=name, content=result.content, error=result.error, requestor=event.requestor))
            )
        if text is None and not made:
            continue
        spoken = AssistantMessage if side == "assistant" else UserMessage
        messages.append(spoken(content=text, tool_calls=[call for call, _ in made] or None))
        messages += [result for _, result in made]
    return messages, system or None, [one_line(note) for note in [*notes, *lost]]


def _message_groups(events: Iterable[_Told]) -> Iterator[tuple[str, list[_Told]]]:
    """The events of each message: a text with the calls that follow it, up to their results."""
    group: list[_Told] = []
    side = ""
    closed = False
    for event in events:
        if isinstance(event, ReturnedEvent):
            closed = True
            continue
        if isinstance(event, SaidEvent):
            if event.role == "system":
                continue
            now: str = event.role
            new = True
        else:
            now = event.requestor
            new = False
        if group and (new or closed or now != side):
            yield side, group
            group = []
        side, closed = now, False
        group.append(event)
    if group:
        yield side, group


def _match_results(events: Sequence[_Told]) -> tuple[dict[int, ReturnedEvent], list[str]]:
    """Each call's result, by the identity of the call's event; and notes on results of no call."""
    waiting: list[CalledEvent] = []
    newest: list[CalledEvent] = []  # the calls of the last message that made some
    closed = False
    found: dict[int, ReturnedEvent] = {}
    notes: list[str] = []
    for event in events:
        if isinstance(event, CalledEvent):
            waiting.append(event)
            newest = [event] if closed else [*newest, event]
            closed = False
            continue
        closed = closed or isinstance(event, ReturnedEvent) or event.role != "system"
        if isinstance(event, ReturnedEvent):
            call = next((one for one in waiting if event.id and one.id == event.id), None)
            if call is None:
                # What an earlier message called and nobody answered keeps no place in the row.
                loose = [one for one in newest if id(one) not in found and not (event.id and one.id)]
                loose = loose[-1:] if event.beside else loose
                named = (one for one in loose if event.name and one.name == event.name)
                call = next(named, loose[0] if loose and not event.name else None)
            if call is None:
                notes.append(f"a result of no call is left out: {event.content[:80]}")
            else:
                waiting = [one for one in waiting if one is not call]
                found[id(call)] = event
    return found, notes
