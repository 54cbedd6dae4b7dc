"""Logs of the Responses API: ``input`` (a text or items) and ``output`` (items), one call or one conversation each.

Calls of one conversation are put together by ``previous_response_id``, by the id of their conversation, or because each
begins with what came before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..answers import answer_of
from ..dialects import all_events
from ..logged import Event, LoggedConversation, Part, SaidEvent, Unread
from .building import conversation, each, longest, merge, name_of

NAME = "responses"
_ITEMS = {"message", "function_call", "function_call_output", "reasoning", "custom_tool_call", "mcp_call"}


def recognises(value: Any) -> bool:
    """Whether it has items as input or output, or is a list of items."""
    if isinstance(value, list):
        return any(isinstance(one, Mapping) and one.get("type") in _ITEMS for one in value)
    if not isinstance(value, Mapping) or "messages" in value:
        return False
    if value.get("object") == "response" or "items" in value:
        return True
    request, response = _halves(value)
    return "input" in request and (_is_items(request["input"]) or _is_items(response.get("output")))


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each conversation."""
    chains: dict[str, list[Part]] = {}
    owner: dict[str, str] = {}
    own_names: set[str] = set()  # all but calls that do not say what they go on
    for part in _in_order(parts):
        value = part.value if isinstance(part.value, Mapping) else {}
        request, response = _halves(value)
        named = request.get("conversation") or value.get("conversation_id") or value.get("session_id")
        named = named.get("id") if isinstance(named, Mapping) else named
        answer, before = _ids(value)
        chain = owner.get(before) or (named if isinstance(named, str) else None) or name_of(value, part.where, "id")
        chains.setdefault(chain, []).append(part)
        if before or isinstance(named, str) or not ("input" in request and response.get("output")):
            own_names.add(chain)
        if answer:
            owner[answer] = chain
    found = [Part(own[0].where, (chain, own)) for chain, own in chains.items()]
    yield from longest(each(found, _read), own_names)


def _in_order(parts: Sequence[Part]) -> list[Part]:
    """Each behind the response that it goes on, and otherwise in the order of the file."""
    links = [_ids(part.value if isinstance(part.value, Mapping) else {}) for part in parts]
    places: dict[str, int] = {}
    for at, (answer, _) in enumerate(links):
        if answer:
            places.setdefault(answer, at)
    order: dict[int, None] = {}
    for at in range(len(parts)):
        way = {at: None}
        last = at
        while (before := places.get(links[last][1], last)) not in way and before not in order:
            way[last := before] = None
        order |= dict.fromkeys(reversed(way))
    return [parts[at] for at in order]


def _read(part: Part) -> LoggedConversation:
    chain, own = part.value
    events: list[Event] = []
    answers: set[str] = set()
    for one in own:
        piece = _events(one.value)
        answer, before = _ids(one.value) if isinstance(one.value, Mapping) else ("", "")
        # After another response all input is new, also what was said before; but a response may be logged twice.
        events = [*events, *piece] if before and answer not in answers else merge(events, piece)
        answers |= {answer} - {""}
    first = own[0].value
    request, response = _halves(first if isinstance(first, Mapping) else {})
    tools = request.get("tools") or response.get("tools")
    reward = first.get("reward") if isinstance(first, Mapping) else None
    reward = reward if isinstance(reward, (int, float)) else None
    return conversation(chain, events, format=NAME, where=part.where, tools=tools, reward=reward)


def _events(value: Any) -> list[Event]:
    if isinstance(value, list):
        return all_events(value)
    request, response = _halves(value)
    system = request.get("instructions") or response.get("instructions")
    events: list[Event] = [SaidEvent("system", system)] if isinstance(system, str) and system else []
    given = request.get("input", value.get("items"))
    return [*events, *([] if given is None else all_events(given)), *answer_of(response.get("output"))]


def _ids(value: Mapping[str, Any]) -> tuple[str, str]:
    """The id of the response, and that of the one before; "" where there is none."""
    request, response = _halves(value)
    answer = response.get("id")
    before = request.get("previous_response_id") or response.get("previous_response_id")
    return answer if isinstance(answer, str) else "", before if isinstance(before, str) else ""


def _halves(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The request and the response, which may be one object."""
    request, response = value.get("request"), value.get("response")
    return (
        request if isinstance(request, Mapping) else value,
        response if isinstance(response, Mapping) else value,
    )


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, Mapping) and one.get("type") in _ITEMS for one in value)
