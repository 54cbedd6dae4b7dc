"""A trial's tools as Pydantic AI's: one after the other, because they share a world."""

from typing import Any

import pytest

from pytest_tau.adapters import pydantic_ai_tools
from tests.adapters.frameworks import Kept, schema_of, stands_in, with_tools
from tests.builders import CREATE


class Tool(Kept):
    @classmethod
    def from_schema(cls, function: Any, **fields: Any) -> "Tool":
        return cls(function, **fields)


def test_each_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    stands_in(monkeypatch, "pydantic_ai", Tool=Tool)
    tools = {tool.name: tool for tool in pydantic_ai_tools(with_tools())}
    create, told = tools["create_task"], schema_of("create_task")
    assert (create.description, create.json_schema) == (told["description"], told["parameters"])
    assert all(tool.sequential for tool in tools.values())
    assert "Buy stamps" in create.args[0](**CREATE)
