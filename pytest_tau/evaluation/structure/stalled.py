"""Loops: the same call with the same result, or the same words of the agent, several times over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...schema.calls import render_call
from ...schema.messages import AnyMessage
from ...schema.transcript import calls_made

CALLS = 5
"""So many equal calls with equal results are a loop."""
WORDS = 4
"""So many equal messages are a loop."""
_SHORTEST = 40  # characters; "Please wait." may be said often


class _Stall(NamedTuple):
    """What was repeated, how often, and the turn in which it was one time too many."""

    turn: int
    text: str
    times: int


def stalls(messages: Sequence[AnyMessage]) -> Iterator[_Stall]:
    """The calls and messages of the agent that were repeated without effect, each once."""
    calls: dict[tuple[str, str | None], list[int]] = {}
    for turn, call, result in calls_made(messages):
        if call.requestor == "assistant":
            shown = None if result is None else result.content
            calls.setdefault((render_call(call.name, call.arguments), shown), []).append(turn)
    for (text, _), turns in calls.items():
        if len(turns) >= CALLS:
            yield _Stall(turns[CALLS - 1], text, len(turns))
    said = [
        (turn, message.text.strip())
        for turn, message in enumerate(messages)
        if message.role == "assistant" and message.text and not message.tool_calls
    ]
    times = Counter(text for _, text in said if len(text) >= _SHORTEST)
    for text, number in times.items():
        if number >= WORDS:
            yield _Stall([turn for turn, one in said if one == text][WORDS - 1], text, number)
