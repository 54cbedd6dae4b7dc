"""Bounds of several looks: against published ones, and how often chance crosses them."""

from __future__ import annotations

import random
from math import inf, sqrt
from statistics import NormalDist

import pytest

from pytest_tau.metrics.sequential import alpha_spent, crossings, information, levels

NORMAL = NormalDist()


def test_the_bounds_of_five_looks_are_the_published_ones() -> None:
    """O'Brien-Fleming-type spending, two-sided 5 %, five equal looks: Jennison and Turnbull's tables, and gsDesign."""
    bounds = [NORMAL.inv_cdf(1 - level) for level in levels((0.2, 0.4, 0.6, 0.8, 1.0), 0.025)]
    assert bounds == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=0.001)


def test_all_of_alpha_is_spent_at_the_end_and_hardly_any_early_on() -> None:
    assert alpha_spent(1.0, 0.05) == pytest.approx(0.05)
    assert alpha_spent(0.25, 0.05) < 0.0001


def test_one_look_is_the_plain_test() -> None:
    assert levels((1.0,), 0.05) == pytest.approx((0.05,), rel=1e-4)


def test_chance_crosses_the_bounds_as_often_as_alpha_says() -> None:
    times = (0.4, 0.667, 0.857, 1.0)
    bounds = [NORMAL.inv_cdf(1 - level) for level in levels(times, 0.05)]
    assert sum(above for _, above in crossings(times, [-inf] * 4, bounds)) == pytest.approx(0.05, abs=1e-4)
    rng, crossed = random.Random(1), 0
    for _ in range(20_000):
        place, time = 0.0, 0.0
        for now, bound in zip(times, bounds, strict=True):
            place, time = place + rng.gauss(0, sqrt(now - time)), now
            if place / sqrt(now) > bound:
                crossed += 1
                break
    assert crossed / 20_000 == pytest.approx(0.05, abs=0.006)


def test_information_is_the_share_of_the_final_precision() -> None:
    assert [information([4], [4], [played]) for played in (1, 2, 4)] == pytest.approx([0.4, 2 / 3, 1.0])
    assert information([4, 4], [4, 1], [1, 1]) == pytest.approx((0.5 + 1.25) / 2.5)
