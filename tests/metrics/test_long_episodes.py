"""Completion, steps and decay of long episodes; effort and ratings over a run."""

from typing import Any

from pytest_tau.metrics.long_episodes import EPISODES, REMEMBERED, decay, mean_steps, steps_reached
from pytest_tau.metrics.scores import measured
from pytest_tau.metrics.totals import Totals, TrialFacts
from pytest_tau.reports.curves import LEFT, RIGHT, TOP, WIDTH
from pytest_tau.reports.long_episodes import clock, decay_curves, effort_lines, episode_lines


def trial(task: str, reached: int, due: int = 6, outcome: str = "missed", **reward: Any) -> dict[str, Any]:
    stations = [{"id": str(n), "name": str(n), "turn": n if n < reached else None} for n in range(due)]
    stations.append({"id": "mine", "name": "mine", "mine": True})
    return {"domain": "retail", "task_id": task, "outcome": outcome, "reward": {"stations": stations, **reward}}


def run(*trials: dict[str, Any]) -> Totals:
    totals = Totals()
    for each in trials:
        totals.add(TrialFacts.of(each))
    return totals


RUN = run(
    trial("a", 6, outcome="passed"), trial("a", 3, forgotten=[{"value": "x"}]), trial("b", 0), trial("c", 2, due=2)
)


def test_only_episodes_of_six_steps_are_long() -> None:
    assert steps_reached(trial("c", 2, due=5)) is None
    assert steps_reached(trial("c", 6, outcome="infra_error")) is None
    assert steps_reached(trial("c", 2)) == (True, True, False, False, False, False)


def test_completion_counts_each_task_once() -> None:
    found = measured(RUN, EPISODES)
    assert found is not None
    assert (found.value, found.over) == (0.25, "2 tasks")
    kept = measured(RUN, REMEMBERED)
    assert kept is not None
    assert kept.value == 0.75


def test_decay_is_of_those_that_got_so_far() -> None:
    rows = [steps for task in RUN.of() for steps in task.measured.get(EPISODES.name, [])]
    assert decay(rows) == [(2, 3), (2, 2), (2, 2), (1, 2), (1, 1), (1, 1)]
    assert decay([(False, True)]) == [(0, 1)]
    assert decay([]) == []
    assert mean_steps(rows) == (3.0, 6.0)


def test_the_lines_below_the_table() -> None:
    assert list(episode_lines(RUN)) == [
        "long episodes: 25 % completed, 3.0 of 6.0 steps on the mean; 25 % of trials forgot a fact.",
        "long episodes: each step, of the trials that had reached the one before: "
        "1 67 %  2 100 %  3 100 %  4 50 %  5 100 %  6 100 %",
    ]
    assert list(episode_lines(run(trial("c", 2, due=2)))) == []


def test_one_long_task_among_short_ones_makes_no_long_suite() -> None:
    short = [trial(name, 2, due=2) for name in "cde"]
    assert list(episode_lines(run(trial("a", 6), *short))) == []
    assert decay_curves(run(trial("a", 6), *short)) == []
    assert list(episode_lines(run(trial("a", 6), short[0])))


def test_the_curve_has_a_point_for_each_step() -> None:
    (curve,) = decay_curves(RUN)
    assert [(step.reached, step.among) for step in curve.steps] == [(2, 3), (2, 2), (2, 2), (1, 2), (1, 1), (1, 1)]
    assert [step.number for step in curve.steps] == [1, 2, 3, 4, 5, 6]
    xs, ys = zip(*(map(float, point.split(",")) for point in curve.line.split()), strict=True)
    assert (xs[0], xs[-1], ys[1]) == (LEFT, WIDTH - RIGHT, TOP)
    assert ys[1] < ys[0] < ys[3]  # all at the top, two thirds, half


def test_effort_and_ratings() -> None:
    effort = {"turns": 4, "asked_twice": 1, "handle_time": 130.0, "wait_seconds": 65.0}
    totals = run(
        trial("a", 6, effort=effort, satisfaction={"score": 4}),
        trial("a", 6, effort={"turns": 6}, satisfaction={"score": 9}),
        trial("b", 6, effort="edited", satisfaction={"score": None}),
    )
    assert list(effort_lines(totals)) == [
        "Effort, mean per trial: 5.0 turns of the customer; handle time 1:05, waiting 0:32 of it; "
        "0.50 questions asked twice (virtual time).",
        "Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial.",
    ]
    assert list(effort_lines(run())) == []
    assert clock(3725) == "62:05"
