"""The calls of a conversation beside their results, and its lines: what the two sides said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from ..errors import RecordingError
from ..patterns import lazy
from ..printable import one_line
from .checks import Reason
from .messages import AnyMessage, ToolCall, ToolMessage

Call = tuple[int, ToolCall, ToolMessage | None]
"""The turn it was made in, from 0, the call, and its result if there is one."""
DoneCall = tuple[int, ToolCall, ToolMessage]
"""The same of a call that succeeded."""


ShownRecord = tuple[int, dict[str, Any], frozenset[str]]
"""The turn of a result that is one record, the record, and the texts among its values: its ids are some of them."""


# Letters only: a quotation mark or a backslash stays as JSON has it.
_ESCAPES = lazy(r"(?<!\\)(?:\\u(?!00[0-7])[0-9a-fA-F]{4})+")


class Line(NamedTuple):
    """What one side said, calls beside it or not; the turn counts from 0."""

    turn: int
    by_agent: bool
    text: str
    calls: bool


class Transcript(tuple[AnyMessage, ...]):
    """The messages of a conversation that several criteria look at: its calls and lines are found once."""

    @cached_property
    def calls(self) -> list[Call]:
        """What :func:`calls_made` finds."""
        return _calls(self)

    @cached_property
    def done(self) -> list[DoneCall]:
        """What :func:`calls_done` finds."""
        return _done(self.calls)

    @cached_property
    def lines(self) -> list[Line]:
        """What :func:`lines_of` finds."""
        return _lines(self)

    @cached_property
    def shown(self) -> list[ShownRecord]:
        """What :func:`records_shown` finds."""
        return _find_records(self)

    @cached_property
    def reasons(self) -> dict[int, tuple[Reason, int | None]]:
        """By the ids of checks: the check, so that its id stays, and the turn that :mod:`.said` has found for it."""
        return {}


NO_JSON = object()
"""What :func:`parse_result` gives of a result that is a plain text."""


def readable(content: str) -> str:
    r"""A result with its letters where JSON has escapes for them, as people write them: Zo\u00eb is Zoë."""
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), content) if "\\u" in content else content


def shows(result: ToolMessage, text: str | None) -> bool:
    """Whether a result has a text in it, letter by letter or as JSON escapes it; None is in every result."""
    content = result.content or ""
    return text is None or text in content or text in readable(content)


@lru_cache(maxsize=512)
def parse_result(content: str) -> Any:
    """A result's JSON, which nobody may change: several criteria look into it, and trials of a task show the same."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return NO_JSON


@lru_cache(maxsize=512)
def records_in(content: str) -> tuple[dict[str, Any], ...]:
    """Every object in a result, the inner ones too."""
    waiting, found = [parse_result(content)], list[dict[str, Any]]()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found.append(value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return tuple(found)


def leaves(value: Any) -> list[tuple[str, Any]]:
    """The values inside arguments or a result, each with the name it goes by."""
    found: list[tuple[str, Any]] = []
    _collect(value, "", found)
    return found


def _collect(value: Any, name: str, found: list[tuple[str, Any]]) -> None:
    """Add the values inside one: results are large, and a generator in a generator takes several times as long."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                _collect(inner, str(key), found)
            else:
                found.append((str(key), inner))
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, name, found)
    else:
        found.append((name, value))


def calls_made(messages: Sequence[AnyMessage]) -> list[Call]:
    """Every call with the turn it was made in and its result."""
    return messages.calls if isinstance(messages, Transcript) else _calls(messages)


def calls_done(messages: Sequence[AnyMessage]) -> list[DoneCall]:
    """Every call that succeeded, with its turn and its result."""
    return messages.done if isinstance(messages, Transcript) else _done(_calls(messages))


def calls_not_failed(messages: Sequence[AnyMessage]) -> list[Call]:
    """Every call but those that did nothing; one without a result, which has ended a conversation, is among them."""
    return [made for made in calls_made(messages) if made[2] is None or not made[2].failed]


def lines_of(messages: Sequence[AnyMessage]) -> list[Line]:
    """What was said, in order; a message without a text is no line."""
    return messages.lines if isinstance(messages, Transcript) else _lines(messages)


def records_shown(messages: Sequence[AnyMessage]) -> list[ShownRecord]:
    """The results that are one record, in order; those of calls that failed are left out."""
    return messages.shown if isinstance(messages, Transcript) else _find_records(messages)


def _done(calls: Sequence[Call]) -> list[DoneCall]:
    return [(turn, call, result) for turn, call, result in calls if result is not None and not result.error]


def _find_records(messages: Sequence[AnyMessage]) -> list[ShownRecord]:
    results = [(turn, one.content or "") for turn, one in enumerate(messages) if one.role == "tool" and not one.error]
    return [(turn, *shown) for turn, content in results if (shown := _record_in(content)) is not None]


@lru_cache(maxsize=512)
def _record_in(content: str) -> tuple[dict[str, Any], frozenset[str]] | None:
    """The record that a result is, and the texts among its values; None for any other result."""
    record = parse_result(content)
    if not isinstance(record, dict):
        return None
    return record, frozenset(one for one in record.values() if isinstance(one, str))


def _lines(messages: Sequence[AnyMessage]) -> list[Line]:
    return [
        Line(turn, message.role == "assistant", text, bool(message.tool_calls))
        for turn, message in enumerate(messages)
        if message.role != "tool" and (text := message.text)
    ]


def _calls(messages: Sequence[AnyMessage]) -> list[Call]:
    found: list[Call] = []
    for turn, message in enumerate(messages):
        if message.role == "tool" or not (calls := message.tool_calls):
            continue
        for offset, call in enumerate(calls, start=turn + 1):
            result = messages[offset] if offset < len(messages) else None
            found.append((turn, call, result if isinstance(result, ToolMessage) else None))
    return found


def calls_with_results(messages: Sequence[AnyMessage]) -> Iterator[tuple[ToolCall, ToolMessage]]:
    """Every call with its result, in order; raises RecordingError where they do not pair up."""
    return ((call, result) for _, call, result in calls_with_places(messages))


def calls_with_places(messages: Sequence[AnyMessage]) -> Iterator[tuple[int, ToolCall, ToolMessage]]:
    """Every call with its result, in order, and the place of that among the messages."""
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.role == "tool":
            raise RecordingError("Tool message not expected. Tool messages should always follow a tool call.")
        for call in message.tool_calls or []:
            result = messages[position] if position < len(messages) else None
            if not isinstance(result, ToolMessage):
                raise RecordingError(f"Tool message expected. Got {None if result is None else type(result)}.")
            if call.id != result.id:
                raise RecordingError(f"Tool call id mismatch. Got {one_line(call.id)} and {one_line(result.id)}")
            if call.requestor != result.requestor:
                raise RecordingError(f"Got tool message from {result.requestor}, expected {call.requestor}.")
            yield position, call, result
            position += 1
