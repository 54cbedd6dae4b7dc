"""The act agent, told to think first: its thoughts stay in its own history, the customer never reads them."""

from __future__ import annotations

from ..conversation.protocols import AgentContext, AgentFactory
from ..llm.protocol import ModelClient
from .act import TextAgent
from .prompts import REACT_FORM, system_prompt


def react_agent(client: ModelClient) -> AgentFactory:
    """Agents that write a thought and then their action as JSON."""

    def react(context: AgentContext) -> TextAgent:
        return TextAgent(client, context, system_prompt(context, form=REACT_FORM))

    return react
