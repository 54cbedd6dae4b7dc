"""Wilson intervals, against a published table and against what defines them."""

from math import sqrt
from statistics import NormalDist

import pytest

from pytest_tau.metrics.intervals import wilson

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


@pytest.mark.parametrize(("tasks", "rate", "low", "high"), PUBLISHED)
def test_the_published_table(tasks: int, rate: float, low: int, high: int) -> None:
    successes = round(tasks * rate / 100)
    assert round(100 * successes / tasks, 1) == rate
    bounds = wilson(successes / tasks, tasks)
    # Half a point of rounding; one bound, 58.499, was published as 59, by way of 58.5.
    assert [100 * bound for bound in bounds] == pytest.approx([low, high], abs=0.5015)


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
