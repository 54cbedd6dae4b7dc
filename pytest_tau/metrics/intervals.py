"""Confidence intervals: Wilson for plain proportions, a bootstrap over tasks for means over tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import Literal

from .pass_k import pass_hat_k

RESAMPLES = 2000
SEED = 300
# With fewer tasks than this away from the commonest value, resampling repeats what little was seen and is too sure.
_FEW = 5
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Bounds of a confidence interval and the method they come from."""

    low: float
    high: float
    method: Literal["bootstrap", "wilson", "newcombe"]


def wilson(proportion: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion observed in n independent draws.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927). For pass^k the draws
    are the tasks: trials of one task are not independent, so a task counts once, however many trials it has.

    Args:
        proportion: the observed proportion, 0 … 1.
        n: the number of draws, at least 1.
        confidence: 0.95 for a 95 % interval.

    Returns:
        The bounds, within 0 … 1.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0.0 <= proportion <= 1.0 and n >= 1 and 0.0 < confidence < 1.0):
        raise ValueError(f"no interval for a proportion of {proportion} in {n} draws at confidence {confidence}")
    z = _NORMAL.inv_cdf(0.5 + confidence / 2)
    centre = proportion + z * z / (2 * n)
    spread = z * sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def newcombe(before: tuple[float, int], after: tuple[float, int], confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a difference of two proportions, after minus before; each is (proportion, draws).

    Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17
    (1998), method 10.
    """
    low_before, high_before = wilson(*before, confidence)
    low_after, high_after = wilson(*after, confidence)
    difference = after[0] - before[0]
    down = sqrt((after[0] - low_after) ** 2 + (high_before - before[0]) ** 2)
    up = sqrt((high_after - after[0]) ** 2 + (before[0] - low_before) ** 2)
    return difference - down, difference + up


def pass_k_interval(
    tasks: Iterable[tuple[int, int]], k: int, confidence: float = 0.95, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """The interval of pass^k over tasks, as :func:`mean_interval` makes it.

    Args:
        tasks: (successes, trials) for each task; those with fewer than k trials are left out.
        k: how many trials must all succeed.
        confidence: 0.95 for a 95 % interval.
        resamples: how often the tasks are drawn.
        seed: equal seeds give equal intervals.

    Returns:
        The interval, None when no task has k trials.
    """
    values = [pass_hat_k(successes, trials, k) for successes, trials in tasks if trials >= k]
    return mean_interval(values, confidence, resamples=resamples, seed=seed) if values else None


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The interval of a mean of the tasks' estimates, each 0 … 1: a bootstrap over tasks, or Wilson where it is better.

    The task is the cluster: all its trials are drawn together, as Field and Welsh, "Bootstrapping clustered data",
    JRSS B 69 (2007), do in the cluster bootstrap. Where every estimate is 0 or 1 (one trial a task, k = all trials) the
    tasks are plain draws, and Wilson covers better. Where all tasks but four or fewer have the same estimate the
    resamples hardly differ, and it is Wilson too, so also at 0 % and 100 %. ``method`` says which it was.

    Raises:
        ValueError: there are no values.
    """
    plain = bool(values) and set(values) <= {0, 1}
    bounds = None if plain else bootstrap_mean(values, confidence, resamples=resamples, seed=seed)
    if bounds is not None:
        return Interval(*bounds, "bootstrap")
    mean = min(1.0, sum(values) / len(values))
    return Interval(*wilson(mean, len(values), confidence), "wilson")


def bootstrap_mean(
    values: Iterable[float], confidence: float = 0.95, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float] | None:
    """The BCa bootstrap interval of a mean of independent values, here one value a task.

    Bias-corrected and accelerated: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 14.3. Tasks
    take few distinct values, so a resample is a multinomial draw of how often each occurs, not a list of tasks.

    Returns:
        The bounds; None when fewer than five values differ from the commonest one, as a bootstrap is then too sure.

    Raises:
        ValueError: there are no values.
    """
    counts = Counter(values)
    if not counts:
        raise ValueError("no interval for a mean of no values")
    n = counts.total()
    if n - max(counts.values()) < _FEW:
        return None
    kinds = sorted(counts.items())
    mean = sum(value * count for value, count in kinds) / n
    draw = Random(seed).getrandbits
    means = sorted(_resampled_mean(kinds, n, draw) for _ in range(resamples))
    return _bca(means, mean, kinds, confidence)


def _resampled_mean(kinds: list[tuple[float, int]], n: int, draw: Callable[[int], int]) -> float:
    """The mean of n draws with replacement; ``kinds`` holds each distinct value with its count."""
    total, left, weight = 0.0, n, n
    for value, count in kinds:
        drawn = binomial(left, count / weight, draw)
        total += value * drawn
        left -= drawn
        weight -= count
    return total / n


def binomial(n: int, p: float, draw: Callable[[int], int]) -> int:
    """How many of n uniform numbers fall below p, exactly; ``draw`` is ``Random.getrandbits``.

    All n numbers are compared with p bit by bit at once; about half of them are decided by each bit.
    """
    below = 0
    while n and p > 0:
        p *= 2
        ones = draw(n).bit_count()
        if p >= 1:  # the bit of p is 1: numbers with a 0 there are below
            below += n - ones
            n = ones
            p -= 1
        else:
            n -= ones
    return below


def _bca(means: list[float], mean: float, kinds: list[tuple[float, int]], confidence: float) -> tuple[float, float]:
    size = len(means)
    # A resampled mean equal to the observed one, up to rounding, is half below it.
    below = sum(0.5 if abs(other - mean) < 1e-12 else other < mean for other in means) / size
    bias = _NORMAL.inv_cdf(min(max(below, 1 / size), 1 - 1 / size))
    second = sum(count * (value - mean) ** 2 for value, count in kinds)
    third = sum(count * (value - mean) ** 3 for value, count in kinds)
    acceleration = third / (6 * second**1.5)
    bounds = []
    for quantile in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + _NORMAL.inv_cdf(quantile)
        place = _NORMAL.cdf(bias + z / (1 - acceleration * z))
        bounds.append(means[min(size - 1, int(place * size))])
    return bounds[0], bounds[1]
