"""Exports of Langfuse: traces with their observations, or observations by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import RecordingError
from ..answers import answer_of
from ..dialects import all_events, text_of
from ..logged import CalledEvent, Event, LoggedConversation, Part, ReturnedEvent, Unread
from .building import UNREADABLE, each, longest, why_unread
from .tracing import ModelCall, ToolRun, Trace, conversation_of, trace_of

NAME = "langfuse"
_KINDS = {"GENERATION", "SPAN", "EVENT", "TOOL", "AGENT", "CHAIN"}


def recognises(value: Any) -> bool:
    """Whether it is a trace or an observation."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("observations"), list):
        return True
    return "traceId" in value and value.get("type") in _KINDS


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each session; traces that belong to none are put together where one begins with the other."""
    traces: dict[str, Trace] = {}
    sessions = {str(part.value["sessionId"]) for part in parts if part.value.get("sessionId")}
    told: set[str] = set()
    for part in parts:
        value = part.value
        own = value["observations"] if isinstance(value.get("observations"), list) else [value]
        name = str(value.get("sessionId") or value.get("traceId") or value.get("id") or part.where)
        trace = trace_of(traces, name, part)
        known = len(trace.calls)
        for one in own:
            if not isinstance(one, Mapping):
                yield Unread(part.where, "an observation is not an object")
                continue
            try:
                _add(trace, one)
            except UNREADABLE as error:
                told.add(name)
                yield Unread(part.where, f"observation {str(one.get('id'))[:40]}: {why_unread(error)}")
        if "observations" in value and len(trace.calls) == known and value.get("input") is not None:
            # A trace whose calls were not traced still says what was asked and answered.
            at = str(value.get("timestamp") or "")
            try:
                given, gave = _messages(value["input"]), answer_of(value.get("output"))
                trace.entries.append(ModelCall(at, given, gave))
            except UNREADABLE as error:
                told.add(name)
                yield Unread(part.where, f"trace {name[:40]}: {why_unread(error)}")
    # Of one that could not be read, that was said.
    left = [Part(trace.where, trace) for name, trace in traces.items() if trace.entries or name not in told]
    yield from longest(each(left, lambda part: conversation_of(part.value, NAME)), sessions)


def _add(trace: Trace, one: Mapping[str, Any]) -> None:
    at = str(one.get("startTime") or one.get("start_time") or "")
    if one.get("type") == "GENERATION":
        held = one.get("input")
        tools = held.get("tools") if isinstance(held, Mapping) else None
        trace.entries.append(ModelCall(at, _messages(held), answer_of(one.get("output")), tools))
    elif one.get("type") == "TOOL" and isinstance(one.get("name"), str):
        given = one.get("input") if one.get("input") is not None else {}
        [call] = all_events([{"type": "function_call", "name": one["name"], "arguments": given}])
        failed = one.get("level") == "ERROR"
        output = one.get("statusMessage") if one.get("output") is None else one["output"]
        result = ReturnedEvent("", text_of(output), failed)
        if isinstance(call, CalledEvent):
            trace.entries.append(ToolRun(at, call, result))


def _messages(value: Any) -> list[Event]:
    """What was asked; a single text, or a content without a role, is the user's."""
    if value is None:
        return []
    if isinstance(value, Mapping) and "messages" not in value and "role" not in value:
        if "content" not in value and "tool_calls" not in value:
            raise RecordingError("its input holds no messages")
        value = {"role": "user", **value}
    return all_events(value)
