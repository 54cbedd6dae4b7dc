"""Our own form, for logs of any other program: ten lines of JSON, as ``docs/from_conversations.md`` shows.

    {"id": "c1", "conversation": [
      {"role": "system", "content": "You are …"},
      {"role": "user", "content": "Please cancel order O1."},
      {"call": "get_order", "arguments": {"order_id": "O1"}, "result": {"status": "pending"}},
      {"role": "assistant", "content": "Shall I cancel it?"}
    ]}

A call stands with its result; ``error``: true, or the text, where it failed; ``by``: "user" for the customer's tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..dialects import all_events
from ..logged import LoggedConversation, Part, Unread
from .building import conversation, each, name_of

NAME = "plain"


def recognises(value: Any) -> bool:
    """Whether it has a list ``conversation``, or is a list with calls of this form."""
    if isinstance(value, list):
        return any(isinstance(one, Mapping) and "call" in one for one in value)
    return isinstance(value, Mapping) and isinstance(value.get("conversation"), list)


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each part."""
    yield from each(parts, _read)


def _read(part: Part) -> LoggedConversation:
    value = part.value if isinstance(part.value, Mapping) else {"conversation": part.value}
    events = all_events(value["conversation"])
    meta = {key: value[key] for key in ("reward", "task_id", "domain", "ended", "tools") if key in value}
    return conversation(name_of(value, part.where, "id"), events, format=NAME, where=part.where, **meta)
