"""What a reader makes of the values of a log, and its messages in short."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pytest_tau.recordings.logged import LoggedConversation, Part, Unread
from pytest_tau.schema.messages import ToolMessage

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"order_id": "O1"}'}}
ASKED = {"role": "user", "content": "Hi"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWERED = {"role": "assistant", "content": "Hello"}


def made(reader: ModuleType, *values: Any) -> list[LoggedConversation | Unread]:
    """What it finds in these lines, all of which it takes for its own."""
    assert all(map(reader.recognises, values))
    return list(reader.conversations([Part(f"log:{number}", one) for number, one in enumerate(values, 1)]))


def only(reader: ModuleType, *values: Any) -> LoggedConversation:
    """The one conversation that it finds."""
    [found] = made(reader, *values)
    assert isinstance(found, LoggedConversation), found
    return found


def shown(conversation: LoggedConversation) -> list[str]:
    """Each message in a few words: who, what was said or returned, and what was called."""
    found = []
    for one in conversation.messages:
        if isinstance(one, ToolMessage):
            found.append(f"{'failed' if one.error else 'tool'} {one.content}")
        else:
            calls = [f"{call.name}({', '.join(map(str, call.arguments.values()))})" for call in one.tool_calls or ()]
            found.append(" ".join(filter(None, [one.role, one.content, *calls])))
    return found
