"""Agents for models without tool calls of their own: each reply is a text that ends in an action, written as JSON.

The parser forgives what models do to JSON (a fence around it, words after it), and never fails: what is no action goes
to the customer as it is. What the model wrote is kept in the message, so that the model reads it again next time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..conversation.protocols import AgentContext, AgentFactory
from ..llm.chat import Chat, json_value, raw_output, to_chat, with_pictures
from ..llm.protocol import ModelClient
from ..llm.replies import CUT_OFF
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from .llm import SPOKE, LLMAgent
from .prompts import ACT_FORM, system_prompt

MARK = "Action:"
RESPOND_TOOL = "respond"


class TextAgent(LLMAgent):
    """Asks its model for every message, in the form of :mod:`act <pytest_tau.agents.act>`: one action a turn."""

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The model's next action."""
        reply = await self._speaker.ask(self._chat(messages))
        written = reply.content or ""
        text, call = written_action(written, len(messages))
        if call is not None:
            return self._speaker.say(AssistantMessage, None, [call], raw=written)
        text, problem = self._for_customer(text)
        if problem and reply.finish_reason == "length":
            problem += CUT_OFF
        if self._solo and text:
            text, problem = "", SPOKE
        return self._speaker.say(AssistantMessage, text, raw=written, problem=problem)

    def _for_customer(self, text: str) -> tuple[str, str | None]:
        """What the customer reads of a text without a call, and why that is nothing."""
        return text, None

    def _history(self, messages: list[AnyMessage]) -> Chat:
        return written_chat(messages)


def written_action(written: str, number: int) -> tuple[str, ToolCall | None]:
    """What an agent wrote: the text for the customer, or the call; ``number`` of messages before it names the call."""
    text, action = parse_action(written)
    return text, ToolCall(id=f"call_{number}", name=action[0], arguments=action[1]) if action else None


def written_chat(messages: Sequence[AnyMessage]) -> Chat:
    """A conversation as agents of this protocol see it."""
    return [entry for message in messages for entry in _entries(message)]


Action = tuple[str, dict[str, Any]]


def parse_action(written: str) -> tuple[str, Action | None]:
    """What a model wrote: the text for the customer, or the name and the arguments of a call."""
    parts = written.split(MARK)
    # The last mark counts, unless it stands inside of the action's own texts.
    for start in reversed(range(len(parts))):
        action = _action(MARK.join(parts[start:]))
        if action is None:
            continue
        if action[0] != RESPOND_TOOL:
            return "", action
        if isinstance(content := action[1].get("content"), str):
            return content, None
    return parts[-1].strip(), None


def _action(text: str) -> Action | None:
    value = json_value(text)
    if not isinstance(value, dict):
        return None
    name, arguments = value.get("name"), value.get("arguments") or {}
    if isinstance(arguments, str):  # an object written as a text, as calls of the provider's own form have it
        arguments = json_value(arguments)
    return (name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None


def _entries(message: AnyMessage) -> Chat:
    """A message as this protocol shows it: calls as the text that made them, results as a user's message."""
    if isinstance(message, ToolMessage):
        return [with_pictures(f"API output: {message.content or ''}", message.attachments or [])]
    if isinstance(message, AssistantMessage):
        return [{"role": "assistant", "content": text} for text in _source_text(message)]
    return to_chat([message], "assistant")


def _source_text(message: AssistantMessage) -> list[str]:
    """The text that made a message; for one from a task's history, the text that would have."""
    if raw := raw_output(message):
        return [raw]
    calls = [(call.name, call.arguments) for call in message.tool_calls or []]
    actions = calls or [(RESPOND_TOOL, {"content": message.text})]
    return [f"{MARK}\n{json.dumps({'name': name, 'arguments': arguments})}" for name, arguments in actions]


def act_agent(client: ModelClient) -> AgentFactory:
    """Agents that write their action as JSON."""

    def act(context: AgentContext) -> TextAgent:
        return TextAgent(client, context, system_prompt(context, form=ACT_FORM))

    return act
