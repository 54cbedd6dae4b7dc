"""ACTION: gold actions among the calls, by the reference's rule and by ours."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau.evaluation.criteria.actions import actions, same_call
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, action, asks, result_of, says, task, u_call
from tests.environment.folders import TOOLS, shop


def made(*calls: ToolCall, error: bool = False) -> list[AnyMessage]:
    messages: list[AnyMessage] = []
    for call in calls:
        messages += [
            says(None, call) if call.requestor == "assistant" else asks(None, call),
            result_of(call, error=error),
        ]
    return messages


def value(gold: list[dict[str, Any]], messages: list[AnyMessage], *, parity: bool, solo: bool = False) -> float | None:
    return actions(task(criteria={"actions": gold}), messages, parity=parity, in_basis=True, solo=solo).value


GOLD: dict[str, Any] = {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    ("compare", "arguments", "reference", "ours"),
    [
        (None, {"a": 1, "b": "x"}, 1.0, 1.0),
        (None, {"a": 1}, 1.0, 0.0),  # the reference compares the call's own arguments only
        (None, {}, 1.0, 0.0),
        (None, {"a": 1, "b": "x", "c": 0}, 0.0, 0.0),
        (None, {"a": 1, "b": "x", "c": None}, 0.0, 1.0),  # null is as good as leaving it out
        (None, {"a": 1, "b": None}, 0.0, 0.0),
        (None, {"a": 2, "b": "x"}, 0.0, 0.0),
        (None, {"a": "1", "b": "x"}, 0.0, 0.0),
        (None, {"a": 1.0, "b": "x"}, 1.0, 1.0),
        (None, {"a": True}, 1.0, 0.0),
        ([], {"z": 9}, 1.0, 1.0),
        ([], {}, 1.0, 1.0),
        (["a"], {"a": 1, "z": 9}, 1.0, 1.0),
        (["a"], {"a": 2, "b": "x"}, 0.0, 0.0),
        (["a"], {"b": "x"}, 0.0, 0.0),
        (["z"], {"a": 2}, 1.0, 1.0),  # absent on both sides
        (["a", "z"], {"a": 1, "z": 1}, 0.0, 0.0),
    ],
)
def test_arguments(compare: Any, arguments: dict[str, Any], reference: float, ours: float) -> None:
    gold = [action("f", compare_args=compare, **GOLD)]
    messages = made(a_call("f", **arguments))
    assert value(gold, messages, parity=True) == reference
    assert value(gold, messages, parity=False) == ours


@pytest.mark.parametrize(
    ("due", "done", "met"),
    [
        ({"a": 1}, {"a": 1, "b": "x"}, 1.0),
        ({"a": 1, "b": "x"}, {"a": 1}, 1.0),
        ({"a": 1}, {"a": 1, "b": "y"}, 0.0),
        ({"a": 1, "b": "y"}, {"a": 1}, 0.0),
    ],
)
@pytest.mark.parametrize("compare", [None, ["a", "b"]])
def test_a_default_is_as_good_as_leaving_it_out(due: Any, done: Any, met: float, compare: Any) -> None:
    graded = task(criteria={"actions": [action("f", compare_args=compare, **due)]})
    defaults = {"f": {"b": "x"}}
    found = actions(graded, made(a_call("f", **done)), parity=False, in_basis=True, defaults=defaults)
    assert found.value == met


@pytest.mark.parametrize("compare", [None, ["limit"]])
@pytest.mark.parametrize(
    ("due", "done", "met"),
    [(3, "3", 1.0), ("3", 3, 1.0), (3, 3.0, 1.0), (3, "4", 0.0), (3, None, 0.0), ("3", "3.0", 0.0)],
)
def test_an_argument_is_what_the_tool_takes_it_for(
    due: Any, done: Any, met: float, compare: Any, tmp_path: Path
) -> None:
    tools = TOOLS.replace("cancel(self, order_id: str", "cancel(self, order_id: str, limit: int = 0")
    domain = shop(tmp_path, tools=tools)
    graded = task(criteria={"actions": [action("cancel", compare_args=compare, order_id="O1", limit=due)]})
    call = a_call("cancel", order_id="O1", limit=done)
    found = actions(graded, made(call), parity=False, in_basis=True, env=domain.environment())
    assert found.value == met
    assert same_call(graded.gold_actions[0], call, domain.environment()) == bool(met)
    gold = [action("cancel", compare_args=compare, limit=3)]
    assert value(gold, made(a_call("cancel", limit="3")), parity=True) == 0.0


@pytest.mark.parametrize("parity", [True, False])
class TestBoth:
    def test_the_name(self, parity: bool) -> None:
        assert value([action("f", compare_args=[])], made(a_call("g")), parity=parity) == 0.0

    def test_order_and_number_do_not_matter(self, parity: bool) -> None:
        gold = [action("f", x=1), action("g", x=1), action("f", x=1)]
        assert value(gold, made(a_call("g", x=1), a_call("f", x=1), a_call("f", x=2)), parity=parity) == 1.0

    def test_all_must_be_met(self, parity: bool) -> None:
        found = actions(
            task(criteria={"actions": [action("f", x=1), action("g", x=1)]}),
            made(a_call("g", x=1)),
            parity=parity,
            in_basis=True,
        )
        assert (found.value, [check.met for check in found.checks]) == (0.0, [False, True])
        assert [check.name for check in found.checks] == ["f(x=1)", "g(x=1)"]

    def test_order_in_lists_matters(self, parity: bool) -> None:
        assert value([action("f", x=[1, 2])], made(a_call("f", x=[2, 1])), parity=parity) == 0.0

    @pytest.mark.parametrize("gold", [[], None])
    def test_nothing_wanted(self, parity: bool, gold: Any) -> None:
        found = actions(task(criteria={"actions": gold}), [], parity=parity, in_basis=True)
        assert (found.value, found.note) == (1.0, "No actions to evaluate")


class TestOurs:
    def test_a_call_must_have_succeeded(self) -> None:
        gold, failed = [action("f", x=1)], made(a_call("f", x=1), error=True)
        assert (value(gold, failed, parity=True), value(gold, failed, parity=False)) == (1.0, 0.0)

    def test_the_side_counts(self) -> None:
        gold, by_user = [action("f", x=1)], made(u_call("f", x=1))
        assert (value(gold, by_user, parity=True), value(gold, by_user, parity=False)) == (1.0, 0.0)

    def test_but_in_solo_the_agent_is_both(self) -> None:
        gold, by_agent = [action("f", requestor="user", x=1)], made(a_call("f", x=1))
        assert value(gold, by_agent, parity=False) == 0.0
        assert value(gold, by_agent, parity=False, solo=True) == 1.0


@pytest.mark.parametrize(("parity", "met"), [(False, 1.0), (True, 0.0)])
def test_arguments_that_are_sets_come_in_any_order(parity: bool, met: float) -> None:
    wanted = task(criteria={"actions": [action("give", items=["1", "2"], note="x")]})
    messages = made(a_call("give", items=["2", "1"], note="x"))
    found = actions(wanted, messages, parity=parity, in_basis=True, sets={"give": ("items",)})
    assert found.value == met
    assert actions(wanted, messages, parity=parity, in_basis=True).value == 0.0
