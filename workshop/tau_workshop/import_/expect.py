"""What an author says should have been, in one line: ``--expect``.

not cancel_order                    the tool must not be called
not cancel_order(order_id="O1")     not with these arguments
exchange_item(item="I7")            it must: as in the log, with these arguments instead, or anew
refuses                             nothing may be changed
tells 12.40                         the customer must be told this
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any, Literal

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.errors import SettingsError
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled

from .gold import GoldStep


@dataclass(frozen=True)
class Expectation:
    """One line of an author; ``name`` is the tool's, or what must be told."""

    kind: Literal["calls", "not", "refuses", "tells"]
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


def read_expectation(line: str) -> Expectation:
    """An expectation from its line; raises SettingsError."""
    text = line.strip()
    if text.casefold() == "refuses":
        return Expectation("refuses")
    if found := re.fullmatch(r"tells\s+(.+)", text, re.IGNORECASE | re.DOTALL):
        return Expectation("tells", found[1].strip().strip("\"'"))
    negated = re.fullmatch(r"not\s+(.+)", text, re.DOTALL)
    name, arguments = _call(negated[1] if negated else text, line)
    return Expectation("not" if negated else "calls", name, arguments)


def _call(text: str, line: str) -> tuple[str, dict[str, Any]]:
    wrong = SettingsError(
        f"--expect {line!r}: write one of: not TOOL, TOOL(argument=value, …), refuses, tells VALUE; values as in "
        'Python or JSON, such as exchange_item(item="I7")'
    )
    if text.isidentifier() and not iskeyword(text):
        return text, {}
    # JSON's constants are names to Python.
    names = {"true": True, "false": False, "null": None}
    try:
        call = ast.parse(text, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args):
            raise wrong
        arguments: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                raise wrong
            value = keyword.value
            known = isinstance(value, ast.Name) and value.id in names
            arguments[keyword.arg] = names[value.id] if known else ast.literal_eval(value)  # type: ignore[attr-defined]
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise wrong from None
    return call.func.id, arguments


def refuse_unknown(expectations: Iterable[Expectation], domain: Domain) -> None:
    """Raise SettingsError for a tool or an argument that the domain does not have."""
    toolkits = [toolkit for toolkit in (domain.spec.tools, domain.spec.user_tools) if toolkit is not None]
    tools = {name: spec for toolkit in toolkits for name, spec in tools_of(toolkit).items()}
    for one in expectations:
        if one.kind not in ("calls", "not"):
            continue
        if one.name not in tools:
            raise SettingsError(f"--expect: the domain '{domain.name}' has no tool '{one.name}'")
        taken = tools[one.name].signature.parameters
        if odd := [name for name in one.arguments if name not in taken]:
            raise SettingsError(f"--expect: {one.name} has no argument '{odd[0]}'; it takes {', '.join(taken)}")


def expected_path(steps: Sequence[GoldStep], expectations: Sequence[Expectation]) -> list[GoldStep]:
    """The gold path as it should have been."""
    path = list(steps)
    for one in expectations:
        if one.kind == "refuses":
            path = []
        elif one.kind == "not":
            path = [step for step in path if not _is_meant(step.action, one)]
        elif one.kind == "calls":
            path = _with_call(path, one)
    while path and not path[-1].writes:
        path.pop()
    return path


def _is_meant(action: Action, one: Expectation) -> bool:
    return action.name == one.name and all(
        name in action.arguments and action.arguments[name] == value for name, value in one.arguments.items()
    )


def _with_call(path: list[GoldStep], one: Expectation) -> list[GoldStep]:
    """With the call: in the place of the log's call of that tool that is most like it, else at the end."""
    alike = [number for number, step in enumerate(path) if step.action.name == one.name]
    if not alike:
        at = path[-1].at if path else 0
        id = f"{len(path) + 1}_{one.name}"
        return [*path, GoldStep(at, Action(action_id=id, name=one.name, arguments=one.arguments), True)]
    best = max(alike, key=lambda n: sum(path[n].action.arguments.get(k) == v for k, v in one.arguments.items()))
    step = path[best]
    action = step.action.model_copy(update={"arguments": {**step.action.arguments, **one.arguments}})
    return [*path[:best], GoldStep(step.at, action, True), *path[best + 1 :]]


def checks_of(expectations: Iterable[Expectation]) -> list[NotCalled]:
    """The checks for what must not be called."""
    return [
        NotCalled(check="not_called", name=one.name, arguments=one.arguments)
        for one in expectations
        if one.kind == "not"
    ]


def facts_of(expectations: Iterable[Expectation]) -> list[str]:
    """What must be told."""
    return [one.name for one in expectations if one.kind == "tells"]
