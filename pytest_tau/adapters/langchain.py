"""A trial's tools as LangChain's, for LangGraph and all that takes them. Needs ``langchain-core``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..conversation.protocols import AgentContext

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.tools import StructuredTool


def langchain_tools(context: AgentContext) -> list[StructuredTool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    from langchain_core.tools import StructuredTool

    class Tool(StructuredTool):  # type: ignore[misc]  # Any where it is not installed
        """Gives the tool all arguments; LangChain's own keeps those that are called as two of its parameters are."""

        def _run(self, **arguments: Any) -> str:
            return str(self.func(**arguments))

        async def _arun(self, **arguments: Any) -> str:
            return await asyncio.to_thread(self._run, **arguments)

    return [
        Tool.from_function(
            tool.__call__,
            name=tool.name,
            description=tool.schema["function"]["description"],
            args_schema=tool.schema["function"]["parameters"],
        )
        for tool in context.tools
    ]


def langchain_callback(context: AgentContext) -> BaseCallbackHandler:
    """A callback for ``config={"callbacks": […]}``: the agent, or the graph's node, whose model is asked is the author.

    An agent in a graph is named by its own name (``create_agent(…, name=…)``), another node by the graph's name for it.
    """
    from langchain_core.callbacks import BaseCallbackHandler

    class Callback(BaseCallbackHandler):  # type: ignore[misc]  # Any where it is not installed
        run_inline = True  # before the model is asked, also where the graph runs on an event loop

        def on_chat_model_start(self, serialized: Any, messages: Any, **told: Any) -> None:
            known = told.get("metadata") or {}
            outermost = str(known.get("langgraph_checkpoint_ns") or "").partition(":")[0]
            if name := known.get("lc_agent_name") or outermost or known.get("langgraph_node"):
                context.speaks_as(name)

    return Callback()
