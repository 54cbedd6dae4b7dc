"""What traces have in common: model calls and tool calls in the order of time, and one conversation out of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..logged import CalledEvent, Event, LoggedConversation, Part, ReturnedEvent, SaidEvent
from .building import conversation, put_together


@dataclass(frozen=True)
class ModelCall:
    """What a model was given and what it gave."""

    at: Any
    given: list[Event]
    gave: list[Event]
    tools: Any = None


@dataclass(frozen=True)
class ToolRun:
    """A tool that ran."""

    at: Any
    call: CalledEvent
    result: ReturnedEvent


@dataclass
class Trace:
    """All that is known of one conversation; ``at`` of its entries can be sorted."""

    name: str
    where: str
    calls: list[ModelCall] = field(default_factory=list)
    runs: list[ToolRun] = field(default_factory=list)
    whole: list[tuple[Any, list[Event]]] = field(default_factory=list)


def trace_of(traces: dict[str, Trace], name: str, part: Part) -> Trace:
    """The trace of that name."""
    return traces.setdefault(name, Trace(name, part.where))


def conversation_of(trace: Trace, format: str) -> LoggedConversation:
    """A trace as a conversation.

    Model calls tell of nearly all: each is given what was said before. A result that no later call was given stands in
    the tool's own span. Where calls do not say what they were given, the order of time has to do.
    """
    calls = sorted(trace.calls, key=lambda one: one.at)
    if not any(any(isinstance(event, SaidEvent) for event in one.given) for one in calls):
        events = _by_time(trace)
    else:
        events = put_together(
            [piece for one in calls for piece in (one.given, [*_without_system(one.given), *one.gave])]
        )
        events = _with_results(events, sorted(trace.runs, key=lambda one: one.at))
    tools = next((one.tools for one in calls if one.tools), None)
    return conversation(trace.name, events, format=format, where=trace.where, tools=tools)


def _without_system(given: Sequence[Event]) -> list[Event]:
    return [event for event in given if not (isinstance(event, SaidEvent) and event.role == "system")]


def _by_time(trace: Trace) -> list[Event]:
    """Where nothing says what came before: texts and tools in the order of time, each once."""
    entries: list[tuple[Any, list[Event]]] = [*trace.whole]
    ran = {run.call.id for run in trace.runs if run.call.id}
    for one in trace.calls:
        gave = [event for event in one.gave if not (isinstance(event, CalledEvent) and event.id in ran)]
        entries.append((one.at, [*one.given, *gave]))
    entries += [(run.at, [run.call, replace(run.result, beside=True)]) for run in trace.runs]
    events: list[Event] = []
    for _, found in sorted(entries, key=lambda entry: entry[0]):
        texts = [event for event in found if isinstance(event, SaidEvent)]
        if texts and len(texts) == len(found) and events[-len(texts) :] == texts:
            continue  # an agent's span repeats what its model said
        events += found
    return events


def _with_results(events: list[Event], runs: Iterable[ToolRun]) -> list[Event]:
    """With the results that only the tools' spans have, right behind their calls."""
    returned = {event.id for event in events if isinstance(event, ReturnedEvent)}
    left = list(runs)
    made: list[Event] = []
    for event in events:
        made.append(event)
        if not isinstance(event, CalledEvent) or event.id in returned:
            continue
        run = next((run for run in left if _same(run.call, event)), None)
        if run is not None:
            left.remove(run)
            made.append(ReturnedEvent(event.id, run.result.content, run.result.error, beside=True))
    return made


def _same(ran: CalledEvent, called: CalledEvent) -> bool:
    if ran.id and ran.id == called.id:
        return True
    return ran.name == called.name and ran.arguments == called.arguments
