"""Traces of OpenTelemetry: its conventions for generative AI, and OpenInference's.

OTLP as JSON (``resourceSpans``), spans as the SDKs' console exporters print them, or spans with flat attributes, as
JSON lines or in a list. Spans of one conversation are told by ``gen_ai.conversation.id`` or ``session.id``, else by
their trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import RecordingError
from ...files import loads_or_text
from ..dialects import all_events, inner, text_of
from ..logged import CalledEvent, Event, LoggedConversation, Part, ReturnedEvent, SaidEvent, Unread
from .building import UNREADABLE, each, longest, why_unread
from .tracing import ModelCall, ToolRun, Trace, conversation_of, trace_of

NAME = "spans"
_SESSIONS = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
_LEVELS = (("resourceSpans",), ("scopeSpans", "instrumentationLibrarySpans"), ("spans",))
_NUMBERED = re.compile(r"\d{1,6}")


def recognises(value: Any) -> bool:
    """Whether it is an export of spans, or one span."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("resourceSpans"), list):
        return True
    return ("attributes" in value or any(str(key).startswith("attributes.") for key in value)) and any(
        key in value for key in ("traceId", "trace_id", "context", "context.trace_id", "spanId", "span_id")
    )


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each session or trace that holds a model call."""
    traces: dict[str, Trace] = {}
    named: dict[str, dict[str, str]] = {}
    logged = [
        (part, span)
        for part in parts
        for span in (_spans(part.value) if "resourceSpans" in part.value else [part.value])
    ]
    if not logged:
        yield Unread(parts[0].where, "holds no span")
    spans: list[tuple[Part, dict[str, Any]]] = []
    for part, one in logged:
        try:
            spans.append((part, _span(one)))
        except UNREADABLE as error:
            yield Unread(part.where, why_unread(error))
    for _, span in spans:
        for key in _SESSIONS:
            if session := span["attributes"].get(key):
                named.setdefault(span["trace"], {}).setdefault(key, str(session))
    sessions: set[str] = set()
    for part, span in spans:
        session = _session(span, named.get(span["trace"], {}))
        sessions |= {session} - {""}
        try:
            _add(trace_of(traces, session or span["trace"], part), span)
        except UNREADABLE as error:
            yield Unread(part.where, f"span {span['name']}: {why_unread(error)}")
    told = [trace for trace in traces.values() if trace.entries]
    for trace in traces.values():
        if trace not in told:
            yield Unread(trace.where, f"trace {trace.name} has no span with messages; log them with their content")
    # Where no session is named, each turn or each call is a trace.
    found = each([Part(trace.where, trace) for trace in told], lambda part: conversation_of(part.value, NAME))
    yield from longest(found, sessions)


def _session(span: Mapping[str, Any], of_trace: Mapping[str, str]) -> str:
    """Its own name, else its trace's, by the first attribute that any span of the trace has; "" where none has one."""
    key = next((key for key in _SESSIONS if key in of_trace), None)
    return "" if key is None else str(span["attributes"].get(key) or of_trace[key])


def _add(trace: Trace, span: Mapping[str, Any]) -> None:
    found = span["attributes"]
    kind = str(found.get("openinference.span.kind") or found.get("gen_ai.operation.name") or "").lower()
    at = span["start"]
    if kind in ("tool", "execute_tool") or "gen_ai.tool.call.result" in found:
        run = _tool(span)
        if run is not None:
            trace.entries.append(run)
        return
    given, gave = _input_events(found), _output_events(found)
    for event in span["events"]:
        given += _of_event(event, of_output=False)
        gave += _of_event(event, of_output=True)
    if kind in ("agent", "invoke_agent", "chain", "invoke_workflow", "workflow", "task"):
        # Their messages repeat those of the model calls below them.
        trace.whole += [(at, [event for event in given if isinstance(event, SaidEvent)])] if given else []
        trace.whole += [(span["end"], [e for e in gave if isinstance(e, SaidEvent)])] if gave else []
        return
    if given or gave:
        tools = found.get("gen_ai.tool.definitions") or [
            _decode(inner(tool, "tool").get("json_schema")) for tool in _list_at(found, "llm.tools")
        ]
        trace.entries.append(ModelCall(at, given, gave, _decode(tools)))


def _input_events(found: Mapping[str, Any]) -> list[Event]:
    events: list[Event] = []
    system = _decode(found.get("gen_ai.system_instructions"))
    if system:
        events.append(SaidEvent("system", text_of(system)))
    for messages in (
        _decode(found.get("gen_ai.input.messages")),
        _list_at(found, "gen_ai.prompt"),
        _list_at(found, "llm.input_messages"),
    ):
        if messages:
            return events + all_events(messages)
    return events


def _output_events(found: Mapping[str, Any]) -> list[Event]:
    for messages in (
        _decode(found.get("gen_ai.output.messages")),
        _list_at(found, "gen_ai.completion"),
        _list_at(found, "llm.output_messages"),
    ):
        if messages:
            return all_events(messages)
    return []


def _of_event(event: Mapping[str, Any], *, of_output: bool) -> list[Event]:
    """The messages of an event, as the conventions had them before messages became attributes."""
    name, found = str(event.get("name") or ""), event["attributes"]
    body = _decode(found.get("event_body") or found.get("body") or found.get("gen_ai.event.content")) or dict(found)
    if not name.startswith("gen_ai.") or not isinstance(body, Mapping):
        return []
    if name == "gen_ai.choice":
        message = _decode(body.get("message", body))
        return all_events([{"role": "assistant", **message}]) if of_output and isinstance(message, Mapping) else []
    role = name.removeprefix("gen_ai.").removesuffix(".message")
    if of_output or role not in ("system", "user", "assistant", "tool"):
        return []
    return all_events([{**body, "role": role}])


def _tool(span: Mapping[str, Any]) -> ToolRun | None:
    found = span["attributes"]
    name = found.get("gen_ai.tool.name") or found.get("tool.name") or span["name"].removeprefix("execute_tool ")
    given = _first(found, "gen_ai.tool.call.arguments", "tool.parameters", "input.value")
    result = _first(found, "gen_ai.tool.call.result", "output.value")
    if given is None and result is None:
        return None
    id = str(_first(found, "gen_ai.tool.call.id", "tool_call.id", "tool.id") or "")
    given = _decode(given)
    if isinstance(given, str) and given:
        return None  # a tool of one argument that keeps its value only; the model's call has all
    [call] = all_events([{"type": "function_call", "call_id": id, "name": str(name), "arguments": given or {}}])
    if not isinstance(call, CalledEvent):
        return None
    failed = span["failed"] or "error.type" in found
    text = text_of(result) if result is not None else str(span["failed"] or "")
    return ToolRun(span["start"], call, ReturnedEvent(id, text, bool(failed)))


def _first(found: Mapping[str, Any], *keys: str) -> Any:
    return next((found[key] for key in keys if found.get(key) is not None), None)


def _decode(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    return loads_or_text(value)


def _list_at(found: Mapping[str, Any], key: str) -> list[Any]:
    """The list that attributes such as ``key.0.role`` spell; they may also hold it as a list."""
    if isinstance(held := _decode(found.get(key)), list):
        return held
    tree: dict[str, Any] = {}
    for name, value in found.items():
        if not name.startswith(f"{key}."):
            continue
        node = tree
        *path, last = name[len(key) + 1 :].split(".")
        for step in path:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                raise RecordingError(f"the attribute {name} contradicts another one")
        node[last] = value
    made = _as_lists(tree)
    return made if isinstance(made, list) else []


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    made = {key: _as_lists(held) for key, held in value.items()}
    if made and all(_NUMBERED.fullmatch(key) for key in made):
        return [made[key] for key in sorted(made, key=int)]
    # ``message.role`` beside ``message.tool_calls`` is one level, which the messages of others do not have.
    return made["message"] if set(made) == {"message"} else made


def _spans(value: Any, levels: Sequence[Sequence[str]] = _LEVELS) -> Iterator[Any]:
    """The spans of an export; what stands in the place of such as hold some and is no object is given as it is."""
    if not levels or not isinstance(value, Mapping):
        yield value
        return
    held = _first(value, *levels[0]) or []
    for below in held if isinstance(held, list) else [held]:
        yield from _spans(below, levels[1:])


def _span(span: Any) -> dict[str, Any]:
    """A span in one form: trace, name, start, end, attributes by name, events, and the text of a failure."""
    if not isinstance(span, Mapping):
        raise RecordingError("a span is not an object")
    context = inner(span, "context")
    trace = _first(span, "traceId", "trace_id", "context.trace_id") or context.get("trace_id") or "trace"
    flat = {k.removeprefix("attributes."): v for k, v in span.items() if str(k).startswith("attributes.")}
    status = span.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else status or ""
    bad = str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR")
    told = status.get("message") or status.get("description") if isinstance(status, Mapping) else None
    return {
        "trace": str(trace),
        "name": str(span.get("name") or ""),
        "start": _time(_first(span, "startTimeUnixNano", "start_time", "startTime")),
        "end": _time(_first(span, "endTimeUnixNano", "end_time", "endTime")),
        "attributes": flat | _attributes(span.get("attributes")),
        "events": [
            {"name": event.get("name"), "attributes": _attributes(event.get("attributes"))}
            for event in span.get("events") or []
            if isinstance(event, Mapping)
        ],
        "failed": (told or "the call failed") if bad else "",
    }


def _time(value: Any) -> str:
    """What can be sorted: texts of times are in the order of time, and numbers are made as long as each other."""
    return f"{int(value):020d}" if str(value).isdigit() and len(str(value)) < 30 else str(value or "")


def _attributes(given: Any) -> dict[str, Any]:
    """Attributes by name, from OTLP's pairs or an object, whose levels become dots."""
    if isinstance(given, list):
        return {str(pair.get("key")): _value(pair.get("value")) for pair in given if isinstance(pair, Mapping)}
    if not isinstance(given, Mapping):
        return {}
    made: dict[str, Any] = {}
    for key, value in given.items():
        if isinstance(value, Mapping):
            made |= {f"{key}.{below}": deep for below, deep in _attributes(value).items()}
        made[str(key)] = value
    return made


def _value(value: Any) -> Any:
    """A value of OTLP's JSON."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(held := value.get("arrayValue"), Mapping):
        return [_value(one) for one in held.get("values") or []]
    if isinstance(held := value.get("kvlistValue"), Mapping):
        return _attributes(held.get("values"))
    if isinstance(number := value.get("intValue"), str):
        return int(number) if number.lstrip("-").isdigit() and len(number) < 30 else number
    return next((value[key] for key in ("stringValue", "boolValue", "doubleValue", "intValue") if key in value), None)
