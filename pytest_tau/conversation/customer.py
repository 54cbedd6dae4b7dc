"""What a scenario lets a customer do out of turn: speak while the agent works, and leave when they have had enough.

Pure functions of the conversation so far, so that a trial that is copied or taken up again goes on alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..environment.environment import Environment
from ..environment.pace import seconds_of_each
from ..schema.messages import AnyMessage, ToolMessage, UserMessage
from ..schema.scenario import Patience, UserScenario


def interruptions(scenario: UserScenario, messages: Sequence[AnyMessage]) -> Iterator[str]:
    """What the customer says after the calls whose results are the last messages: the first success of each counts."""
    begin = len(messages)
    while begin and isinstance(messages[begin - 1], ToolMessage):
        begin -= 1
    succeeded: dict[str, int] = {}
    for place, message in enumerate(messages):
        calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
        for offset, call in enumerate(calls, start=place + 1):
            result = messages[offset] if offset < len(messages) else None
            done = isinstance(result, ToolMessage) and not result.error and call.requestor == "assistant"
            if done:
                succeeded.setdefault(call.name, offset)
    for one in scenario.interrupts or []:
        if succeeded.get(one.after_call, -1) >= begin:
            yield one.say


def out_of_patience(patience: Patience, messages: Sequence[AnyMessage], env: Environment) -> bool:
    """Whether the customer, whose turn it is, leaves."""
    spoken = sum(isinstance(message, UserMessage) and bool(message.text) for message in messages)
    if patience.turns is not None and spoken >= patience.turns:
        return True
    return patience.seconds is not None and sum(seconds_of_each(messages, env)) >= patience.seconds
