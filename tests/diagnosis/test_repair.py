"""The smallest repair, against mistakes that were made on purpose."""

from __future__ import annotations

import json

import pytest

from pytest_tau import simulate
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.diagnosis.repair import smallest_repair, with_repair
from pytest_tau.schema.record import Fault, FaultKind, NoReturn, RepairKind
from tests.builders import CREATE, a_call, action, finished, mock, says, task
from tests.diagnosis.test_blame import Miss, misses, played_by

PLANTED = {
    "wrong_argument": RepairKind.ARGUMENT,
    "wrong_tool": RepairKind.REPLACED,
    "partly_done": RepairKind.ADDED,
    "unintended_action": RepairKind.LEFT_OUT,
    "wrong_information": RepairKind.TOLD,
    "missing_information": RepairKind.TOLD,
}
TASK = task(criteria={"actions": [action("create_task", **CREATE)], "reward_basis": ["DB"]})


def right(found: list[Miss]) -> float:
    """The share of misses whose repair is the planted mistake undone."""
    undone = 0
    for miss in found:
        change = smallest_repair(miss.task, miss.simulation, miss.domain)
        undone += change is not None and change.kind is PLANTED[miss.mistake.kind]
    return undone / len(found)


def test_planted_mistakes_are_undone() -> None:
    found = list(misses("retail", 1, 12))
    assert len(found) >= 10
    assert right(found) >= 0.9


@pytest.mark.slow
def test_planted_mistakes_of_whole_suites() -> None:
    found = [miss for suite in ("retail", "airline", "mock") for miss in misses(suite, 3, 60)]
    assert len(found) >= 150
    assert right(found) >= 0.9


class TestOneTask:
    def test_an_argument(self) -> None:
        other = {**CREATE, "title": "Something else"}
        sim = played_by([says(None, a_call("create_task", **other)), "It is done."])
        change = smallest_repair(TASK, sim, mock())
        assert change is not None
        assert change.kind is RepairKind.ARGUMENT
        assert str(change).endswith(f'title "Something else" → "{CREATE["title"]}"')

    @pytest.mark.parametrize("value", ["user_1", None])
    def test_an_argument_that_is_none_of_its_tool(self, value: str | None) -> None:
        look = task(criteria={"actions": [action("get_users")], "reward_basis": ["ACTION"]})
        sim = played_by([says(None, a_call("get_users", user_id=value)), "You have two."])
        change = smallest_repair(look, sim, mock())
        assert change is not None
        assert (change.kind, change.text) == (RepairKind.ARGUMENT, f"user_id {json.dumps(value)} left out")

    def test_an_argument_that_is_missing(self) -> None:
        sim = played_by([says(None, a_call("create_task", user_id=CREATE["user_id"])), "It is done."])
        change = smallest_repair(TASK, sim, mock())
        assert change is not None
        assert (change.kind, change.text) == (RepairKind.ARGUMENT, f'title "{CREATE["title"]}" added')

    def test_an_argument_beside_a_null_that_is_as_good_as_none(self) -> None:
        sim = played_by([says(None, a_call("create_task", user_id="user_1", title="X", description=None)), "Done."])
        change = smallest_repair(TASK, sim, mock())
        assert change is not None
        assert (change.kind, change.text) == (RepairKind.ARGUMENT, f'title "X" → "{CREATE["title"]}"')

    def test_a_call_too_many(self) -> None:
        more = a_call("create_task", id="c2", **{**CREATE, "title": "More"})
        sim = played_by([says(None, a_call("create_task", **CREATE)), says(None, more), "It is done."])
        change = smallest_repair(TASK, sim, mock())
        assert change is not None
        assert (change.kind, "left out" in change.text) == (RepairKind.LEFT_OUT, True)

    def test_a_call_that_is_missing(self) -> None:
        change = smallest_repair(TASK, simulate(TASK, mock(), "noop"), mock())
        assert change is not None
        assert change.kind is RepairKind.ADDED
        assert change.text.startswith("create_task(")

    def test_none_where_nobody_could_have_passed(self) -> None:
        """The gold path fails, so there is no point of no return to repair."""
        gone = task(criteria={"env_assertions": [], "actions": [action("complete_task", task_id="none")],
                              "communicate_info": ["\x00"], "reward_basis": ["COMMUNICATE"]})  # fmt: skip
        assert smallest_repair(gone, finished([]), mock()) is None

    def test_it_stops_when_the_time_is_over(self) -> None:
        assert smallest_repair(TASK, simulate(TASK, mock(), "noop"), mock(), seconds=0.0) is None


class TestWithTheFault:
    def test_it_goes_with_the_point_of_no_return(self) -> None:
        sim = simulate(TASK, mock(), "noop")
        fault = Fault(kind=FaultKind.OTHER, evidence="x", no_return=NoReturn(turn=len(sim.messages) - 2, text="x"))
        assert with_repair(fault, TASK, sim, mock()).repair is not None

    def test_without_one_nothing_is_looked_for(self) -> None:
        sim = simulate(TASK, mock(), "noop")
        fault = find_fault(TASK, sim, None, mock()) or Fault(kind=FaultKind.OTHER, evidence="x")
        assert with_repair(fault, TASK, sim, mock()) == fault
