"""pass^k: against its definition by enumeration, and against a formula it is not."""

from itertools import combinations
from math import prod

import pytest

from pytest_tau.metrics.pass_k import mean_pass_hat_k, pass_hat_k


@pytest.mark.parametrize("n", range(1, 9))
def test_it_is_the_share_of_k_subsets_that_succeed_throughout(n: int) -> None:
    for successes in range(n + 1):
        trials = [1] * successes + [0] * (n - successes)
        for k in range(1, n + 1):
            subsets = list(combinations(trials, k))
            assert pass_hat_k(successes, n, k) == pytest.approx(sum(all(s) for s in subsets) / len(subsets), abs=1e-15)


@pytest.mark.parametrize(("c", "n", "k"), [(-1, 4, 1), (5, 4, 1), (1, 4, 0), (1, 4, 5), (0, 0, 1)])
def test_out_of_range(c: int, n: int, k: int) -> None:
    with pytest.raises(ValueError, match=rf"pass\^{k} is not defined for {c} successes in {n} trials"):
        pass_hat_k(c, n, k)


def test_the_mean_is_over_tasks_that_have_k_trials() -> None:
    tasks = [(4, 4), (2, 4), (1, 1), (0, 0)]
    assert mean_pass_hat_k(tasks, 1) == ((1 + 0.5 + 1) / 3, 3)
    assert mean_pass_hat_k(tasks, 2) == ((1 + 1 / 6) / 2, 2)
    assert mean_pass_hat_k(tasks, 5) is None
    assert mean_pass_hat_k([], 1) is None


def test_it_is_not_the_product_of_the_trials_success_rates() -> None:
    """A product over trials forgets which task failed: here half of the tasks never fail and half always do."""
    outcomes = [[1, 1], [0, 0]]
    product = prod(sum(task[j] for task in outcomes) / len(outcomes) for j in range(2))
    estimate = mean_pass_hat_k([(sum(task), len(task)) for task in outcomes], 2)
    assert estimate == (0.5, 2)
    assert product == 0.25


def test_it_is_unbiased() -> None:
    """Over all outcomes of n trials with success rate p, the expected estimate is p to the k."""
    n, p = 5, 0.7
    for k in range(1, n + 1):
        expected = sum(
            p ** sum(trials) * (1 - p) ** (n - sum(trials)) * pass_hat_k(sum(trials), n, k)
            for trials in ([bits >> i & 1 for i in range(n)] for bits in range(2**n))
        )
        assert expected == pytest.approx(p**k)
