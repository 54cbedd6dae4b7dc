"""A trial's tools as LlamaIndex's: our schema, not one made of a signature, and calls that run in the trial."""

from typing import Any

import pytest

from pytest_tau.adapters import llama_index_tools
from tests.adapters.frameworks import Kept, schema_of, stands_in, with_tools
from tests.builders import CREATE


class ToolMetadata(Kept):
    def get_parameters_dict(self) -> Any:
        raise AssertionError("it would make models of our signature")


def test_each_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    stands_in(monkeypatch, "llama_index.core.tools", FunctionTool=Kept, ToolMetadata=ToolMetadata)
    tools: dict[str, Any] = {tool.metadata.name: tool for tool in llama_index_tools(with_tools())}
    create, told = tools["create_task"], schema_of("create_task")
    assert create.metadata.description == told["description"]
    assert create.metadata.get_parameters_dict() == told["parameters"]
    assert "Buy stamps" in create.args[0](**CREATE)
