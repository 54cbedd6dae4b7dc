"""What is told of long episodes below the table and as a curve; and what trials cost their customers."""

import pytest

from pytest_tau.reports.curves import LEFT, RIGHT, TOP, WIDTH
from pytest_tau.reports.long_episodes import clock, decay_curves, effort_lines, episode_lines
from tests.metrics.episodes import RUN, run, trial


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
        "0.50 questions asked twice (virtual time, not the clock's).",
        "Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial; it gave no answer on 1 trial.",
    ]
    assert list(effort_lines(run())) == []


def test_each_row_with_long_episodes_has_a_line_and_a_curve_of_its_own() -> None:
    other = {**trial("x", 6, outcome="passed"), "domain": "airline"}
    both = run(trial("a", 3), other)
    assert [line.partition(":")[0] for line in episode_lines(both)] == ["long episodes, retail"] * 2 + [
        "long episodes, airline"
    ] * 2
    assert [(curve.row, len(curve.steps)) for curve in decay_curves(both)] == [("retail", 4), ("airline", 6)]


def test_a_curve_shows_so_many_steps_and_no_more() -> None:
    (curve,) = decay_curves(run(trial("a", 20, due=20)))
    assert (len(curve.steps), curve.steps[-1].x) == (15, WIDTH - RIGHT)
    *_, line = episode_lines(run(trial("a", 20, due=20)))
    assert line.endswith("15 100 %")


def test_a_single_step_stands_where_curves_begin() -> None:
    (curve,) = decay_curves(run(trial("a", 0)))
    assert [(step.x, step.share) for step in curve.steps] == [(LEFT, 0.0)]


def test_one_rating_is_over_one_trial_and_what_did_not_happen_is_not_told() -> None:
    efforts = [{"turns": 2, "apologies": 1}, {"turns": 3, "handed_over": 1}]
    totals = run(*(trial("a", 6, effort=one, satisfaction={"score": 2}) for one in efforts))
    effort, rating = effort_lines(totals)
    assert "2.5 turns" in effort
    assert "0.50 apologies without a deed; 0.50 handed over (virtual time, not the clock's)" in effort
    assert "asked" not in effort
    assert rating == "Satisfaction, as the judge rates it: 2.00 of 5 over 2 trials."


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3725, "62:05")])
def test_a_clock_shows_minutes_and_seconds(seconds: float, text: str) -> None:
    assert clock(seconds) == text
