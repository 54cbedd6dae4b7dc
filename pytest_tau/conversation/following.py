"""Begins a conversation, takes over what was said and done in a recording, and reads and writes messages as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from pydantic import TypeAdapter

from ..environment.environment import Environment, ToolResult
from ..environment.replay import as_the_tool_had_it, replay
from ..errors import RecordingError
from ..schema.messages import AnyMessage, AssistantMessage, Message, SpokenMessage, ToolMessage, UserMessage
from .replies import now
from .turns import GREETING, Conversation, Over, RunTools, Speak, Turn


def opening(history: Sequence[AnyMessage], *, solo: bool) -> list[AnyMessage]:
    """What a conversation begins with: the task's past, or the agent's greeting where there is none and a customer."""
    if not history and not solo:
        return [AssistantMessage(content=GREETING, cost=0.0, timestamp=now())]
    ago = [datetime.now() - timedelta(seconds=len(history) - i) for i in range(len(history))]
    return [_past(message, then) for message, then in zip(history, ago, strict=True)]


def _past(message: AnyMessage, then: datetime) -> AnyMessage:
    """A message of the past: it gets a time of its own, as in the reference, and this trial does not pay for it."""
    update: dict[str, Any] = {"turn_idx": None, "timestamp": then.isoformat(timespec="microseconds")}
    return message.model_copy(update=update if isinstance(message, ToolMessage) else {**update, "cost": 0.0})


def dump_messages(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Messages as JSON."""
    return [message.model_dump(mode="json", exclude_defaults=True) | {"role": message.role} for message in messages]


def read(messages: Any) -> list[Any]:
    """Messages from JSON; raises pydantic's ValueError."""
    return _messages().validate_python(messages)


def follow(conversation: Conversation, env: Environment, messages: Sequence[AnyMessage], *, strict: bool) -> None:
    """Let a conversation and its world go on as it is recorded. Under ``strict`` writing calls must return the same.

    Raises RecordingError where it does not go on like this from where it stands.
    """
    results: list[ToolMessage] = []
    try:
        for number, message in enumerate(messages):
            if not isinstance(message, ToolMessage):
                _take_over(conversation, message)
                continue
            results.append(message)
            if not isinstance(messages[number + 1] if number + 1 < len(messages) else None, ToolMessage):
                replay(env, [conversation.messages[-1], *results], strict=strict)
                _tell_faults(env, conversation.turn, results)
                conversation.receive_results(results)
                results = []
    except ValueError as error:
        raise RecordingError(f"the recorded conversation does not go on like this: {error}") from None


def _tell_faults(env: Environment, turn: Turn, results: Sequence[ToolMessage]) -> None:
    """Let the faults of a world know of the agent's calls that they have met, so that they go on alike."""
    if env.faults is None or not isinstance(turn, RunTools):
        return
    for call, result in zip(turn.calls, results, strict=False):
        if call.requestor == "assistant":
            env.faults.answer(
                call.name, call.arguments, partial(_recorded_result, result), writes=env.writes(call.name)
            )


def _recorded_result(result: ToolMessage) -> ToolResult:
    """What the tool had returned."""
    true = as_the_tool_had_it(result)
    return ToolResult(true.content or "", true.error)


def _take_over(conversation: Conversation, message: SpokenMessage) -> None:
    turn = conversation.turn
    if isinstance(turn, Over) and isinstance(message, AssistantMessage):
        conversation.begin_again(message)
    elif isinstance(turn, Speak) and turn.role == "agent" and isinstance(message, UserMessage):
        conversation.interrupt(message)
    else:
        conversation.receive(message)


@cache
def _messages() -> TypeAdapter[list[Any]]:
    """The validator of messages, built when it is first needed."""
    return TypeAdapter(list[Message])
