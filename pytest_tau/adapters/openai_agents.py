"""A trial's tools as those of the OpenAI Agents SDK. Needs ``openai-agents``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..conversation.protocols import AgentContext, ContextTool
from ..environment.results import FAILED
from ..files import loads
from ..printable import cut

if TYPE_CHECKING:
    from agents import FunctionTool, RunHooks

_SHOWN = 80


def openai_agents_tools(context: AgentContext) -> list[FunctionTool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    from agents import FunctionTool

    found = []
    for tool in context.tools:
        spec = tool.schema["function"]
        parameters, told = dict(spec["parameters"]), spec["description"]
        found.append(FunctionTool(tool.name, told, parameters, _invoke(tool), strict_json_schema=False))
    return found


def openai_agents_hooks(context: AgentContext) -> RunHooks[Any]:
    """Hooks for ``Runner.run(…, hooks=…)``: each agent of the run is the author of what it says and calls."""
    from agents import RunHooks

    class Hooks(RunHooks[Any]):  # type: ignore[misc]  # Any where it is not installed
        async def on_agent_start(self, wrapper: Any, agent: Any) -> None:
            context.speaks_as(agent.name)

    return Hooks()


def _invoke(tool: ContextTool) -> Callable[[Any, str], Awaitable[str]]:
    async def invoke(context: Any, arguments: str) -> str:
        try:
            found = loads(arguments or "{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):  # the model reads it and may try again, as with tools of the SDK's own
            return f"{FAILED}the arguments of {tool.name} must be a JSON object, and are {cut(arguments, _SHOWN)}"
        return tool(**found)

    return invoke
