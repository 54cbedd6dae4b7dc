"""ENV_ASSERTION: methods of the toolkits that must hold after the conversation."""

from typing import Any

import pytest

from pytest_tau.evaluation.criteria.assertions import assertions
from tests.builders import mock, task


def assertion(status: str, task_id: str = "task_1", **fields: Any) -> dict[str, Any]:
    arguments = {"task_id": task_id, "expected_status": status}
    return {"env_type": "assistant", "func_name": "assert_task_status", "arguments": arguments, **fields}


@pytest.mark.parametrize(
    ("given", "value", "met", "why"),
    [
        ([assertion("pending")], 1.0, [True], [""]),
        ([assertion("pending"), assertion("completed")], 0.0, [True, False], ["", "does not hold"]),
        ([assertion("completed", message="It is not done.")], 0.0, [False], ["It is not done."]),
        ([assertion("completed", assert_value=False)], 1.0, [True], [""]),
    ],
)
def test_all_must_hold_on_the_state_reached(
    given: list[dict[str, Any]], value: float, met: list[bool], why: list[str]
) -> None:
    made = task(criteria={"env_assertions": given, "reward_basis": ["ENV_ASSERTION"]})
    found = assertions(made, mock().environment(), in_basis=True)
    assert (found.criterion, found.value, found.in_basis, found.note) == ("ENV_ASSERTION", value, True, None)
    assert [check.met for check in found.checks] == met
    assert [check.explanation for check in found.checks] == why


def test_one_that_raises_is_not_met_and_says_why() -> None:
    nosuch = {"env_type": "assistant", "func_name": "assert_nothing", "arguments": {}}
    made = task(criteria={"env_assertions": [nosuch, assertion("pending")]})
    found = assertions(made, mock().environment(), in_basis=False)
    assert [check.met for check in found.checks] == [False, True]
    assert "assert_nothing" in found.checks[0].explanation
    assert not found.in_basis


def test_where_there_are_none_all_hold() -> None:
    nothing: dict[str, Any] = {}
    for criteria in (None, nothing):
        found = assertions(task(criteria=criteria), mock().environment(), in_basis=True)
        assert (found.value, found.checks, found.note) == (1.0, [], "No env assertions to evaluate")
