"""What traces have in common: model calls and tool calls in the order of time, and one conversation out of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..logged import CalledEvent, Event, LoggedConversation, Part, ReturnedEvent, SaidEvent
from .building import conversation, put_together

# Times of a trace are of one form, so they can be compared as they are. The two days are how tools write that there is
# none, as is a number 0.
_TIME = re.compile(r"(?!1970-01-01|0001-01-01)\d*[1-9]")


@dataclass(frozen=True)
class ModelCall:
    """What a model was given and what it gave."""

    at: str
    given: list[Event]
    gave: list[Event]
    tools: Any = None


@dataclass(frozen=True)
class ToolRun:
    """A tool that ran."""

    at: str
    call: CalledEvent
    result: ReturnedEvent


@dataclass
class Trace:
    """All that is known of one conversation: model calls and tools as they stand in the file, and agents' own spans.

    ``at`` of each is a text, which may hold no time.
    """

    name: str
    where: str
    entries: list[ModelCall | ToolRun] = field(default_factory=list)
    whole: list[tuple[str, list[Event]]] = field(default_factory=list)

    @property
    def calls(self) -> list[ModelCall]:
        """The model calls."""
        return [one for one in self.entries if isinstance(one, ModelCall)]


def trace_of(traces: dict[str, Trace], name: str, part: Part) -> Trace:
    """The trace of that name."""
    return traces.setdefault(name, Trace(name, part.where))


def conversation_of(trace: Trace, format: str) -> LoggedConversation:
    """A trace as a conversation.

    Model calls tell of nearly all: each is given what was said before. A result that no later call was given stands in
    the tool's own span. Where calls do not say what they were given, the order of time has to do.
    """
    ordered = [one for _, one in sorted(_places(trace), key=lambda place: place[0])]
    calls = [one for one in ordered if isinstance(one, ModelCall)]
    if not any(any(isinstance(event, SaidEvent) for event in one.given) for one in calls):
        events = _by_time(trace)
    else:
        events = put_together(
            [piece for one in calls for piece in (one.given, [*_without_system(one.given), *one.gave])]
        )
        events = _with_results(events, [one for one in ordered if isinstance(one, ToolRun)])
    tools = next((one.tools for one in calls if one.tools), None)
    return conversation(trace.name, events, format=format, where=trace.where, tools=tools)


def _places(trace: Trace) -> Iterator[tuple[tuple[str, int], ModelCall | ToolRun]]:
    """Each entry with what it is to be sorted by: its time, of equal ones calls before the tools that they called.

    One without a time that can be read stays behind the one that it follows in the file.
    """
    now = ""
    for one in trace.entries:
        timed = _TIME.match(one.at) is not None
        now = _moment(one.at) if timed else now
        yield (now, 3 if not timed else 2 if isinstance(one, ToolRun) else 1), one


def _moment(at: str) -> str:
    """A time as it can be sorted: a Z would stand behind the fractions of a second that another time has more of."""
    return at.removesuffix("Z")


def _without_system(given: Sequence[Event]) -> list[Event]:
    return [event for event in given if not (isinstance(event, SaidEvent) and event.role == "system")]


def _by_time(trace: Trace) -> list[Event]:
    """Where nothing says what came before: texts and tools in the order of time, each once."""
    entries: list[tuple[tuple[str, int], list[Event]]] = []
    for at, found in trace.whole:
        now = _moment(at) if _TIME.match(at) else entries[-1][0][0] if entries else ""
        entries.append(((now, 0), found))
    ran = {one.call.id for one in trace.entries if isinstance(one, ToolRun) and one.call.id}
    for place, one in _places(trace):
        if isinstance(one, ToolRun):
            entries.append((place, [one.call, replace(one.result, beside=True)]))
            continue
        gave = [event for event in one.gave if not (isinstance(event, CalledEvent) and event.id in ran)]
        entries.append((place, [*one.given, *gave]))
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
