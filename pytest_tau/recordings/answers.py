"""What a model gave, out of whatever a program keeps its answer in: choices, generations, an output, a text of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..files import loads_or_text
from .dialects import all_events, is_block, is_call_block, is_message, text_of
from .logged import Event, LeftOutEvent, SaidEvent

# Where a model's answer stands in what was logged of its call; of several choices the first was said.
_CHOICES = ("choices", "generations")
_ANSWERS = (
    "response", "response_body", "body", "completion", *_CHOICES, "messages", "message", "output", "outputs", "text",
)  # fmt: skip
_OF_ERRORS = ("body", "message")


def answer_of(value: Any) -> list[Event]:
    """What a model gave, in whatever a program keeps it in; a single text is the agent's. Raises RecordingError.

    Where that holds no message, it is told of: the call was made all the same, and what it was given is known.
    """
    events = _answer(value)
    if events or value in (None, "", [], {}):
        return events
    return [LeftOutEvent(f"an answer is left out, as it holds no message: {text_of(value)[:80]}")]


def _answer(value: Any) -> list[Event]:
    if isinstance(value, str):
        held = loads_or_text(value) if value[:1] in ("{", "[") else value
        # An agent may answer in JSON, so only what is clearly a message is one.
        if isinstance(held, Mapping) and ("choices" in held or is_message(held)):
            return _answer(held)
        if isinstance(held, list) and held and all(map(is_message, held)):
            return all_events(held)
        return [SaidEvent("assistant", value)] if value.strip() else []
    if isinstance(value, list):
        if value and not any(isinstance(one, list) or is_message(one) for one in value):
            is_one = all(is_block(one) or is_call_block(one) for one in value)
            value = [{"role": "assistant", "content": value}] if is_one else []
        return all_events(value)
    if not isinstance(value, Mapping):
        return []
    if is_message(value) or "content" in value or "tool_calls" in value:
        return all_events([value if is_message(value) else {"role": "assistant", **value}])
    for key in _ANSWERS:
        held = value.get(key)
        while key in _CHOICES and isinstance(held, list) and held:
            held = held[0]
        if key in _OF_ERRORS and isinstance(held, str) and isinstance(held := loads_or_text(held), str):
            continue  # a server's words, not the agent's
        if events := _answer(held):
            return events
    return []
