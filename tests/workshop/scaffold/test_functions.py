"""A domain around functions that are there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.workshop.scaffold.sources import FUNCTIONS, begin


def test_from_functions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bakery_tools.py").write_text(FUNCTIONS, encoding="utf-8")
    env = begin("--from-functions", "bakery_tools:TOOLS").environment()
    assert "let the functions work on self.db" in capsys.readouterr().out
    tools = {tool.name: tool for tool in env.tool_specs()}
    assert tools["get_stock"].schema["function"]["description"] == "How many loaves are left."
    described = tools["get_stock"].schema["function"]["parameters"]["properties"]
    assert [described[name]["description"] for name in ("loaf", "unit")] == [
        "What it is made of, such as rye.",
        "Unit.",
    ]
    assert (tools["get_stock"].writes, tools["order_loaves"].writes) == (False, True)
    assert json.loads(env.call("get_stock", {"loaf": "rye"}).content) == {"loaf": "rye", "left": "3", "unit": "pieces"}
    assert env.call("order_loaves", {"loaf": "rye", "number": 2}).content == "2 x rye"


ODD = '''
from __future__ import annotations


def copy(a: int, b: list[int] = [], _c=4) -> str:
    """Copy."""
    b.append(a)
    return f"{b} {_c}"


async def later() -> str: ...


TOOLS, LATER = [copy], [later]
'''


def test_defaults_that_cannot_be_written_and_names_that_are_taken(folder: Path) -> None:
    (folder / "odd_tools.py").write_text(ODD, encoding="utf-8")
    env = begin("--from-functions", "odd_tools:TOOLS").environment()
    (tool,) = [tool for tool in env.tool_specs() if tool.name.startswith("copy")]
    parameters = tool.schema["function"]["parameters"]
    assert (parameters["properties"]["a"]["type"], parameters["required"]) == ("integer", ["a"])
    assert env.call(tool.name, {"a": 1}).content == "[1] 4"  # the function's own default, and not None
    assert env.call(tool.name, {"a": 1, "b": [2]}).content == "[2, 1] 4"


TYPED = """
from datetime import date
from typing import Literal, Optional


def bake(
    loaves: list[str],
    by: Literal["it's", 2, None] = None,
    left: Optional[dict[str, int]] = None,
    day: date | None = None,
) -> str:
    return f"{loaves} {by} {left} {day}"


TOOLS = [bake]
"""


def test_types_are_kept_or_told_to_be_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "typed_tools.py").write_text(TYPED, encoding="utf-8")
    env = begin("--from-functions", "typed_tools:TOOLS").environment()
    assert "in tools.py, write the types of bake(day): they get what JSON has" in capsys.readouterr().out
    (tool,) = [tool for tool in env.tool_specs() if tool.name == "bake"]
    properties = tool.schema["function"]["parameters"]["properties"]
    assert properties["loaves"]["items"] == {"type": "string"}
    assert properties["by"]["enum"] == ["it's", 2, None]
    assert properties["left"]["additionalProperties"] == {"type": "integer"}
    assert "type" not in properties["day"]
    called = env.call("bake", {"loaves": ["rye"], "by": 2, "left": {"rye": "3"}})
    assert called.content == "['rye'] 2 {'rye': 3} None"


def test_an_argument_is_called_as_the_module_is(folder: Path) -> None:
    (folder / "loaves.py").write_text(
        "def bake(loaves: list, given: int = 1, extra: tuple = ()) -> str:\n    return f'{loaves} {given} {extra}'\n"
        "TOOLS = [bake]\n",
        encoding="utf-8",
    )
    env = begin("--from-functions", "loaves:TOOLS").environment()
    assert env.call("bake", {"loaves": [2]}).content == "[2] 1 ()"


UNUSUAL = '''
import functools
from enum import Enum


class Status(str, Enum):
    OPEN = "open"


def logged(function):
    @functools.wraps(function)
    def call(*args, **options):
        return function(*args, **options)

    return call


@logged
def find(limit: float = float("inf"), least: float = float("nan"), status: Status = Status.OPEN) -> str:
    """Find."""
    return f"{limit} {least} {status.value}"


class Shop:
    def pay(self, x: int) -> int: ...


def bound(self, x: int) -> int: ...


def make():
    def refund(x: int) -> int: ...

    return refund


def total(*prices: float) -> float: ...


TOOLS, METHODS, BOUND, INNER, MANY = [find], [Shop.pay], [bound], [make()], [total]
'''


def test_defaults_that_python_does_not_read_back_stay_those_of_the_function(folder: Path) -> None:
    (folder / "unusual_tools.py").write_text(UNUSUAL, encoding="utf-8")
    env = begin("--from-functions", "unusual_tools:TOOLS").environment()
    assert env.call("find", {}).content == "inf nan open"


@pytest.mark.parametrize(
    ("tools", "name"), [("METHODS", "Shop.pay"), ("BOUND", "bound"), ("INNER", "make.<locals>.refund")]
)
def test_functions_that_no_tool_could_call(
    folder: Path, capsys: pytest.CaptureFixture[str], tools: str, name: str
) -> None:
    (folder / "unreached_tools.py").write_text(UNUSUAL, encoding="utf-8")
    assert main(["new", "domain", "shop", "--from-functions", f"unreached_tools:{tools}"]) == 2
    told = (
        f"unreached_tools:{tools}: {name} cannot be called by its name in its module, without a self; write a function"
    )
    assert told in capsys.readouterr().err


def test_a_function_of_any_number_of_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "many_tools.py").write_text(UNUSUAL, encoding="utf-8")
    assert main(["new", "domain", "shop", "--from-functions", "many_tools:MANY"]) == 2
    told = "many_tools:MANY: total takes *prices, which has no name for each value; write a function that takes a list"
    assert told in capsys.readouterr().err


def test_functions_that_return_no_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "late_tools.py").write_text(ODD, encoding="utf-8")
    assert main(["new", "domain", "shop", "--from-functions", "late_tools:LATER"]) == 2
    assert "late_tools:LATER: later is async or yields; give a function that returns a value" in capsys.readouterr().err


def test_the_commands_find_the_functions_beside_the_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `pytest-tau`, whose path does not have the current folder; importing from there is not kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "own_bakery.py").write_text(FUNCTIONS, encoding="utf-8")
    assert main(["new", "domain", "shop", "--from-functions", "own_bakery:TOOLS"]) == 0
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.delitem(sys.modules, "own_bakery")
    assert main(["check", "domains/shop"]) == 0
