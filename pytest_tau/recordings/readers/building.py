"""A conversation of a reader, from the events that it found; and one that cannot be read, as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ...errors import TauError
from ...schema.problems import first_problem
from ..dialects import merge, tools_of_request
from ..logged import Event, LoggedConversation, Part, Unread, messages_of

_KINDS: dict[str, tuple[type, ...]] = {
    "reward": (int, float), "system": (str,), "domain": (str,), "task_id": (str,), "ended": (str,), "trial": (int,),
}  # fmt: skip


def conversation(id: Any, events: Iterable[Event], *, format: str, where: str, **meta: Any) -> LoggedConversation:
    """Events as a conversation; ``meta`` without what is None or empty, as :class:`LoggedConversation` says."""
    messages, system, notes = messages_of(events)
    known = {"notes": notes, **meta, "system": meta.get("system") or system}
    known["tools"] = tools_of_request(meta.get("tools"))
    # A log may hold anything under these names.
    for name, kinds in _KINDS.items():
        if isinstance(known.get(name), bool) or not isinstance(known.get(name), kinds):
            known.pop(name, None)
    said = {key: value for key, value in known.items() if value not in (None, "", [], {})}
    return LoggedConversation(str(id), messages, {"format": format, "where": where, **said})


def each(parts: Iterable[Part], read: Callable[[Part], LoggedConversation]) -> Iterator[LoggedConversation | Unread]:
    """A conversation from each part; where that fails, a sentence."""
    for part in parts:
        try:
            yield read(part)
        except ValidationError as error:
            yield Unread(part.where, first_problem(error))
        except TauError as error:
            yield Unread(part.where, str(error))
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            yield Unread(part.where, f"cannot be read ({type(error).__name__}: {error})"[:200])


def put_together(pieces: Sequence[list[Event]]) -> list[Event]:
    """The pieces of one conversation, in the order of time, as one."""
    events: list[Event] = []
    for piece in pieces:
        events = merge(events, piece)
    return events


def name_of(value: Mapping[str, Any], where: str, *keys: str) -> str:
    """The first of these fields that is there, else the place in the file."""
    found = next((value[key] for key in keys if isinstance(value.get(key), (str, int)) and value[key] != ""), None)
    return str(where.rpartition("/")[2] if found is None else found)
