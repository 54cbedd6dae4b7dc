"""Stand-ins for the tool classes of agent frameworks, which are not installed beside each other.

They keep what they are given. `.ci/frameworks` runs the example agents on the frameworks themselves.
"""

import sys
from types import ModuleType
from typing import Any

import pytest

from pytest_tau import AgentContext
from pytest_tau.conversation.protocols import ContextTool
from tests.builders import agent_context, mock


class Kept:
    """Whatever it was made with: ``args``, and each keyword as an attribute."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        self.args = args
        vars(self).update(fields)


def stands_in(monkeypatch: pytest.MonkeyPatch, module: str, **contents: Any) -> None:
    """Make ``module`` importable with these contents, whether it is installed or not."""
    made = ModuleType(module)
    vars(made).update(contents)
    monkeypatch.setitem(sys.modules, module, made)
    parent, _, last = module.rpartition(".")
    if parent:
        stands_in(monkeypatch, parent, **{last: made})


def with_tools() -> AgentContext:
    """A context whose tools run in a world of the to-do list."""
    env = mock().environment()

    def run(name: str, arguments: dict[str, Any]) -> str:
        return env.call(name, arguments).content

    return agent_context(tools=tuple(ContextTool(s.name, s.schema, s.writes, run) for s in env.tool_specs()))


def schema_of(name: str) -> Any:
    """The definition of a tool of the to-do list."""
    return next(spec.schema["function"] for spec in mock().environment().tool_specs() if spec.name == name)
