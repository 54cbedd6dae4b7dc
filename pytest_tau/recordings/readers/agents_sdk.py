"""The OpenAI Agents SDK's own traces, as a trace processor exports them: ``trace`` and ``trace.span`` objects.

Generations have the messages, functions the results. Runs are told apart by their trace, and the runs of one chat are
put together, as each begins with the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..dialects import all_events, inner, text_of
from ..logged import CalledEvent, LoggedConversation, Part, ReturnedEvent, Unread
from .building import UNREADABLE, each, longest, why_unread
from .tracing import ModelCall, ToolRun, Trace, conversation_of, trace_of

NAME = "agents_sdk"


def recognises(value: Any) -> bool:
    """Whether it is a trace or a span of one."""
    return isinstance(value, Mapping) and value.get("object") in ("trace", "trace.span")


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each chat, as far as its spans hold what was said."""
    groups = {str(part.value.get("id")): part.value.get("group_id") for part in parts if "workflow_name" in part.value}
    traces: dict[str, Trace] = {}
    for part in parts:
        if part.value["object"] == "trace":
            continue
        try:
            # The runs of a group may be of one chat or of several, so each is a trace first.
            _add(trace_of(traces, str(part.value.get("trace_id")), part), part.value)
        except UNREADABLE as error:
            yield Unread(part.where, why_unread(error))
    told = {name: trace for name, trace in traces.items() if trace.calls}
    if not told:
        yield Unread(parts[0].where, "no span holds messages; log them with their content, or export the items")
    for name, trace in told.items():
        trace.name = str(groups.get(name) or name)
    found = each([Part(trace.where, trace) for trace in told.values()], lambda part: conversation_of(part.value, NAME))
    yield from longest(found, {str(group) for group in groups.values() if group})


def _add(trace: Trace, span: Mapping[str, Any]) -> None:
    data = inner(span, "span_data")
    at = str(span.get("started_at") or "")
    if data.get("type") == "generation":
        given, gave = data.get("input") or [], data.get("output") or []
        trace.entries.append(ModelCall(at, all_events(given), all_events(gave)))
    elif data.get("type") == "function" and data.get("output") is not None:
        [call] = all_events([{"type": "function_call", "name": data.get("name"), "arguments": data.get("input") or {}}])
        if isinstance(call, CalledEvent):
            trace.entries.append(ToolRun(at, call, ReturnedEvent("", text_of(data["output"]), bool(span.get("error")))))
