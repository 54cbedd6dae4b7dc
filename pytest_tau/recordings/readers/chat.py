"""Message logs of chat completions: an object with ``messages``, one conversation each.

Also a logged request with its response, as proxies and callbacks keep them: requests of one conversation are put
together because each begins with what came before. Messages may be in any dialect that :mod:`..dialects` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers import answer_of
from ..dialects import all_events, inner, is_message
from ..logged import Event, LoggedConversation, Part, SaidEvent, Unread
from .building import conversation, each, longest, name_of

NAME = "chat"
_RESPONSES = ("response", "response_body", "completion", "output", "outputs")
_IDS = tuple(f"{kind}{end}" for kind in ("conversation", "session", "thread", "chat") for end in ("_id", "Id", ""))
_OF_A_CALL = ("id", "trace_id")


def recognises(value: Any) -> bool:
    """Whether it has a list of messages, or a request that has, or is a list of messages itself, one of them odd."""
    if isinstance(value, list):
        return any(map(is_message, value))
    return isinstance(value, Mapping) and isinstance(_request(value).get("messages"), list)


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each part, or for the parts that are calls of one conversation."""
    names = [_named(part.value) for part in parts]
    turns = [part for part, name in zip(parts, names, strict=True) if name or _is_call(part.value)]
    of_turns = {id(part) for part in turns}
    yield from each([part for part in parts if id(part) not in of_turns], _read)
    yield from longest(each(turns, _read), set(names) - {""})


def _named(value: Any) -> str:
    """The conversation that a line says it is of, "" where it says none."""
    return name_of(_about(value), "", *_IDS) if isinstance(value, Mapping) else ""


def _is_call(value: Any) -> bool:
    """Whether it is one call of a model, and not a conversation."""
    return isinstance(value, Mapping) and any(key in value for key in _RESPONSES)


def _read(part: Part) -> LoggedConversation:
    value = part.value
    if isinstance(value, list):
        return conversation(name_of({}, part.where), all_events(value), format=NAME, where=part.where)
    request = _request(value)
    given = all_events(request["messages"])
    gave = answer_of({key: value[key] for key in _RESPONSES if value.get(key)})
    if given and gave[: len(given)] == given:  # a state begins with what came before
        gave = gave[len(given) :]
    events = [*_system(request), *given, *(gave if given[-len(gave) :] != gave else [])]
    about = _about(value)
    reward = about.get("reward")
    return conversation(
        name_of(about, part.where, *_IDS, *_OF_A_CALL),
        events,
        format=NAME,
        where=part.where,
        tools=request.get("tools") or inner(value, "model_parameters").get("tools"),
        reward=reward if isinstance(reward, (int, float)) else None,
    )


def _about(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is told beside the messages; LangGraph tells it in two places."""
    return {**inner(inner(value, "config"), "configurable"), **inner(value, "metadata"), **value}


def _system(request: Mapping[str, Any]) -> list[Event]:
    """The system prompt that stands beside the messages."""
    system = request.get("system")
    return [SaidEvent("system", system)] if isinstance(system, str) and system else []


def _request(value: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("request", "body", "kwargs", "request_body", "inputs", "input", "values", "state"):
        if "messages" in (held := inner(value, key)):
            return held
    return value
