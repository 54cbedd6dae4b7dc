"""The numbers that gates compare; what is made of them is in test_gate_verdict.py and test_stopping.py."""

from collections import Counter

import pytest

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.gate_value import coverage_problem, estimate, tasks_of, value_of
from pytest_tau.metrics.task_results import TaskResult

ROWS = [(("mock", "a"), (2, 2)), (("mock", "a"), (0, 2)), (("mock", "b"), (1, 2))]


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("pass^1 >= 0.5", {((0, 2), (2, 2)): 1, ((1, 2),): 1}),
        ("lower(pass^1, these tasks) >= 0.5", {((2, 2),): 1, ((0, 2),): 1, ((1, 2),): 1}),
    ],
)
def test_rows_about_one_task_are_one_where_tasks_like_these_are_meant(
    text: str, counted: dict[tuple[tuple[int, int], ...], int]
) -> None:
    assert tasks_of(parse_gate(text), ROWS) == counted


@pytest.mark.parametrize(
    ("text", "value"),
    [("pass^1 >= 0.5", 0.5), ("pass^2 >= 0.5", 0.25), ("pass@2 >= 0.5", 0.75), ("pass^3 >= 0.5", None)],
)
def test_each_task_counts_once_and_only_with_trials_enough(text: str, value: float | None) -> None:
    gate = parse_gate(text)
    assert value_of(gate, tasks_of(gate, ROWS)) == value


def test_an_interval_on_these_tasks_needs_two_trials_of_each() -> None:
    gate = parse_gate("lower(pass^1, these tasks) >= 0.5")
    assert value_of(gate, Counter([((1, 1),)])) is None
    assert value_of(gate, Counter([((1, 2),)])) is not None


def test_a_task_by_itself() -> None:
    assert [estimate(parse_gate(text), 1, 2) for text in ("pass^2 >= 0.5", "pass@2 >= 0.5")] == [0.0, 1.0]


def test_how_many_trials_have_a_verdict() -> None:
    tasks = [TaskResult("mock", "a", 1, 1, 2)]
    assert coverage_problem(tasks, 0.5) is None
    assert coverage_problem(tasks, 0.6) == (
        "1 of 2 planned trials have a verdict (50.0 %), and 60.0 % is asked for (--tau-min-coverage)"
    )
    assert coverage_problem([], 0.0) == "no trial was planned"
