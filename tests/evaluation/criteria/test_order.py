"""TRAJECTORY: calls in order; and of every check, that it can fail and that its tools are there."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau import grade, simulate
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_task
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, action, asks, mock, result_of, says, task, u_call
from tests.evaluation.criteria.mock_trajectories import CONFIRMED, FAILED, LOOK, LOOKED, WRITTEN, run
from tests.evaluation.criteria.trajectories import run as checks


class TestOrder:
    CHECK: dict[str, Any] = {"check": "order", "calls": [{"name": "get_users"}, {"name": "create_task"}]}  # noqa: RUF012

    def test_in_order(self) -> None:
        assert run(LOOKED + WRITTEN, self.CHECK) == (True, "")

    def test_the_wrong_way_round(self) -> None:
        why = "create_task() in turn 0 came before get_users() in turn 2"
        assert run(WRITTEN + LOOKED + WRITTEN, self.CHECK) == (False, why)

    def test_it_is_broken_where_a_call_came_too_early(self) -> None:
        assert checks([asks("Hi"), *WRITTEN, *LOOKED, *WRITTEN], self.CHECK)[0].turn == 1
        assert checks(WRITTEN, self.CHECK)[0].turn is None

    def test_a_call_that_failed_does_not_count(self) -> None:
        assert run(FAILED + WRITTEN, self.CHECK) == (False, "no call of get_users() succeeded")
        assert run(FAILED + WRITTEN + LOOKED, self.CHECK)[0] is False

    def test_one_message_with_both(self) -> None:
        other = a_call("create_task", id="c2")
        assert run([says(None, LOOK, other), result_of(LOOK), result_of(other)], self.CHECK)[0]
        assert not run([says(None, other, LOOK), result_of(other), result_of(LOOK)], self.CHECK)[0]

    def test_arguments_and_sides(self) -> None:
        check = {
            "check": "order",
            "calls": [{"name": "look", "requestor": "user"}, {"name": "create_task", "arguments": {"title": "x"}}],
        }
        call = u_call("look")
        looked: list[AnyMessage] = [asks(None, call), result_of(call)]
        assert run(looked + WRITTEN, check) == (False, 'no call of create_task(title="x") succeeded')
        other = a_call("create_task", title="X")
        assert run([*looked, says(None, other), result_of(other)], check)[0]


@pytest.mark.parametrize(
    "check",
    [
        {"check": "order", "calls": [{"name": "a"}]},
        {"check": "confirmed", "names": []},
        {"check": "identified", "by": []},
        {"check": "not_said", "texts": [""]},
    ],
)
def test_what_could_never_fail_is_refused(check: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        task(criteria={"trajectory": [check]})


@pytest.mark.parametrize(
    "check",
    [
        {"check": "order", "calls": [{"name": "get_users"}, {"name": "get_user"}]},
        {"check": "confirmed", "names": ["get_user"]},
        {"check": "identified", "by": ["get_users"], "needed_for": ["get_user"]},
        {"check": "not_said", "texts": ["x"], "until": ["get_user"]},
    ],
)
def test_a_misspelt_tool_is_named(check: dict[str, Any]) -> None:
    item = task(criteria={"trajectory": [check]}).model_dump(mode="json")
    (problem,) = task_problems(read_task(item, "here.json"), mock())
    assert problem.startswith("evaluation_criteria.trajectory[0]: there is no assistant tool 'get_user' (did you mean")


@pytest.mark.parametrize("solo", [False, True])
def test_the_oracle_and_the_scripted_customer_keep_to_them(solo: bool) -> None:
    checks = [
        {"check": "order", "calls": [{"name": "get_users"}, {"name": "create_task"}]},
        CONFIRMED,
        {"check": "identified", "by": ["get_users"]},
        {"check": "not_said", "texts": ["Tomas Okoye"]},
    ]
    gold = [action("get_users"), action("create_task", **CREATE)]
    played = task(ticket="Add it.", criteria={"actions": gold, "trajectory": checks, "reward_basis": ["TRAJECTORY"]})
    reward = grade(played, simulate(played, mock(), solo=solo), mock())
    assert reward.passed, reward
