"""A model client that says what a test tells it to, without litellm and without a network."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_tau.llm.protocol import ChatMessage, ModelReply
from pytest_tau.schema.messages import AnyMessage, ToolCall
from pytest_tau.schema.spending import Usage

Told = str | ToolCall | ModelReply | Exception | None


def reply(
    text: str | None = None, *calls: ToolCall, cost: float | None = 0.25, problem: str | None = None
) -> ModelReply:
    """One answer, ten tokens for five."""
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    return ModelReply(text, list(calls) or None, cost=cost, usage=usage, seconds=0.5, problem=problem)


class FakeModel:
    """Answers from a list, then repeats the last answer; ``asked`` holds the chats and options it was given."""

    model = "fake/model"
    parameters: Mapping[str, Any] = {"temperature": 0.0}

    def __init__(self, *told: Told) -> None:
        self._told = list(told)
        self.asked: list[tuple[list[ChatMessage], dict[str, Any]]] = []

    @property
    def chats(self) -> list[list[ChatMessage]]:
        """The chats it was shown."""
        return [chat for chat, _ in self.asked]

    @property
    def seeds(self) -> list[int | None]:
        """The seeds it was given."""
        return [options["seed"] for _, options in self.asked]

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """The next answer."""
        options = {"tools": tools, "tool_choice": tool_choice, "seed": seed, "response_format": response_format}
        self.asked.append((list(messages), options))
        told = self._told.pop(0) if len(self._told) > 1 else self._told[0]
        if isinstance(told, Exception):
            raise told
        if isinstance(told, ModelReply):
            return told
        return reply(None, told) if isinstance(told, ToolCall) else reply(told)


def ask(player: Any, messages: Sequence[AnyMessage] = ()) -> Any:
    """What an async player replies."""
    return asyncio.run(player.reply(list(messages)))
