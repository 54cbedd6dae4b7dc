"""A trial's tools as those of the OpenAI Agents SDK. Needs ``openai-agents``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..conversation.protocols import AgentContext, ContextTool

if TYPE_CHECKING:
    from agents import FunctionTool


def openai_agents_tools(context: AgentContext) -> list[FunctionTool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    from agents import FunctionTool

    found = []
    for tool in context.tools:
        spec = tool.schema["function"]
        parameters, told = dict(spec["parameters"]), spec["description"]
        found.append(FunctionTool(tool.name, told, parameters, _invoke(tool), strict_json_schema=False))
    return found


def _invoke(tool: ContextTool) -> Callable[[Any, str], Awaitable[str]]:
    async def invoke(context: Any, arguments: str) -> str:
        return tool(**json.loads(arguments or "{}"))

    return invoke
