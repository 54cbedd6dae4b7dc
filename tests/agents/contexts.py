"""Contexts with tools, for agents of all kinds."""

from typing import Any

from pytest_tau import AgentContext
from pytest_tau.conversation.protocols import ContextTool
from tests.builders import agent_context


def context_with(*names: str, **fields: Any) -> AgentContext:
    """A context whose tools only have names."""
    tools = [
        ContextTool(name, {"type": "function", "function": {"name": name}}, False, lambda name, arguments: "ok")
        for name in names
    ]
    return agent_context(tools=tuple(tools), **fields)
