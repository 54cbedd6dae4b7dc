"""A trial's tools as LangChain's, for LangGraph and all that takes them. Needs ``langchain-core``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..conversation.protocols import AgentContext

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


def langchain_tools(context: AgentContext) -> list[StructuredTool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    from langchain_core.tools import StructuredTool

    return [
        StructuredTool.from_function(
            tool.__call__,
            name=tool.name,
            description=tool.schema["function"]["description"],
            args_schema=tool.schema["function"]["parameters"],
        )
        for tool in context.tools
    ]
