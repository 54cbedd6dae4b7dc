"""A trial's tools as LangChain's: the names, texts and schemas are ours, and a call runs in the trial."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.adapters import langchain_callback, langchain_tools
from pytest_tau.conversation.protocols import ContextTool
from tests.adapters.frameworks import Kept, schema_of, stands_in, with_tools
from tests.builders import CREATE, agent_context


class StructuredTool(Kept):
    @classmethod
    def from_function(cls, function: Any, **fields: Any) -> "StructuredTool":
        return cls(function, **fields)


def test_each_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    stands_in(monkeypatch, "langchain_core.tools", StructuredTool=StructuredTool)
    tools: dict[str, Any] = {tool.name: tool for tool in langchain_tools(with_tools())}
    told = schema_of("create_task")
    assert (tools["create_task"].description, tools["create_task"].args_schema) == (
        told["description"],
        told["parameters"],
    )
    assert "Buy stamps" in tools["create_task"].args[0](**CREATE)
    assert "user_1" in tools["get_users"].args[0]()


def test_arguments_that_are_called_as_langchain_s_own_reach_the_tool() -> None:
    """On LangChain itself: ``config`` and ``run_manager`` are parameters of its own tools."""
    pytest.importorskip("langchain_core")
    named = {"config": "c", "run_manager": "r", "callbacks": "b"}
    schema = {"description": "Set up.", "parameters": {"type": "object", "properties": {one: {} for one in named}}}
    ours = ContextTool("set_up", {"function": schema}, True, lambda name, arguments: f"{name} {arguments}")
    (tool,) = langchain_tools(agent_context(tools=(ours,)))
    assert tool.invoke(named) == asyncio.run(tool.ainvoke(named)) == f"set_up {named}"
    assert tool.invoke({"type": "tool_call", "id": "1", "name": "set_up", "args": named}).content == f"set_up {named}"


@pytest.mark.parametrize(
    ("metadata", "author"),
    [
        ({"lc_agent_name": "refunds", "langgraph_node": "model"}, ["refunds"]),
        ({"langgraph_node": "model", "langgraph_checkpoint_ns": "orders:1f|model:2e"}, ["orders"]),
        ({"langgraph_node": "triage"}, ["triage"]),
        (None, []),
    ],
)
def test_the_agent_or_node_that_asks_is_the_author(
    monkeypatch: pytest.MonkeyPatch, metadata: Any, author: list[str]
) -> None:
    stands_in(monkeypatch, "langchain_core.callbacks", BaseCallbackHandler=object)
    spoke: list[str] = []
    context = replace(with_tools(), speak=lambda name, reason: spoke.append(name))
    langchain_callback(context).on_chat_model_start({}, [], metadata=metadata)
    assert spoke == author
