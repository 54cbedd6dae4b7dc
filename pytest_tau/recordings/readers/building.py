"""A conversation of a reader, from the events that it found; and one that cannot be read, as a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ...errors import TauError
from ...schema.messages import AnyMessage, ToolMessage
from ...schema.problems import first_problem
from ..dialects import tools_of_request
from ..logged import Event, LeftOutEvent, LoggedConversation, Part, SaidEvent, Unread, messages_of

_KINDS: dict[str, tuple[type, ...]] = {
    "reward": (int, float), "system": (str,), "domain": (str,), "task_id": (str,), "ended": (str,), "trial": (int,),
}  # fmt: skip

# What a reader may raise, as a log may hold anything in any place.
UNREADABLE = (TauError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def conversation(id: Any, events: Iterable[Event], *, format: str, where: str, **meta: Any) -> LoggedConversation:
    """Events as a conversation; ``meta`` without what is None or empty, as :class:`LoggedConversation` says."""
    messages, system, notes = messages_of(events)
    known = {"notes": notes, **meta, "system": meta.get("system") or system}
    known["tools"] = tools_of_request(meta.get("tools"))
    # A log may hold anything under these names.
    for name, kinds in _KINDS.items():
        if isinstance(known.get(name), bool) or not isinstance(known.get(name), kinds):
            known.pop(name, None)
    if not 0 <= known.get("reward", 0) <= 1:  # stars, points: whether it went well they do not say
        known.pop("reward")
    said = {key: value for key, value in known.items() if value not in (None, "", [], {})}
    return LoggedConversation(str(id), messages, {"format": format, "where": where, **said})


def each(parts: Iterable[Part], read: Callable[[Part], LoggedConversation]) -> Iterator[LoggedConversation | Unread]:
    """A conversation from each part; where that fails, a sentence."""
    for part in parts:
        try:
            yield read(part)
        except UNREADABLE as error:
            yield Unread(part.where, why_unread(error))


def why_unread(error: Exception) -> str:
    """The sentence for what a reader has raised."""
    if isinstance(error, ValidationError):
        return first_problem(error)
    return str(error) if isinstance(error, TauError) else f"cannot be read ({type(error).__name__}: {error})"[:200]


def longest(
    found: Iterable[LoggedConversation | Unread], named: Collection[str]
) -> Iterator[LoggedConversation | Unread]:
    """Without those that are only the beginning of another one: each call of a model is logged with what came before.

    They come in any order, and those of several customers mixed. ``named``: the ids that the log itself gives to
    conversations; such a one is joined with those of its id only, as many customers begin alike.
    """
    kept: dict[int, LoggedConversation | Unread] = {}
    ways: dict[int, list[_Place]] = {}  # of each that is kept, by its number
    ends: dict[_Place, int] = {}  # where each ends
    passed: dict[_Place, int] = {}  # where the last of them goes on
    steps: dict[tuple[int, str, str], int] = {}
    for number, one in enumerate(found):
        kept[number] = one
        if isinstance(one, Unread) or not one.messages:
            continue
        way = _way(one.messages, one.id if one.id in named else "", steps)
        # The last that it goes on, or that goes on from it.
        alike = [ends[place] for place in way if place in ends]
        alike += [passed[way[-1]]] if way[-1] in passed else []
        at = max(alike, default=number)
        if alike:
            del kept[number]
            before = kept[at]
            if len(way) < len(ways[at]):
                continue
            if isinstance(before, LoggedConversation):
                meta = {**before.meta, **one.meta, "where": before.meta["where"]}
                if "notes" not in one.meta:  # a call that had no result yet has one now
                    meta.pop("notes", None)
                kept[at] = LoggedConversation(before.id, one.messages, meta)
            ends.pop(ways[at][-1], None)
        ways[at], ends[way[-1]] = way, at
        passed.update({place: max(at, passed.get(place, at)) for place in way})
    yield from kept.values()


_Place = tuple[int, str]
"""A message of a conversation: a number for all before it, and what it says. What the last of one calls may have no
result there yet, so its calls do not count."""


def _way(messages: Sequence[AnyMessage], name: str, steps: dict[tuple[int, str, str], int]) -> list[_Place]:
    """The places of a conversation. ``steps``: the number of each message behind those before it, as far as is known.

    So conversations that begin alike are found without comparing each with each.
    """
    way: list[_Place] = []
    now = steps.setdefault((-1, name, ""), len(steps))
    for message in messages:
        said, called = _content_of(message)
        way.append((now, said))
        now = steps.setdefault((now, said, called), len(steps))
    return way


def _content_of(message: AnyMessage) -> tuple[str, str]:
    """What a message says, and what it calls."""
    calls = () if isinstance(message, ToolMessage) else message.tool_calls or ()
    return f"{message.role}\n{message.content}", repr([(call.name, call.arguments) for call in calls])


def put_together(pieces: Sequence[list[Event]]) -> list[Event]:
    """The pieces of one conversation, in the order of time, as one."""
    events: list[Event] = []
    for piece in pieces:
        events = merge(events, piece)
    return events


def name_of(value: Mapping[str, Any], where: str, *keys: str) -> str:
    """The first of these fields that is there, else the place in the file; of a whole file its name."""
    found = next((value[key] for key in keys if isinstance(value.get(key), (str, int)) and value[key] != ""), None)
    return re.sub(r"\.(?:json|jsonl|ndjson)$", "", where.rpartition("/")[2]) if found is None else str(found)


def merge(first: list[Event], more: Iterable[Event]) -> list[Event]:
    """Two pieces of one conversation as one: the second begins with what it repeats of the first.

    Each model call is logged with all that came before it, or with its last part; a system prompt may lead it.
    """
    second = list(more)
    if not first:
        return second
    body, known = _of_both_sides(second), _of_both_sides(first)
    first = [*first, *(event for event in second if isinstance(event, LeftOutEvent) and event not in first)]
    if body[: len(known)] == known:
        return [*first, *body[len(known) :]]
    if known[: len(body)] == body:
        return first
    size = next((size for size in range(min(len(known), len(body)), 0, -1) if known[-size:] == body[:size]), 0)
    return [*first, *body[size:]]


def _of_both_sides(events: Iterable[Event]) -> list[Event]:
    """What was said, called and returned, without prompts and what was left out."""
    beside = (event for event in events if not isinstance(event, LeftOutEvent))
    return [event for event in beside if not (isinstance(event, SaidEvent) and event.role == "system")]
