"""Completion, steps and decay of long episodes."""

from pytest_tau.metrics.long_episodes import EPISODES, REMEMBERED, decay, mean_steps, steps_reached
from pytest_tau.metrics.scores import measure
from tests.metrics.episodes import RUN, trial


def test_only_episodes_of_six_steps_are_long() -> None:
    assert steps_reached(trial("c", 2, due=5)) is None
    assert steps_reached(trial("c", 6, outcome="infra_error")) is None
    assert steps_reached(trial("c", 2)) == (True, True, False, False, False, False)


def test_completion_counts_each_task_once() -> None:
    found = measure(RUN, EPISODES)
    assert found is not None
    assert (found.value, found.over) == (0.25, "2 tasks")
    kept = measure(RUN, REMEMBERED)
    assert kept is not None
    assert kept.value == 0.75


def test_decay_is_of_those_that_got_so_far() -> None:
    rows = [steps for task in RUN.of() for steps in task.measured.get(EPISODES.name, [])]
    assert decay(rows) == [(2, 3), (2, 2), (2, 2), (1, 2), (1, 1), (1, 1)]
    assert decay([(False, True)]) == [(0, 1)]
    assert decay([]) == []
    assert mean_steps(rows) == (3.0, 6.0)
