"""A trial's tools as LlamaIndex's. Needs ``llama-index-core``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..conversation.protocols import AgentContext, ContextTool

if TYPE_CHECKING:
    from llama_index.core.tools import FunctionTool


def llama_index_tools(context: AgentContext) -> list[FunctionTool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    return [_tool(tool) for tool in context.tools]


def _tool(tool: ContextTool) -> FunctionTool:
    from llama_index.core.tools import FunctionTool, ToolMetadata

    spec = tool.schema["function"]
    parameters: dict[str, Any] = dict(spec["parameters"])
    # It makes its definitions of pydantic models; ours exist already.
    kind = type("Metadata", (ToolMetadata,), {"get_parameters_dict": lambda self: parameters})
    return FunctionTool(tool.__call__, metadata=kind(description=spec["description"], name=tool.name))
