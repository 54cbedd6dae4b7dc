"""Virtual time: how long a conversation would have taken, by what a domain says of its tools and of replies.

Nothing waits for it. It is read off the messages, so a recording has the time of the trial that it is of. Look-ups that
are made in one message run side by side and count once, as long as the longest of them; changes are made one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..schema.messages import AnyMessage, ToolCall, ToolMessage
from .spec import Pace
from .toolkit import tools_of

if TYPE_CHECKING:
    from .environment import Environment
    from .toolkit import ToolSpec


def seconds_of_each(messages: Sequence[AnyMessage], env: Environment) -> tuple[float, float]:
    """Virtual seconds that the agent took, and the customer, from the first of these messages to the last.

    Args:
        messages: a conversation, or the part of it that is meant.
        env: an environment of its domain.
    """
    pace = env.domain.spec.pace
    tools = [tools_of(type(kit)) for kit in (env.tools, env.user_tools) if kit is not None]
    taken = {"assistant": 0.0, "user": 0.0}
    for place, message in enumerate(messages):
        if message.role == "tool":
            continue
        seconds = 0.0
        by_customer = message.role == "user"
        if text := message.text:
            first, word = (pace.customer, pace.customer_word) if by_customer else (pace.agent, pace.agent_word)
            seconds += first + word * len(text.split())
        if calls := message.tool_calls:
            seconds += _calls(calls, messages[place + 1 : place + 1 + len(calls)], tools, pace)
        taken["user" if by_customer else "assistant"] += seconds
    return taken["assistant"], taken["user"]


def _calls(
    calls: Sequence[ToolCall], results: Sequence[AnyMessage], tools: Sequence[Mapping[str, ToolSpec]], pace: Pace
) -> float:
    """The calls of one message: reading ones side by side, the others one after the other."""
    side_by_side, others = 0.0, 0.0
    by_kind = {"read": pace.reads, "write": pace.writes}
    for number, call in enumerate(calls):
        result = results[number] if number < len(results) else None
        late = result.fault.seconds if isinstance(result, ToolMessage) and result.fault is not None else 0.0
        name = call.name
        spec = next((own[name] for own in tools if name in own), None)
        if spec is None:
            others += late
            continue
        takes = (by_kind.get(spec.kind, pace.other) if spec.seconds is None else spec.seconds) + late
        if spec.writes:
            others += takes
        else:
            side_by_side = max(side_by_side, takes)
    return side_by_side + others
