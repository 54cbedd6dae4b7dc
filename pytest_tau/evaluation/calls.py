"""The calls of a conversation beside their results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..schema.messages import AnyMessage, ToolCall, ToolMessage

Call = tuple[int, ToolCall, ToolMessage | None]
"""The turn it was made in, from 0, the call, and its result if there is one."""


class Transcript(tuple[AnyMessage, ...]):
    """The messages of a conversation that several criteria look at: its calls are found once."""

    @cached_property
    def calls(self) -> list[Call]:
        """What :func:`calls_made` finds."""
        return _calls(self)


def calls_made(messages: Sequence[AnyMessage]) -> list[Call]:
    """Every call with the turn it was made in and its result."""
    return messages.calls if isinstance(messages, Transcript) else _calls(messages)


def _calls(messages: Sequence[AnyMessage]) -> list[Call]:
    found: list[Call] = []
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        for offset, call in enumerate(message.tool_calls or [], start=turn + 1):
            result = messages[offset] if offset < len(messages) else None
            found.append((turn, call, result if isinstance(result, ToolMessage) else None))
    return found
