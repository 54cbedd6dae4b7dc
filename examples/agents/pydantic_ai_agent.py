"""A Pydantic AI agent, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install "pydantic-ai-slim[openai]"
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.pydantic_ai_agent:PydanticAgent
"""

import os
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from pytest_tau import AgentContext
from pytest_tau.adapters import pydantic_ai_tools
from pytest_tau.schema.messages import AnyMessage


class PydanticAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        endpoint = context.endpoint  # None outside of a test run: then the environment says where the model is
        provider = OpenAIProvider(base_url=endpoint, api_key="none") if endpoint else OpenAIProvider()
        model = OpenAIChatModel(os.environ["MODEL"], provider=provider)
        self.agent = Agent(model, instructions=context.policy, tools=pydantic_ai_tools(context))
        self.memory: list[Any] = []

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        run = await self.agent.run(messages[-1].content or "", message_history=self.memory)
        self.memory = run.all_messages()
        return str(run.output)
