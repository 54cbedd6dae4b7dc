"""A trial's tools as those of smolagents. Needs ``smolagents``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..conversation.protocols import AgentContext, ContextTool

if TYPE_CHECKING:
    from smolagents import Tool

_TYPES = {"string", "boolean", "integer", "number", "array", "object", "null"}


def smolagents_tools(context: AgentContext) -> list[Tool]:
    """The tools; calling one runs it in the trial's environment and is a step of the conversation."""
    return [_tool(tool) for tool in context.tools]


def _tool(tool: ContextTool) -> Tool:
    from smolagents import Tool

    spec = tool.schema["function"]
    parameters, needed = spec["parameters"], spec["parameters"].get("required", [])
    inputs = {
        name: {**schema, "type": _type(schema), "description": schema.get("description") or name}
        | ({} if name in needed else {"nullable": True})
        for name, schema in parameters.get("properties", {}).items()
    }

    def forward(self: Any, *given: Any, **named: Any) -> str:
        # Agents that write code call it as it is shown to them: like a function with these parameters, in their order.
        if len(given) > len(inputs):
            raise TypeError(f"{tool.name} takes {len(inputs)} arguments at most, and {len(given)} were given")
        arguments = {**dict(zip(inputs, given, strict=False)), **named}
        return tool(**{name: value for name, value in arguments.items() if value is not None or name in needed})

    fields = {
        "name": tool.name,
        "description": spec["description"],
        "inputs": inputs,
        "output_type": "string",
        "forward": forward,
        "skip_forward_signature_validation": True,  # it is one for all tools
    }
    made: Tool = type(tool.name, (Tool,), fields)()
    return made


def _type(schema: Mapping[str, Any]) -> str:
    """The JSON type of a parameter; "any" where it is one of several, or a reference."""
    found = schema.get("type")
    return found if found in _TYPES else "any"
