"""A Strands agent, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install 'strands-agents[openai]'
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.strands_agent:StrandsAgent
"""

import os
from typing import Any

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools import PythonAgentTool

from pytest_tau import AgentContext
from pytest_tau.conversation.protocols import ContextTool
from pytest_tau.schema.messages import AnyMessage


def strands_tool(tool: ContextTool) -> Any:
    """The tool in the type that Strands wants."""
    told = tool.schema["function"]
    spec: Any = {"name": tool.name, "description": told["description"], "inputSchema": {"json": told["parameters"]}}

    def run(use: Any, **given: Any) -> Any:
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": tool(**use["input"])}]}

    return PythonAgentTool(tool.name, spec, run)


class StrandsAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        client = {"base_url": context.endpoint, "api_key": "none"} if context.endpoint else {}
        model, tools = OpenAIModel(client_args=client, model_id=os.environ["MODEL"]), map(strands_tool, context.tools)
        self.agent = Agent(model=model, system_prompt=context.policy, tools=list(tools), callback_handler=None)

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        return str(await self.agent.invoke_async(messages[-1].content or "", limits={"turns": 50}))
