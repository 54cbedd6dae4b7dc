"""A trial's tools as those of smolagents: types it knows, and no argument where it gives null for one left out."""

from typing import Any

import pytest

from pytest_tau.adapters import smolagents_tools
from pytest_tau.conversation.protocols import ContextTool
from tests.adapters.frameworks import Kept, stands_in, with_tools
from tests.builders import CREATE, agent_context


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    stands_in(monkeypatch, "smolagents", Tool=Kept)


def test_each_tool() -> None:
    tools: dict[str, Any] = {tool.name: tool for tool in smolagents_tools(with_tools())}
    create = tools["create_task"]
    assert {name: one.get("nullable", False) for name, one in create.inputs.items()} == {
        "user_id": False, "title": False, "description": True,
    }  # fmt: skip
    assert all(one["type"] == "string" and one["description"] for one in create.inputs.values())
    assert create.output_type == "string"
    assert "Buy stamps" in create.forward(**CREATE, description=None)


def test_code_that_a_model_writes_may_leave_out_the_names_of_arguments() -> None:
    tools: dict[str, Any] = {tool.name: tool for tool in smolagents_tools(with_tools())}
    create = tools["create_task"]
    assert list(create.inputs) == ["user_id", "title", "description"]
    assert "Buy stamps" in create.forward(CREATE["user_id"], CREATE["title"])
    assert "Buy stamps" in create.forward(CREATE["user_id"], title=CREATE["title"])
    with pytest.raises(TypeError, match="create_task takes 3 arguments at most, and 4 were given"):
        create.forward("user_1", "a", "b", "c")


def test_a_type_that_it_does_not_know_is_any_and_a_null_that_is_needed_is_kept() -> None:
    parameters = {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "required": ["a"]}
    schema = {"function": {"name": "f", "description": "F.", "parameters": parameters}}
    tool = ContextTool("f", schema, False, lambda name, arguments: f"{name} {arguments}")
    (made,) = smolagents_tools(agent_context(tools=(tool,)))
    assert made.inputs == {"a": {**parameters["properties"]["a"], "type": "any", "description": "a"}}  # type: ignore[index]
    assert made.forward(a=None) == "f {'a': None}"
