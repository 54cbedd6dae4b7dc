"""Calls that a task writes down: steps of the gold path, and calls and assertions of toolkit methods."""

import json
from typing import Any

from pydantic import Field

from .messages import Requestor
from .values import Frozen


class Action(Frozen):
    """One step of the gold path. The path defines the target state; the agent may take another path."""

    action_id: str
    """A name that is unique in the task."""
    name: str
    """The tool."""
    arguments: dict[str, Any]
    """Its arguments by name."""
    requestor: Requestor = "assistant"
    """Who calls it: `assistant` (the agent) or `user` (the customer)."""
    info: str | None = None
    """A comment for readers."""
    compare_args: list[str] | None = None
    """The arguments that the criterion ACTION compares; by default all."""
    rules: list[str] | None = None
    """The rules of the policy that this step rests on, beside those of the task."""

    def __str__(self) -> str:
        return render_call(self.name, self.arguments)


class EnvFunctionCall(Frozen):
    """A call of any method of the agent's or the customer's toolkit, made before the conversation."""

    env_type: Requestor
    """Whose toolkit has the method: `assistant` or `user`."""
    func_name: str
    """The method; it need not be a tool."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Its arguments by name."""


class EnvAssertion(EnvFunctionCall):
    """A method of a toolkit that must return ``assert_value`` after the conversation."""

    assert_value: bool = True
    """What the method must return."""
    message: str | None = None
    """The text of a failure."""

    def __str__(self) -> str:
        call = render_call(self.func_name, self.arguments)
        return f"{self.env_type}: {call} is {self.assert_value}"


def render_call(name: str, arguments: dict[str, Any]) -> str:
    """``name(key=value, …)`` with JSON values, for people to read."""
    return f"{name}({', '.join([f'{key}={_json_text(value)}' for key, value in arguments.items()])})"


def _json_text(value: Any) -> str:
    """A value as JSON; what makes it costs much for each list or object, and little for a text."""
    return f"[{', '.join(map(_json_text, value))}]" if type(value) is list else _SHOWN.encode(value)


_SHOWN = json.JSONEncoder(ensure_ascii=False, default=repr)
