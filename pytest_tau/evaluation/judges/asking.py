"""What all questions to a judge share: what it is shown, what may be read in its answer, how long it may take."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from ...clock import Clock, limited
from ...errors import InfraError
from ...llm.chat import Speaker
from ...schema.messages import AnyMessage, ToolMessage, attachments_of
from ...schema.reward import Judgement
from ...schema.spending import total_spent

ASKS = 4
"""How often a judge is asked until its answer can be read."""


@asynccontextmanager
async def within(timeout: float | None) -> AsyncIterator[None]:
    """Ends what takes longer than so many seconds; raises InfraError."""
    limit: asyncio.Timeout | None = None
    try:
        async with limited(Clock(timeout)) as limit:
            yield
    except TimeoutError:
        if limit is None or not limit.expired():
            raise
        raise InfraError(f"it had not answered within {timeout:g} s") from None


def judgement(model: str, speaker: Speaker, *, votes: int) -> Judgement:
    """Who judged, by so many votes (none where the provider failed before all were cast), and at what price."""
    spent = total_spent([*speaker.bill(), *speaker.wasted])
    return Judgement(model=model, prompts=speaker.parameters["prompts"], votes=votes, **spent)


def case(**parts: Any) -> str:
    """What is judged, as JSON: nothing said in the conversation can end its own text and pose as something else."""
    return json.dumps(parts, ensure_ascii=False, indent=1)


def number_messages(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """The conversation as a judge reads it who is to name a turn: each message with its number from 0."""
    return [{"turn": turn, **entry(message)} for turn, message in enumerate(messages)]


def entry(message: AnyMessage) -> dict[str, Any]:
    """A message as a judge reads it, as JSON data."""
    if isinstance(message, ToolMessage):
        returned = {"from": "tool", "failed" if message.error else "returned": message.content}
        return {**returned, **_pictures_in_words(message)}
    said: dict[str, Any] = {"from": "agent" if message.role == "assistant" else "customer"}
    if message.text:
        said["says"] = message.text
    if message.tool_calls:
        said["calls"] = [{"name": call.name, "arguments": call.arguments} for call in message.tool_calls]
    return {**said, **_pictures_in_words(message)}


def _pictures_in_words(message: AnyMessage) -> dict[str, Any]:
    """The pictures of a message, in words."""
    pictures = attachments_of(message)
    return {"shows": [one.alt or str(one) for one in pictures]} if pictures else {}


def read_number(value: Any) -> int:
    """A count or an index that a model wrote, as 4, "4" or 4.0; -1 where it is none."""
    try:
        number = float(str(value))
    except ValueError:
        return -1
    return int(number) if number.is_integer() else -1


def read_bool(value: Any) -> bool | None:
    """A verdict that a model wrote; None where it is none."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def read_text(value: Any) -> str:
    """Words that a model wrote, as one line; weak ones give a list of sentences for a text."""
    parts = value if isinstance(value, list) else [value]
    return " ".join(" ".join(str(part) for part in parts if part is not None).split())
