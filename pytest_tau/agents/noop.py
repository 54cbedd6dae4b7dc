"""An agent that does nothing, politely: what it passes, any agent passes."""

from __future__ import annotations

from ..conversation.protocols import AgentContext
from ..schema.messages import AGENT_STOP_TOKEN, AnyMessage, AssistantMessage

SENTENCE = "Thank you for getting in touch. I have taken note of what you said."


class Noop:
    """Says one fixed sentence each turn and calls no tool; works a ticket by closing it."""

    def __init__(self, context: AgentContext) -> None:
        self._text = SENTENCE if context.ticket is None else AGENT_STOP_TOKEN

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The sentence."""
        return AssistantMessage(content=self._text, cost=0.0)
