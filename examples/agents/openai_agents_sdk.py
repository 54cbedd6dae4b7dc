"""An agent of the OpenAI Agents SDK, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install openai-agents
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.openai_agents_sdk:SDKAgent
"""

import os
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner
from openai import AsyncOpenAI

from pytest_tau import AgentContext
from pytest_tau.adapters import openai_agents_tools
from pytest_tau.schema.messages import AnyMessage


class SDKAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        endpoint = context.endpoint  # None outside of a test run: then the environment says where the model is
        client = AsyncOpenAI(base_url=endpoint, api_key="none" if endpoint else None)
        model = OpenAIChatCompletionsModel(os.environ["MODEL"], client)
        tools: list[Any] = openai_agents_tools(context)
        self.agent = Agent(name="service", instructions=context.policy, model=model, tools=tools)
        self.memory: list[Any] = []

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        said = {"role": "user", "content": messages[-1].content}
        quiet = RunConfig(tracing_disabled=True)
        run = await Runner.run(self.agent, [*self.memory, said], run_config=quiet, max_turns=50)
        self.memory = run.to_input_list()
        return str(run.final_output)
