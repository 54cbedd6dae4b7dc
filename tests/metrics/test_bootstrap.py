"""Intervals of means over tasks: the bootstrap and where it hands over to Wilson."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from fractions import Fraction
from math import comb
from statistics import fmean, pstdev

import pytest

from pytest_tau.metrics.intervals import (
    binomial,
    bootstrap_mean,
    mean_interval,
    newcombe,
    pass_k_interval,
    wilson,
)

MIXED = [(4, 4)] * 20 + [(3, 4)] * 12 + [(2, 4)] * 8 + [(0, 4)] * 10


def test_binomial_has_the_exact_distribution() -> None:
    draws = Counter(binomial(5, 0.3, random.Random(seed).getrandbits) for seed in range(20_000))
    for successes in range(6):
        expected = comb(5, successes) * 0.3**successes * 0.7 ** (5 - successes)
        assert draws[successes] / 20_000 == pytest.approx(expected, abs=4 * (expected / 20_000) ** 0.5)


def test_binomial_compares_bit_by_bit() -> None:
    # One number, p = 0.625 = 0.101 in binary: below p are 0.0…, and 0.100….
    for bits, below in (([0], 1), ([1, 1], 0), ([1, 0, 0], 1)):
        left = iter(bits)
        assert binomial(1, 0.625, lambda n, left=left: next(left)) == below  # type: ignore[misc]


@pytest.mark.parametrize(("n", "p", "expected"), [(0, 0.5, 0), (7, 0.0, 0), (7, 1.0, 7)])
def test_binomial_at_its_ends(n: int, p: float, expected: int) -> None:
    assert binomial(n, p, random.Random(1).getrandbits) == expected


def test_the_bootstrap_agrees_with_drawing_the_tasks_one_by_one() -> None:
    values = [successes / trials for successes, trials in MIXED]
    found = bootstrap_mean(values, resamples=8000)
    assert found is not None
    rng = random.Random(7)
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(8000))
    # Values hardly skewed, so the plain percentiles and BCa differ by little.
    assert list(found) == pytest.approx([means[200], means[7799]], abs=0.015)
    width = 2 * 1.96 * pstdev(values) / len(values) ** 0.5
    assert found[1] - found[0] == pytest.approx(width, rel=0.05)


def test_the_bootstrap_is_accelerated_towards_the_long_tail() -> None:
    values = [1.0] * 44 + [0.0] * 6
    found = bootstrap_mean(values)
    assert found is not None
    assert 0.88 - found[0] > found[1] - 0.88


def test_the_bootstrap_is_a_function_of_its_seed() -> None:
    values = [successes / trials for successes, trials in MIXED]
    assert bootstrap_mean(values) == bootstrap_mean(reversed(values))
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)


@pytest.mark.parametrize("successes", [0, 2, 4])
def test_equal_tasks_fall_back_to_wilson(successes: int) -> None:
    found = pass_k_interval([(successes, 4)] * 50, 1)
    assert found is not None
    assert found.method == "wilson"
    assert (found.low, found.high) == wilson(successes / 4, 50)


@pytest.mark.parametrize(("trials", "k"), [(1, 1), (4, 4)])
def test_tasks_that_are_plain_draws_have_wilsons_interval(trials: int, k: int) -> None:
    found = pass_k_interval([(trials, trials)] * 30 + [(0, trials)] * 20, k)
    assert found is not None
    assert (found.method, (found.low, found.high)) == ("wilson", wilson(0.6, 50))


def test_five_tasks_that_differ_are_enough_for_the_bootstrap() -> None:
    methods = [mean_interval([1.0] * 45 + [0.5] * away).method for away in (4, 5)]
    assert methods == ["wilson", "bootstrap"]


def test_tasks_with_too_few_trials_are_left_out() -> None:
    assert pass_k_interval([*MIXED, (0, 1), (0, 1)], 2) == pass_k_interval(MIXED, 2)
    assert pass_k_interval(MIXED, 5) is None


def test_no_values_have_no_interval() -> None:
    with pytest.raises(ValueError, match=re.escape("no interval for a mean of no values")):
        mean_interval([])


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng, covered, runs = random.Random(3), 0, 200
    for _ in range(runs):
        tasks = []
        for _ in range(50):
            rate = rng.betavariate(1.6, 0.4)
            tasks.append((sum(rng.random() < rate for _ in range(4)), 4))
        found = pass_k_interval(tasks, 2, resamples=400)
        assert found is not None
        covered += found.low <= 1.6 / 2 * 2.6 / 3 <= found.high
    assert 0.92 <= covered / runs <= 0.98


def test_newcombe_gives_the_published_example() -> None:
    # Newcombe (1998), table II, example (a): 56/70 − 48/80.
    low, high = newcombe((48 / 80, 80), (56 / 70, 70))
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_a_product_over_trials_is_not_pass_k() -> None:
    """Π_j (Σ_i s_ij / tasks) forgets which task failed: the same for one hopeless task and for failures all over."""
    one_hopeless = [[True] * 4, [False] * 4]
    spread_out = [[True, False] * 2, [False, True] * 2]
    for trials, pass_2 in ((one_hopeless, Fraction(1, 2)), (spread_out, Fraction(1, 6))):
        product = Fraction(1)
        for column in list(zip(*trials, strict=True))[:2]:
            product *= Fraction(sum(column), len(column))
        every_pair = [all(pair) for task in trials for pair in itertools.combinations(task, 2)]
        assert product == Fraction(1, 4)
        assert Fraction(sum(every_pair), len(every_pair)) == pass_2
