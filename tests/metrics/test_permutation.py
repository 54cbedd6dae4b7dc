"""The permutation test within tasks: exact p-values, drawn ones, and the draws themselves."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from pytest_tau.metrics import permutation as module
from pytest_tau.metrics.permutation import binomial, permutation_test


def test_one_task_is_fishers_exact_test() -> None:
    from scipy import stats  # seconds, in each worker

    for seed in range(20):
        rng = random.Random(seed)
        old, new = rng.randint(1, 12), rng.randint(1, 12)
        before, after = rng.randint(0, old), rng.randint(0, new)
        table = [[after, new - after], [before, old - before]]
        expected = [stats.fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        assert list(permutation_test([((before, old), (after, new))])) == pytest.approx(expected), seed


def test_single_trials_of_many_tasks_are_a_binomial_test() -> None:
    from scipy import stats  # seconds, in each worker

    for seed in range(20):
        rng = random.Random(seed)
        pairs = [((rng.randint(0, 1), 1), (rng.randint(0, 1), 1)) for _ in range(rng.randint(1, 60))]
        up = sum(old < new for old, new in pairs)
        changed = sum(old != new for old, new in pairs)
        expected = [
            stats.binomtest(up, changed, alternative=side).pvalue if changed else 1.0 for side in ("less", "greater")
        ]
        assert list(permutation_test(pairs)) == pytest.approx(expected), seed


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_p_values_are_those_of_all_exchanges_within_tasks(seed: int, k: int) -> None:
    rng = random.Random(seed)
    tasks = [([rng.random() < 0.6 for _ in range(4)], [rng.random() < 0.6 for _ in range(2)]) for _ in range(3)]
    observed = sum(_pass_k(new, k) - _pass_k(old, k) for old, new in tasks)
    sums = []
    for chosen in itertools.product(itertools.combinations(range(6), 2), repeat=3):
        total = Fraction(0)
        for (old, new), places in zip(tasks, chosen, strict=True):
            trials = old + new
            now = [trials[place] for place in places]
            then = [trial for place, trial in enumerate(trials) if place not in places]
            total += _pass_k(now, k) - _pass_k(then, k)
        sums.append(total)
    expected = [sum(value <= observed for value in sums), sum(value >= observed for value in sums)]
    pairs = [((sum(old), 4), (sum(new), 2)) for old, new in tasks]
    assert list(permutation_test(pairs, k)) == pytest.approx([number / 15**3 for number in expected])


def _pass_k(trials: list[bool], k: int) -> Fraction:
    groups = [all(group) for group in itertools.combinations(trials, k)]
    return Fraction(sum(groups), len(groups))


def test_drawn_p_values_agree_with_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    pairs = [((rng.randint(0, 4), 4), (rng.randint(0, 5), 5)) for _ in range(40)]
    exact = permutation_test(pairs, 2)
    monkeypatch.setattr(module, "_EXACT", 0)
    drawn = permutation_test(pairs, 2, seed=1)
    assert list(drawn) == pytest.approx(list(exact), abs=0.04)
    assert 0.05 < exact[0] < 0.95
    assert drawn == permutation_test(pairs, 2, seed=1)
    assert drawn != permutation_test(pairs, 2, seed=2)


def test_single_trials_are_a_sign_test() -> None:
    """With one trial a task it is McNemar's exact test: 8 changed, 1 of them for the better."""
    pairs = [((1, 1), (0, 1))] * 7 + [((0, 1), (1, 1))] + [((1, 1), (1, 1))] * 20 + [((0, 1), (0, 1))] * 5
    assert permutation_test(pairs)[0] == pytest.approx((1 + 8) / 2**8)


def test_runs_without_a_difference_have_nothing_to_exchange() -> None:
    assert permutation_test([((4, 4), (4, 4)), ((0, 4), (0, 2))]) == (1.0, 1.0)


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


def test_a_pair_counts_by_its_weight() -> None:
    """Two halves that fall against one whole that rises, each with one chance in two: they reach the sum of 0."""
    pairs = [((1, 1), (0, 1)), ((1, 1), (0, 1)), ((0, 1), (1, 1))]
    assert permutation_test(pairs) == pytest.approx((1 / 2, 7 / 8))
    half = Fraction(1, 2)
    assert permutation_test(pairs, weights=[half, half, Fraction(1)]) == pytest.approx((5 / 8, 5 / 8))
