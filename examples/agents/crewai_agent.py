"""A CrewAI agent, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install crewai
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.crewai_agent:CrewAgent
"""

import os
from typing import Any

from crewai import LLM, Agent
from crewai.tools import BaseTool
from crewai.utilities.pydantic_schema_utils import create_model_from_schema

from pytest_tau import AgentContext
from pytest_tau.conversation.protocols import ContextTool
from pytest_tau.schema.messages import AnyMessage


def crewai_tool(tool: ContextTool) -> Any:
    """The tool in the type that CrewAI wants."""
    told = tool.schema["function"]

    def run(self: Any, **given: Any) -> str:  # what the model has left out comes as None
        return tool(**{name: value for name, value in given.items() if value is not None})

    kind = type(tool.name, (BaseTool,), {"_run": run})
    takes = create_model_from_schema({**told["parameters"], "title": tool.name})
    return kind(name=tool.name, description=told["description"], args_schema=takes)


class CrewAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        at = {"base_url": context.endpoint, "api_key": "none"} if context.endpoint else {}
        tools = [crewai_tool(tool) for tool in context.tools]
        model = LLM(os.environ["MODEL"], provider="openai", **at)
        self.agent = Agent(role="service", goal="help", backstory=context.policy, llm=model, tools=tools)
        self.memory: list[Any] = []

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        output = await self.agent.kickoff_async([*self.memory, {"role": "user", "content": messages[-1].content}])
        self.memory = [one for one in output.messages if one["role"] != "system"]
        return str(output.raw)
