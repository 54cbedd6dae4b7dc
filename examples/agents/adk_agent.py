"""An agent of Google's ADK, which runs its own tool loop.

Its model is asked at ``context.endpoint``, so that costs are counted, limits hold and cassettes record it.

pip install google-adk litellm
MODEL=openai/gpt-4.1-mini pytest --tau-domain mock --tau-agent examples.agents.adk_agent:AdkAgent
"""

import os
from typing import Any

from google.adk.agents import Agent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from pytest_tau import AgentContext
from pytest_tau.conversation.protocols import ContextTool
from pytest_tau.schema.messages import AnyMessage


class AdkTool(BaseTool):
    """A tool of the context in the type that ADK wants."""

    def __init__(self, tool: ContextTool) -> None:
        self.told = tool.schema["function"]
        super().__init__(name=tool.name, description=self.told["description"])
        self.run: Any = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        parameters = self.told["parameters"]
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=parameters
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> str:
        """Run it in the trial's world."""
        return str(self.run(**args))


class AdkAgent:
    """One conversation. Calling a tool of the context runs it in the trial's world and records it."""

    def __init__(self, context: AgentContext) -> None:
        at: dict[str, Any] = {"custom_llm_provider": "openai", "api_base": context.endpoint, "api_key": "none"}
        model = LiteLlm(os.environ["MODEL"], **(at if context.endpoint else {}))
        tools: list[Any] = [AdkTool(tool) for tool in context.tools]
        # A function is taken as it is; in a text, words in braces would be filled in.
        agent = Agent(name="service", model=model, instruction=lambda _: context.policy, tools=tools)
        self.runner, self.id = InMemoryRunner(agent, app_name="tau"), context.session_id

    async def reply(self, messages: list[AnyMessage]) -> str:
        """Let the agent work on what the customer said until it has an answer."""
        self.runner.auto_create_session = True
        said = types.Content(role="user", parts=[types.Part(text=messages[-1].content)])
        events = [event async for event in self.runner.run_async(user_id="u", session_id=self.id, new_message=said)]
        parts = events[-1].content.parts if events[-1].content else None
        return "".join(part.text or "" for part in parts or [])
