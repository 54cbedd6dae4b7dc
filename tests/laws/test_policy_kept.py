"""Whoever plays by the plan of a task keeps its policy, and leaves no reader with a question."""

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.environment.folders import builtin_names


@pytest.mark.slow
@pytest.mark.parametrize("suite", builtin_names("tasks"))
def test_nothing_that_the_oracle_does_or_says_is_unclear(suite: str) -> None:
    found = {}
    for task in load_tasks(suite):
        domain = load_domain(task.domain_name or suite)
        reward = grade(task, simulate(task, domain), domain)
        found[task.id] = (reward.passed, reward.under_policy_range)
    assert found
    assert {id: seen for id, seen in found.items() if seen != (True, (1.0, 1.0))} == {}
