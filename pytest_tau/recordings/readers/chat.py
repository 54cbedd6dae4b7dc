"""Message logs of chat completions: an object with ``messages``, one conversation each.

Also a logged request with its response, as proxies keep them: requests of one conversation are put together by their
``conversation_id``, ``session_id`` or ``thread_id``, or else because each begins with what came before. Messages may
be in any dialect that :mod:`..dialects` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import RecordingError
from ..dialects import all_events, inner, merge
from ..logged import Event, LoggedConversation, Part, SaidEvent, Unread
from .building import conversation, each, name_of

NAME = "chat"
_IDS = ("conversation_id", "session_id", "thread_id", "id", "trace_id")


def recognises(value: Any) -> bool:
    """Whether it has a list of messages, or a request that has, or is a list of messages itself."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, Mapping) and ("role" in one or "type" in one) for one in value)
    return isinstance(value, Mapping) and isinstance(_request(value).get("messages"), list)


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each part, or for the parts that are calls of one conversation."""
    last: tuple[LoggedConversation, list[Event]] | None = None
    for part in parts:
        found = next(each([part], lambda part: _read(part)[0]))
        if isinstance(found, Unread):
            yield found
            continue
        events = _read(part)[1]
        is_call = isinstance(part.value, Mapping) and _response(part.value) is not None
        if last is not None and is_call and _goes_on(last[1], events):
            together = merge(last[1], events)
            known = {key: value for key, value in last[0].meta.items() if key not in ("format", "where", "notes")}
            last = conversation(last[0].id, together, format=NAME, where=last[0].meta["where"], **known), together
            continue
        if last is not None:
            yield last[0]
        last = found, events
    if last is not None:
        yield last[0]


def _goes_on(before: list[Event], now: list[Event]) -> bool:
    """Whether a call's messages begin with those of the one before it."""
    first, second = (
        [e for e in events if not (isinstance(e, SaidEvent) and e.role == "system")] for events in (before, now)
    )
    return len(second) > len(first) > 0 and second[: len(first)] == first


def _read(part: Part) -> tuple[LoggedConversation, list[Event]]:
    value = part.value
    if isinstance(value, list):
        events = all_events(value)
        return conversation(name_of({}, part.where), events, format=NAME, where=part.where), events
    request, response = _request(value), _response(value)
    events = [*_system(request), *all_events(request["messages"])]
    if response is not None:
        events += all_events([response])
    meta = inner(value, "metadata")
    name = name_of({**meta, **value}, part.where, *_IDS)
    reward = value.get("reward", meta.get("reward"))
    made = conversation(
        name,
        events,
        format=NAME,
        where=part.where,
        tools=request.get("tools"),
        reward=reward if isinstance(reward, (int, float)) else None,
    )
    return made, events


def _system(request: Mapping[str, Any]) -> list[Event]:
    """The system prompt that stands beside the messages."""
    system = request.get("system")
    return [SaidEvent("system", system)] if isinstance(system, str) and system else []


def _request(value: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("request", "body", "kwargs", "request_body", "inputs", "input"):
        if "messages" in (held := inner(value, key)):
            return held
    return value


def _response(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message that a logged call gave; None where there is none."""
    for key in ("response", "response_body", "completion", "output", "outputs"):
        held = inner(inner(value, key), "body") or inner(value, key)
        if isinstance(choices := held.get("choices"), list) and choices:
            if isinstance(choices[0], Mapping) and (message := inner(choices[0], "message")):
                return message
            raise RecordingError("the response has no message")
        if "role" in held:
            return held
    return None
