"""What an author says should have been, in one line."""

from __future__ import annotations

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import SettingsError
from pytest_tau.schema.calls import Action
from tau_workshop.import_.expect import (
    Expectation,
    checks_of,
    expected_path,
    facts_of,
    read_expectation,
    refuse_unknown,
)
from tau_workshop.import_.gold import GoldStep


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("refuses", Expectation("refuses")),
        ("tells 12.40", Expectation("tells", "12.40")),
        ("not cancel_order", Expectation("not", "cancel_order")),
        ('not cancel_order(order_id="O1")', Expectation("not", "cancel_order", {"order_id": "O1"})),
        ("exchange(item='I7', now=true, left=null, n=[1])",
         Expectation("calls", "exchange", {"item": "I7", "now": True, "left": None, "n": [1]})),
        ("hand_over", Expectation("calls", "hand_over")),
    ],
)  # fmt: skip
def test_a_line(line: str, wanted: Expectation) -> None:
    assert read_expectation(line) == wanted


@pytest.mark.parametrize(
    "line", ["", "not", "cancel(", "cancel(1)", "cancel(**x)", "a.b()", "cancel(x=open('f'))", "1"]
)
def test_a_line_that_is_none(line: str) -> None:
    with pytest.raises(SettingsError, match="write one of: not TOOL"):
        read_expectation(line)


def test_tools_and_arguments_must_exist() -> None:
    domain = load_domain("retail")
    refuse_unknown([Expectation("calls", "cancel_pending_order", {"order_id": "#W1"})], domain)
    with pytest.raises(SettingsError, match="has no tool 'launch'"):
        refuse_unknown([Expectation("not", "launch")], domain)
    with pytest.raises(SettingsError, match="cancel_pending_order has no argument 'why'; it takes order_id, reason"):
        refuse_unknown([Expectation("calls", "cancel_pending_order", {"why": 1})], domain)


def step(at: int, name: str, *, writes: bool = True, **arguments: object) -> GoldStep:
    return GoldStep(at, Action(action_id=f"{at}", name=name, arguments=arguments), writes)


PATH = [step(1, "look", writes=False), step(3, "cancel", order="O1", why="x"), step(5, "cancel", order="O2", why="y")]


def calls(path: list[GoldStep]) -> list[str]:
    return [str(one.action) for one in path]


def test_the_path_as_it_should_have_been() -> None:
    def path(*lines: str) -> list[str]:
        return calls(expected_path(PATH, [read_expectation(line) for line in lines]))

    assert path("refuses") == []
    assert path("tells 3") == calls(PATH)
    assert path("not cancel") == []
    assert path('not cancel(order="O2")') == calls(PATH[:2])
    assert path('cancel(order="O2", why="z")') == [*calls(PATH[:2]), 'cancel(order="O2", why="z")']
    assert path('refund(order="O1")') == [*calls(PATH), 'refund(order="O1")']
    assert path("not cancel", 'refund(order="O1")') == ["look()", 'refund(order="O1")']


def test_checks_and_facts() -> None:
    lines = [read_expectation(line) for line in ('not cancel(order="O1")', "tells 12.40")]
    assert [(check.name, check.arguments) for check in checks_of(lines)] == [("cancel", {"order": "O1"})]
    assert facts_of(lines) == ["12.40"]
