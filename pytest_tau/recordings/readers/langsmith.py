"""Exports of LangSmith: runs of models, tools and chains, flat or with ``child_runs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers import answer_of
from ..dialects import all_events, inner, text_of
from ..logged import CalledEvent, LoggedConversation, Part, ReturnedEvent, Unread
from .building import UNREADABLE, each, longest, why_unread
from .tracing import ModelCall, ToolRun, Trace, conversation_of, trace_of

NAME = "langsmith"


def recognises(value: Any) -> bool:
    """Whether it is a run."""
    return isinstance(value, Mapping) and "run_type" in value and ("inputs" in value or "outputs" in value)


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each thread; traces that belong to none are put together where one begins with the other."""
    traces: dict[str, Trace] = {}
    threads: dict[str, str] = {}  # by trace, as its first run that names one has it
    logged: list[tuple[Part, Mapping[str, Any]]] = []
    for part in parts:
        for run in _runs(part.value):
            if not isinstance(run, Mapping):
                yield Unread(part.where, "a run is not an object")
                continue
            logged.append((part, run))
            if run["trace_id"] and (thread := _thread(run)):
                threads.setdefault(str(run["trace_id"]), thread)
    named: set[str] = set()
    for part, run in logged:
        thread = _thread(run) or threads.get(str(run["trace_id"]), "")
        named |= {thread} - {""}
        name = thread or str(run["trace_id"] or part.where)
        try:
            _add(trace_of(traces, name, part), run)
        except UNREADABLE as error:
            yield Unread(part.where, f"run {str(run.get('id'))[:40]}: {why_unread(error)}")
    for trace in traces.values():
        if not trace.entries:
            yield Unread(trace.where, f"trace {trace.name} has no run of a model with messages")
    told = [Part(trace.where, trace) for trace in traces.values() if trace.entries]
    yield from longest(each(told, lambda part: conversation_of(part.value, NAME)), named)


def _runs(run: Any, trace: Any = None) -> Iterator[Any]:
    """A run and those within it, each with the name of its trace; what is no object as it is."""
    if not isinstance(run, Mapping):
        yield run
        return
    trace = run.get("trace_id") or trace or run.get("id")
    yield {**run, "trace_id": trace}
    children = run.get("child_runs") or []
    for child in children if isinstance(children, list) else [children]:
        yield from _runs(child, trace)


def _thread(run: Mapping[str, Any]) -> str:
    """The conversation that a run says it is of, "" where it says none."""
    meta = inner(inner(run, "extra"), "metadata")
    keys = ("thread_id", "session_id", "conversation_id")
    return next((str(meta[key]) for key in keys if isinstance(meta.get(key), str)), "")


def _add(trace: Trace, run: Mapping[str, Any]) -> None:
    at = str(run.get("dotted_order") or run.get("start_time") or "")
    given = inner(run, "inputs")
    gave = inner(run, "outputs")
    if run["run_type"] in ("llm", "chat_model"):
        events = all_events(given.get("messages") or [])
        extra = inner(run, "extra")
        params = inner(extra, "invocation_params")
        trace.entries.append(
            ModelCall(at, events, answer_of(run.get("outputs")), params.get("tools") or given.get("tools"))
        )
    elif run["run_type"] == "tool" and isinstance(run.get("name"), str):
        arguments = given.get("input", given) if set(given) <= {"input"} else given
        [call] = all_events([{"type": "function_call", "name": run["name"], "arguments": _as_object(arguments)}])
        failed = bool(run.get("error"))
        output = run["error"] if failed else gave.get("output", gave)
        if isinstance(output, Mapping) and "content" in output:
            output = output["content"]
        if isinstance(call, CalledEvent):
            trace.entries.append(ToolRun(at, call, ReturnedEvent("", text_of(output), failed)))


def _as_object(arguments: Any) -> Any:
    """LangChain logs a tool's input as the Python text of an object."""
    import ast

    if not isinstance(arguments, str):
        return arguments
    try:
        value = ast.literal_eval(arguments)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments
