"""pass@k, spread, noise and groups, against enumeration."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from statistics import fmean, pvariance, quantiles

import pytest

from pytest_tau.metrics.breakdown import (
    estimator_variance,
    groups,
    noise_floor,
    pass_at_k,
    spread,
    trial_rates,
    writes_label,
)
from pytest_tau.metrics.variance import within_variance


@pytest.mark.parametrize("trials", range(1, 7))
def test_pass_at_k_is_the_share_of_groups_with_a_success(trials: int) -> None:
    for successes, k in itertools.product(range(trials + 1), range(1, trials + 1)):
        outcomes = [True] * successes + [False] * (trials - successes)
        found = [any(group) for group in itertools.combinations(outcomes, k)]
        assert pass_at_k(successes, trials, k) == pytest.approx(sum(found) / len(found))


@pytest.mark.parametrize(("successes", "trials", "k"), [(5, 4, 1), (-1, 4, 1), (1, 4, 0), (1, 4, 5)])
def test_pass_at_k_refuses_impossible_numbers(successes: int, trials: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"pass@{k} is not defined"):
        pass_at_k(successes, trials, k)


@pytest.mark.parametrize(("rate", "trials", "k"), [(0.9, 6, 4), (0.5, 5, 2), (0.3, 4, 4), (1.0, 4, 2)])
def test_the_estimator_variance_is_that_over_all_outcomes(rate: float, trials: int, k: int) -> None:
    first = second = 0.0
    for outcome in itertools.product((True, False), repeat=trials):
        chance = rate ** sum(outcome) * (1 - rate) ** (trials - sum(outcome))
        groups_of_k = [all(group) for group in itertools.combinations(outcome, k)]
        first += chance * fmean(groups_of_k)
        second += chance * fmean(groups_of_k) ** 2
    assert first == pytest.approx(rate**k)
    assert estimator_variance(rate, trials, k) == pytest.approx(second - first**2, abs=1e-12)


def test_the_published_claim_about_n_20_k_16_is_far_off() -> None:
    """It is 1/C(20, 16), "around 1/5000"; the groups of 16 overlap, so they are nothing like 4845 observations."""
    worst = max(estimator_variance(rate / 1000, 20, 16) for rate in range(1001))
    assert worst == pytest.approx(0.1861, abs=0.0001)
    assert estimator_variance(0.9, 20, 16) == pytest.approx(0.0983, abs=0.0001)


def test_spread_is_what_the_formulas_say() -> None:
    values = [0.0, 0.25, 0.5, 1.0, 1.0]
    found = spread(values)
    assert found is not None
    assert found.deviation**2 == pytest.approx(pvariance(values) * 5 / 4)
    assert [found.quartile1, found.median, found.quartile3] == quantiles(values, method="inclusive") == [0.25, 0.5, 1]
    assert found.count == 5


def test_spread_of_one_value_and_of_none() -> None:
    found = spread([0.5])
    assert found is not None
    assert (found.deviation, found.quartile1, found.median, found.quartile3) == (0.0, 0.5, 0.5, 0.5)
    assert spread([]) is None


def test_trial_rates_read_the_columns() -> None:
    tasks = [[True, False, None], [True, True, None], [False, None, None, True]]
    assert trial_rates(tasks) == [pytest.approx(2 / 3), 0.5, 1.0]
    assert trial_rates([]) == []


@pytest.mark.parametrize("trials", range(2, 6))
def test_the_within_variance_is_unbiased(trials: int) -> None:
    rate = Fraction(7, 10)
    expected = sum(
        rate ** sum(outcome)
        * (1 - rate) ** (trials - sum(outcome))
        * Fraction(within_variance(sum(outcome), trials) or 0)
        for outcome in itertools.product((0, 1), repeat=trials)
    )
    assert float(expected) == pytest.approx(float(rate * (1 - rate)))


def test_the_noise_floor_is_reached_by_chance_in_one_pair_of_runs_in_twenty() -> None:
    rng = random.Random(5)
    rates = [rng.betavariate(2, 1) for _ in range(200)]
    floor = noise_floor([(sum(rng.random() < rate for _ in range(400)), 400) for rate in rates])
    assert floor is not None

    def run() -> float:
        return fmean(rng.random() < rate for rate in rates)

    beyond = sum(abs(run() - run()) > floor for _ in range(1000))
    assert 0.03 <= beyond / 1000 <= 0.07


def test_the_noise_floor_falls_with_the_root_of_the_trials() -> None:
    tasks = [(3, 4), (2, 4), (4, 4)]
    one, four = noise_floor(tasks, 1), noise_floor(tasks, 4)
    assert one is not None
    assert four == pytest.approx(one / 2)
    assert noise_floor([(1, 1), (0, 1)]) is None


def test_groups_are_pass_1_by_label() -> None:
    tasks = [(["retail", "exchange"], 1.0), (["retail"], 0.5), (["exchange", "exchange"], 0.0), ([], 1.0)]
    found = groups(tasks)
    assert [(group.label, group.tasks, group.value) for group in found] == [
        ("retail", 2, 0.75),
        ("exchange", 2, 0.5),
    ]
    assert all(group.interval.low <= group.value <= group.interval.high for group in found)


def test_labels_of_writes() -> None:
    assert [writes_label(n) for n in (0, 1, 2, 4, 9)] == ["no writes", "1 write", "2 writes", "4+ writes", "4+ writes"]
