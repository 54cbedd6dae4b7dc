"""Where the variance comes from: against scipy's analysis of variance and against known components."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pytest_tau.metrics.variance import components, customers


@pytest.mark.parametrize("seed", range(20))
def test_the_icc_is_that_of_the_one_way_analysis_of_variance(seed: int) -> None:
    from scipy import stats  # seconds, in each worker

    rng = random.Random(seed)
    n, tasks = rng.randint(2, 8), rng.randint(4, 60)
    trials = [[int(rng.random() < rate) for _ in range(n)] for rate in (rng.betavariate(1, 1) for _ in range(tasks))]
    found = components([(sum(each), n) for each in trials])
    assert found is not None
    within = float(np.mean([np.var(each, ddof=1) for each in trials]))
    ratio = float(stats.f_oneway(*trials).statistic)  # the mean squares between over those within
    assert found.within == pytest.approx(within)
    assert found.between == pytest.approx(max(0.0, (ratio - 1) * within / n))
    assert found.icc == pytest.approx(max(0.0, (ratio - 1) / (ratio - 1 + n)))


def test_outcome_consistency_is_the_share_of_pairs_that_end_alike() -> None:
    found = components([(4, 4), (2, 4), (0, 4)])
    assert found is not None
    assert found.consistency == pytest.approx((1 + 2 / 6 + 1) / 3)
    nothing = components([(4, 4), (4, 4)])
    assert nothing is not None
    assert nothing.icc is None
    assert components([(1, 1), (4, 4)]) is None


def test_the_parts_of_task_customer_and_agent_are_found() -> None:
    """Rates of task ± 0.3 and customer ± 0.2 around one half, and the agent's own chance."""
    rng, tasks = random.Random(7), []
    for _ in range(3000):
        task = rng.choice((-0.3, 0.3))
        cells = []
        for _ in range(3):
            rate = 0.5 + task + rng.choice((-0.2, 0.2))
            cells.append((sum(rng.random() < rate for _ in range(2)), 2))
        tasks.append(cells)
    found = customers(tasks)
    assert found is not None
    assert found.task == pytest.approx(0.09, abs=0.01)
    assert found.customer == pytest.approx(0.04, abs=0.01)
    assert found.agent == pytest.approx(0.25 - 0.13, abs=0.01)
    assert found.share == pytest.approx(0.16, abs=0.03)
    assert found.floor == pytest.approx(1.96 * (2 * 0.04 / 3 / 3000) ** 0.5, rel=0.2)


def test_customers_say_nothing_without_repetitions() -> None:
    assert customers([[(1, 1), (1, 1)]] * 5) is None
    assert customers([[(1, 2)]] * 5) is None
