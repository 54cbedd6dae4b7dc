"""The act agent, told to think first: its thoughts stay in its own history, the customer never reads them."""

from __future__ import annotations

import re

from ..conversation.protocols import AgentContext, AgentFactory
from ..llm.protocol import ModelClient
from .act import TextAgent
from .prompts import REACT_FORM, system_prompt

_THOUGHT = re.compile(r"\W*Thought\b\W*:")


class ReactAgent(TextAgent):
    """As the act agent; a thought without an action is no message, and the driver asks again."""

    def _for_customer(self, text: str) -> tuple[str, str | None]:
        return ("", "the model wrote a thought and no action") if _THOUGHT.match(text) else (text, None)


def react_agent(client: ModelClient) -> AgentFactory:
    """Agents that write a thought and then their action as JSON."""

    def react(context: AgentContext) -> ReactAgent:
        return ReactAgent(client, context, system_prompt(context, form=REACT_FORM))

    return react
