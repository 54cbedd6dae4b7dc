"""A tool-calling agent of smolagents, which runs its own tool loop and speaks through its tool ``final_answer``.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install "smolagents[openai]"
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.smolagents_agent:SmolAgent
"""

import os

from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent

from pytest_tau import AgentContext
from pytest_tau.adapters import smolagents_tools
from pytest_tau.schema.messages import AnyMessage


class SmolAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        endpoint = context.endpoint  # None outside of a test run: then the environment says where the model is
        self.agent = ToolCallingAgent(
            tools=smolagents_tools(context),
            model=OpenAIServerModel(os.environ["MODEL"], api_base=endpoint, api_key="none" if endpoint else None),
            instructions=context.policy,
            max_steps=50,
            verbosity_level=LogLevel.OFF,
        )

    def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        return str(self.agent.run(messages[-1].content or "", reset=False))
