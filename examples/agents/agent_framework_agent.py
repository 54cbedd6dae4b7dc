"""An agent of the Microsoft Agent Framework, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install agent-framework-core agent-framework-openai
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.agent_framework_agent:FrameworkAgent
"""

import os

from agent_framework import Agent, FunctionTool
from agent_framework.openai import OpenAIChatCompletionClient

from pytest_tau import AgentContext
from pytest_tau.schema.messages import AnyMessage


class FrameworkAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        endpoint = context.endpoint  # None outside of a test run: then the environment says where the model is
        client = OpenAIChatCompletionClient(
            os.environ["MODEL"], base_url=endpoint, api_key="none" if endpoint else None
        )
        specs = [(tool, tool.schema["function"]) for tool in context.tools]
        tools = [
            FunctionTool(
                name=tool.name, description=told["description"], func=tool.__call__, input_model=told["parameters"]
            )
            for tool, told in specs
        ]
        self.agent = Agent(client, context.policy, tools=tools)
        self.session = self.agent.create_session()

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        return (await self.agent.run(messages[-1].content or "", session=self.session)).text
