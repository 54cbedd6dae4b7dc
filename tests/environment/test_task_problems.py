"""Whether a task fits its domain: the sentence for each thing that is not there."""

import re
from typing import Any

import pytest

from pytest_tau import load_tasks
from pytest_tau.environment.task_problems import task_problems
from tests.builders import action, mock, task

FINISH = "update_task_status"
CALL = {"domain": "mock", "reason_for_call": "Help me.", "task_instructions": "Be brief."}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"criteria": {"actions": [action("creat_task")]}},
            r"actions[0]: there is no assistant tool 'creat_task' (did you mean 'create_task'?)",
        ),
        ({"criteria": {"actions": [action("create_task", foo=1)]}}, "actions[0]: create_task has no argument 'foo'"),
        ({"criteria": {"actions": [action("get_users", requestor="user")]}}, "there is no user tool 'get_users'"),
        (
            {"criteria": {"actions": [action("get_users", compare_args=["user"])]}},
            "actions[0]: get_users has no argument 'user'",
        ),
        (
            {"criteria": {"trajectory": [{"check": "not_called", "name": "create_task", "arguments": {"titel": "x"}}]}},
            "trajectory[0]: create_task has no argument 'titel' (did you mean 'title'?)",
        ),
        (
            {
                "criteria": {
                    "trajectory": [{"check": "not_called", "name": FINISH, "arguments": {"status": "complete"}}]
                }
            },
            "no call can be so: Argument 'status' of update_task_status is not valid: Input should be 'pending' or",
        ),
        (
            {"criteria": {"without": ["clams"]}},
            "without[0]: there is no default check 'clams' (did you mean 'claims'?)",
        ),
        (
            {"user_scenario": {"instructions": {**CALL, "later": [{"when": "done", "say": "More.", "before": "3"}]}}},
            "user_scenario.instructions.later[0].before: there is no gold action '3'",
        ),
        ({"user_tools": ["dismiss"]}, "user_tools[0]: there is no user tool 'dismiss'"),
        (
            {"criteria": {"env_assertions": [{"env_type": "user", "func_name": "assert_task_status"}]}},
            "env_assertions[0]: the user toolkit has no method 'assert_task_status'",
        ),
        (
            {"initial_state": {"initialization_actions": [{"env_type": "assistant", "func_name": "nope"}]}},
            "initialization_actions[0]: the assistant toolkit has no method 'nope'",
        ),
        (
            {"criteria": {"trajectory": [{"check": "called", "name": "get_user"}]}},
            "trajectory[0]: there is no assistant tool 'get_user' (did you mean 'get_users'?)",
        ),
    ],
)
def test_what_does_not_fit_the_domain(fields: dict[str, Any], sentence: str) -> None:
    (problem,) = task_problems(task(**fields), mock())
    assert re.search(re.escape(sentence), problem)


def test_the_built_in_tasks_fit() -> None:
    assert [p for t in load_tasks("mock") for p in task_problems(t, mock())] == []
