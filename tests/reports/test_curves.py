"""The pass^k curve of a run as a picture has it: points in the frame, bands around them, and the baseline beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.agents import side_by_side
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.curves import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Curve, CurvePoint, curves, together
from tests.metrics.agents import totals as agents

COUNTS = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any)  # passed and missed trials of a task
Place = tuple[float, float]


def run(*tasks: tuple[str, int, int]) -> Totals:
    """Totals of tasks: domain, passed and missed trials."""
    totals = Totals()
    for number, (domain, passed, missed) in enumerate(tasks):
        for outcome in ["passed"] * passed + ["missed"] * missed:
            totals.add(TrialFacts(domain, f"t{number}", outcome))
    return totals


def places(points: str) -> list[Place]:
    """The coordinates in an attribute of the picture."""
    pairs = [point.split(",") for point in points.split()]
    return [(float(x), float(y)) for x, y in pairs]


@given(st.lists(COUNTS, min_size=1, max_size=6))
def test_every_point_is_in_the_frame_and_in_its_band(tasks: list[tuple[int, int]]) -> None:
    (curve,) = curves(run(*(("d", *counts) for counts in tasks)), {})
    assert [point.k for point in curve.points] == list(range(1, max(map(sum, tasks)) + 1))
    line, band = places(curve.line), places(curve.band)
    for x, y in line + band:
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP <= y <= HEIGHT - BOTTOM
    if len(line) == 1:
        assert line[0][0] == (LEFT + WIDTH - RIGHT) / 2
        return
    assert (line[0][0], line[-1][0]) == (LEFT, WIDTH - RIGHT)
    assert [x for x, _ in line] == sorted({x for x, _ in line})
    under, over = band[: len(line)], band[len(line) :][::-1]
    for (x, y), low, high in zip(line, under, over, strict=True):
        assert low[0] == high[0] == x
        assert high[1] <= y <= low[1]


def test_a_single_point_has_a_bar() -> None:
    (curve,) = curves(run(("d", 1, 0)), {})
    (point,) = curve.points
    left, right = point.x - 5, point.x + 5
    low, high = CurvePoint.y(point.low), CurvePoint.y(point.high)
    assert places(curve.band) == [(left, low), (right, low), (right, high), (left, high)]


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_is_higher(one: float, other: float) -> None:
    assert (CurvePoint.y(one) <= CurvePoint.y(other)) or one < other
    assert (CurvePoint.y(0), CurvePoint.y(1)) == (HEIGHT - BOTTOM, TOP)


@pytest.mark.parametrize(
    ("domains", "scopes"), [(["a"], ["a"]), (["a", "a"], ["a"]), (["b", "a"], [None, "b", "a"]), ([], [])]
)
def test_several_domains_have_one_for_all_before_their_own(domains: list[str], scopes: list[str | None]) -> None:
    assert [curve.domain for curve in curves(run(*((domain, 1, 1) for domain in domains)), {})] == scopes


def test_trials_of_several_agents_are_no_whole() -> None:
    assert [curve.domain for curve in curves(agents({"x": [[1]], "y": [[0]]}), {})] == ["retail, x", "retail, y"]


def test_the_baseline_is_that_of_the_tasks_of_both_runs_as_far_as_it_goes() -> None:
    totals = run(("a", 2, 0), ("b", 0, 2))
    baseline = {("a", "t0"): (1, 1), ("a", "gone"): (0, 1), ("b", "t1"): (1, 2)}
    every, first, second = curves(totals, baseline)
    assert [point.before for point in every.points] == [0.75, 0.0]  # the second trial of b's task alone
    assert [point.before for point in first.points] == [1.0, None]
    assert [point.before for point in second.points] == [0.5, 0.0]
    assert places(first.before) == [(LEFT, TOP)]
    assert places(second.before) == [(LEFT, CurvePoint.y(0.5)), (WIDTH - RIGHT, HEIGHT - BOTTOM)]
    assert curves(totals, {})[0].before == ""


def test_a_task_of_several_rows_counts_once_on_both_sides() -> None:
    totals = Totals()
    baseline = {}
    for row, task_id, passed in [("a, x", "one", 1), ("a, y", "one", 1), ("a, x", "other", 0)]:
        baseline[row, task_id] = (passed, 1)
        totals.add(TrialFacts(row, task_id, "passed" if passed else "missed"))
    (point,) = curves(totals, baseline)[0].points
    assert (point.tasks, point.value, point.before) == (2, 0.5, 0.5)


def test_agents_share_one_picture_in_which_a_k_has_one_place() -> None:
    side = side_by_side(agents({"long": [[1, 0, 1]] * 2, "short": [[1]] * 2}))
    assert side is not None
    found = dict(together(side))
    assert {name: [point.k for point in curve.points] for name, curve in found.items()} == {
        "long": [1, 2, 3],
        "short": [1],
    }
    assert found["short"].points[0].x == found["long"].points[0].x == LEFT
    assert found["long"].points[-1].x == WIDTH - RIGHT


def test_an_empty_curve_is_drawn_as_nothing() -> None:
    assert (Curve(None, []).line, Curve(None, []).band, Curve(None, []).before) == ("", "", "")
