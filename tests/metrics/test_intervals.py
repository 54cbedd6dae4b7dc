"""Intervals: Wilson's against a published table, t over tasks against scipy, what they must never do, and coverage."""

from __future__ import annotations

import random
from itertools import pairwise
from math import comb, sqrt
from statistics import NormalDist, fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.intervals import (
    mean_interval,
    paired_interval,
    pass_k_interval,
    these_tasks_interval,
    wilson,
)

# tasks, rate in % and the published 95 % interval in %
PUBLISHED = [
    (50, 70.0, 56, 81),
    (50, 66.0, 52, 78),
    (50, 58.0, 44, 71),
    (50, 46.0, 33, 60),
    (50, 68.0, 54, 79),
    (50, 52.0, 39, 65),
    (50, 36.0, 24, 50),
    (50, 26.0, 16, 40),
    (114, 86.8, 79, 92),
    (114, 78.9, 71, 85),
    (114, 63.2, 54, 71),
    (114, 38.6, 30, 48),
    (114, 77.2, 69, 84),
    (114, 61.4, 52, 70),
    (114, 43.9, 35, 53),
    (114, 20.2, 14, 28),
    (114, 93.0, 87, 96),
    (114, 82.5, 74, 88),
    (114, 67.5, 59, 75),
    (114, 37.7, 29, 47),
    (114, 78.9, 71, 85),
    (114, 56.1, 47, 65),
    (114, 45.6, 37, 55),
    (114, 21.9, 15, 30),
    (114, 100.0, 97, 100),
    (114, 96.5, 91, 99),
    (114, 75.4, 67, 82),
    (114, 54.4, 45, 63),
    (114, 91.2, 85, 95),
    (114, 73.7, 65, 81),
    (114, 55.3, 46, 64),
    (114, 32.5, 25, 42),
]


def test_the_published_table() -> None:
    for tasks, rate, low, high in PUBLISHED:
        successes = round(tasks * rate / 100)
        assert round(100 * successes / tasks, 1) == rate
        bounds = wilson(successes / tasks, tasks)
        # Half a point of rounding; one bound, 58.499, was published as 59, by way of 58.5.
        assert [100 * bound for bound in bounds] == pytest.approx([low, high], abs=0.5015), (tasks, rate)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("p", "n"), [(0.0, 1), (0.2, 7), (0.5, 30), (0.9, 114), (1.0, 3)])
def test_its_bounds_solve_the_score_equation(p: float, n: int, confidence: float) -> None:
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    for bound in wilson(p, n, confidence):
        assert abs(p - bound) == pytest.approx(z * sqrt(bound * (1 - bound) / n), abs=1e-9)


def test_it_stays_within_its_range() -> None:
    assert wilson(0.0, 1)[0] == 0.0
    assert wilson(1.0, 1)[1] == 1.0
    assert wilson(1.0, 1)[0] < wilson(1.0, 100)[0] < 1.0


@pytest.mark.parametrize(
    ("p", "n", "confidence"), [(-0.1, 5, 0.9), (1.1, 5, 0.9), (0.5, 0, 0.9), (0.5, 5, 1.0), (0.5, 5, 0.0)]
)
def test_out_of_range(p: float, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="no interval for a proportion"):
        wilson(p, n, confidence)


def test_wilson_is_that_of_scipy() -> None:
    from scipy.stats import binomtest  # seconds, in each worker

    for seed in range(20):
        rng = random.Random(seed)
        n = rng.randint(1, 300)
        passed, confidence = rng.randint(0, n), rng.choice((0.99, 0.95, 0.9))
        expected = binomtest(passed, n).proportion_ci(confidence, method="wilson")
        assert wilson(passed / n, n, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9), seed


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[int, int]]:
    """(successes, trials) of tasks, with as many trials each or with different numbers."""
    most = draw(st.integers(1, 8))
    return [
        (draw(st.integers(0, trials)), trials)
        for trials in draw(st.lists(st.sampled_from([most, most, draw(st.integers(1, 8))]), min_size=1, max_size=40))
    ]


def lowest_of_t(values: list[float], confidence: float) -> float:
    """The lower end of scipy's t over the values with a 0 and a 1, where the best values have become 1 at worst."""
    from scipy import stats  # seconds, in each worker

    ends = []
    for raised in range(len(values) + 1):
        all_of_them = [*([1.0] * raised), *sorted(values, reverse=True)[raised:], 0.0, 1.0]
        error = stats.sem(all_of_them)
        ends.append(stats.t.interval(confidence, len(all_of_them) - 1, fmean(all_of_them), error)[0])
    return max(0.0, float(min(ends)))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 20))])
def test_the_interval_is_the_t_of_scipy_over_the_tasks_and_two_more(seed: int) -> None:
    rng = random.Random(seed)
    values = [rng.randint(0, 4) / 4 for _ in range(rng.randint(2, 120))]
    found, confidence = mean_interval(values, 0.9), 0.9
    # Ours may raise a part of a task, which can lower the end by a little more.
    low = lowest_of_t(values, confidence)
    assert low - 0.002 <= found.low <= low + 1e-9
    high = 1 - lowest_of_t([1 - value for value in values], confidence)
    assert high - 1e-9 <= found.high <= high + 0.002


@given(runs(), st.integers(1, 4), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_a_pass_that_becomes_a_miss_raises_no_end(
    run: list[tuple[int, int]], k: int, data: st.DataObject, confidence: float
) -> None:
    passing = [place for place, (passed, _) in enumerate(run) if passed]
    if not passing:
        return
    place = data.draw(st.sampled_from(passing))
    worse = [(passed - (number == place), trials) for number, (passed, trials) in enumerate(run)]
    better, later = pass_k_interval(run, k, confidence), pass_k_interval(worse, k, confidence)
    if better is not None and later is not None:
        assert later.low <= better.low + 1e-12
        assert later.high <= better.high + 1e-12


@given(runs(), st.data())
def test_nor_of_the_interval_on_these_tasks(run: list[tuple[int, int]], data: st.DataObject) -> None:
    run = [(passed, trials) for passed, trials in run if trials > 1]
    passing = [place for place, (passed, _) in enumerate(run) if passed]
    if not passing:
        return
    place = data.draw(st.sampled_from(passing))
    worse = [(passed - (number == place), trials) for number, (passed, trials) in enumerate(run)]
    better, later = these_tasks_interval(run), these_tasks_interval(worse)
    assert better is not None
    assert later is not None
    assert later.low <= better.low + 1e-12
    assert later.high <= better.high + 1e-12


@given(runs(), st.integers(1, 4))
def test_the_estimate_lies_inside(run: list[tuple[int, int]], k: int) -> None:
    values = [comb(passed, k) / comb(trials, k) for passed, trials in run if trials >= k]
    found = pass_k_interval(run, k)
    assert (found is None) == (not values)
    if found is not None:
        assert 0 <= found.low <= fmean(values) + 1e-12
        assert fmean(values) - 1e-12 <= found.high <= 1


def test_there_is_no_cliff_between_few_misses_and_some() -> None:
    """Fifty tasks of four trials: each further miss lowers the lower end, by about the same."""
    lows = []
    for misses in range(12):
        found = pass_k_interval([(3, 4)] * misses + [(4, 4)] * (50 - misses), 1)
        assert found is not None
        lows.append(found.low)
    steps = [before - after for before, after in pairwise(lows)]
    assert min(steps) > 0.005
    assert max(steps) < 0.0061


def test_tasks_with_too_few_trials_are_left_out() -> None:
    mixed = [(4, 4)] * 20 + [(3, 4)] * 12 + [(0, 4)] * 10
    assert pass_k_interval([*mixed, (0, 1), (0, 1)], 2) == pass_k_interval(mixed, 2)
    assert pass_k_interval(mixed, 5) is None


def test_no_values_have_no_interval() -> None:
    with pytest.raises(ValueError, match="no interval for a mean of no values"):
        mean_interval([])


@pytest.mark.parametrize("k", [1, 2])
def test_the_interval_covers_the_truth_as_often_as_it_says(k: int) -> None:
    rng, covered, times = random.Random(3), 0, 400
    truth = 1.6 / 2 * (2.6 / 3 if k == 2 else 1)
    for _ in range(times):
        rates = (rng.betavariate(1.6, 0.4) for _ in range(50))
        found = pass_k_interval([(sum(rng.random() < rate for _ in range(4)), 4) for rate in rates], k)
        assert found is not None
        covered += found.low <= truth <= found.high
    assert 0.925 <= covered / times <= 0.985


def test_the_interval_on_these_tasks_covers_their_rate_and_is_narrower() -> None:
    rng, covered, times = random.Random(4), 0, 400
    rates = [rng.betavariate(1.6, 0.4) for _ in range(50)]
    widths = [0.0, 0.0]
    for _ in range(times):
        run = [(sum(rng.random() < rate for _ in range(4)), 4) for rate in rates]
        these, like = these_tasks_interval(run), pass_k_interval(run, 1)
        assert these is not None
        assert like is not None
        covered += these.low <= fmean(rates) <= these.high
        widths[0] += these.high - these.low
        widths[1] += like.high - like.low
    assert 0.92 <= covered / times <= 0.98
    assert widths[0] < 0.6 * widths[1]


def test_the_interval_on_these_tasks_needs_two_trials_of_each() -> None:
    assert these_tasks_interval([(1, 1), (2, 4)]) is None
    assert these_tasks_interval([]) is None
    certain = these_tasks_interval([(4, 4)] * 50)
    assert certain is not None
    assert (round(certain.low, 3), certain.high) == (0.985, 1.0)


def test_paired_differences_are_the_t_of_scipy() -> None:
    from scipy import stats  # seconds, in each worker

    for seed in range(20):
        rng = random.Random(seed)
        values = [rng.randint(-4, 4) / 4 for _ in range(rng.randint(1, 80))]
        found = paired_interval(values, 0.5)
        more = [*values, 0.5, -0.5]
        error = stats.sem(more)
        expected = stats.t.interval(0.9, len(more) - 1, fmean(more), error)
        assert found.bounds(0.9) == pytest.approx(expected), seed
        assert found.below(-0.1) == pytest.approx(stats.t.cdf((-0.1 - fmean(more)) / error, len(more) - 1)), seed
