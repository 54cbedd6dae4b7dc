"""Takes over what was said and done in a recording, and reads and writes messages as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from ..environment.environment import Environment
from ..environment.replay import replay
from ..errors import RecordingError
from ..schema.messages import AnyMessage, AssistantMessage, Message, SpokenMessage, ToolMessage, UserMessage
from .turns import Conversation, Over, Speak

_MESSAGES: TypeAdapter[list[Any]] = TypeAdapter(list[Message])


def dumped(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Messages as JSON."""
    return [message.model_dump(mode="json", exclude_defaults=True) | {"role": message.role} for message in messages]


def read(messages: Any) -> list[Any]:
    """Messages from JSON; raises pydantic's ValueError."""
    return _MESSAGES.validate_python(messages)


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
                conversation.receive_results(results)
                results = []
    except ValueError as error:
        raise RecordingError(f"the recorded conversation does not go on like this: {error}") from None


def _take_over(conversation: Conversation, message: SpokenMessage) -> None:
    turn = conversation.turn
    if isinstance(turn, Over) and isinstance(message, AssistantMessage):
        conversation.begin_again(message)
    elif isinstance(turn, Speak) and turn.role == "agent" and isinstance(message, UserMessage):
        conversation.interrupt(message)
    else:
        conversation.receive(message)
