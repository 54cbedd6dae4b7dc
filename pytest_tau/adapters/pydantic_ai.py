"""A trial's tools as Pydantic AI's. Needs ``pydantic-ai-slim``."""

from __future__ import annotations

from typing import Any

from ..conversation.protocols import AgentContext


def pydantic_ai_tools(context: AgentContext) -> list[Any]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    from pydantic_ai import Tool

    return [
        Tool.from_schema(
            tool.__call__,
            name=tool.name,
            description=tool.schema["function"]["description"],
            json_schema=dict(tool.schema["function"]["parameters"]),
            sequential=True,
        )
        for tool in context.tools
    ]
