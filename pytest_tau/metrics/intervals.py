"""Confidence intervals of means over tasks.

A run can answer two questions, and each has its own interval. How good is the agent on *tasks like these*? Then the
tasks are a sample, and each counts once, however many trials it has: Student's t over the tasks' estimates. How good is
it on *these tasks*, and no others? Then only the chance between the trials of a task counts, and the interval is
about half as wide. The tables answer the first one.

Student's t alone has no width where all tasks agree. So two tasks are added that nobody has seen: one that always
passes and one that never does. Agresti and Coull, "Approximate is better than exact" (The American Statistician 52,
1998) mend the interval of a proportion like this. The added tasks pull the interval a little towards 50 %.

Adding an outlier to equal tasks makes t wider faster than it moves the mean: a miss that becomes a pass could lower
the lower end. The lower end given here is the lowest that t would give if any of the misses had been passes. So it
never falls when a miss becomes a pass, and it is never higher than t's own; the upper end likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean

from .pass_k import pass_hat_k
from .student import spread_of, t_cdf, t_quantile

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Bounds of a confidence interval."""

    low: float
    high: float


def wilson(proportion: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion observed in n independent draws.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).

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


def pass_k_interval(tasks: Iterable[tuple[int, int]], k: int, confidence: float = 0.95) -> Interval | None:
    """The interval of pass^k on tasks like these, as :func:`mean_interval` makes it.

    Args:
        tasks: (successes, trials) for each task; those with fewer than k trials are left out.
        k: how many trials must all succeed.
        confidence: 0.95 for a 95 % interval.

    Returns:
        The interval, None when no task has k trials.
    """
    counted = Counter((successes, trials) for successes, trials in tasks if trials >= k)
    values: Counter[float] = Counter()
    for (successes, trials), count in counted.items():
        values[pass_hat_k(successes, trials, k)] += count
    return interval_of(values, confidence) if values else None


def mean_interval(values: Iterable[float], confidence: float = 0.95) -> Interval:
    """The interval of a mean of the tasks' estimates, each 0 … 1; the tasks are a sample of tasks like these.

    Raises:
        ValueError: there are no values.
    """
    return interval_of(Counter(values), confidence)


def interval_of(counts: Mapping[float, int], confidence: float = 0.95) -> Interval:
    """:func:`mean_interval` of values that are given with how often each occurs."""
    if not counts:
        raise ValueError("no interval for a mean of no values")
    turned = {1 - value: count for value, count in counts.items()}
    return Interval(max(0.0, _lower(counts, confidence)), min(1.0, 1 - _lower(turned, confidence)))


def _lower(counts: Mapping[float, int], confidence: float) -> float:
    """The lowest lower end of t that raising any of the values, up to 1, can lead to.

    At a given sum, t's lower end is lowest where the sum of squares is largest. Of all ways to add to the sum,
    raising the largest values all the way to 1 adds most to the squares: (1 − x²) / (1 − x) = 1 + x. So the values
    are raised group by group from the largest on, and on the way from one group to the next the lower end is a convex
    function of the sum, whose minimum is known in closed form. Fractions of a task on that way make the result
    lower than need be, and keep it monotone: what can be reached from higher values can be reached from lower ones.
    """
    n = sum(counts.values()) + 2
    total = 1 + sum(value * count for value, count in counts.items())
    squares = 1 + sum(value * value * count for value, count in counts.items())
    wide = t_quantile(0.5 + confidence / 2, n - 1)

    def end(total: float, squares: float) -> float:
        return total / n - wide * spread_of(total, squares, n)

    lowest = end(total, squares)
    slope = wide / sqrt(n * (n - 1))
    for value in sorted(counts, reverse=True):
        added = counts[value] * (1 - value)
        # Along total + x, squares + (1 + value) x the squared spread is a parabola around ``top``.
        top = (1 + value) * n / 2
        radius = n * (squares - (1 + value) * total) + top * top
        best = top - sqrt(max(0.0, radius) / (1 + slope * slope * n))
        moved = min(max(best - total, 0.0), added)
        lowest = min(lowest, end(total + moved, squares + (1 + value) * moved))
        total, squares = total + added, squares + (1 + value) * added
        lowest = min(lowest, end(total, squares))
    return lowest


def these_tasks_interval(tasks: Iterable[tuple[int, int]]) -> Interval | None:
    """The 95 % interval of pass^1 on these very tasks, as if each were played for ever: p̂ ± z √(Σ sᵢ² / nᵢ) / T.

    sᵢ² = c (n − c) / (n (n − 1)) is the variance of one trial of task i; Miller, "Adding Error Bars to Evals"
    (2024), section 3.2. As above, a trial that passed and one that missed are added to all.

    Args:
        tasks: (successes, trials) for each task.

    Returns:
        The interval; None where a task has fewer than two trials, which say nothing about its chance.
    """
    counted = [(successes, trials) for successes, trials in tasks if trials]
    if not counted or min(trials for _, trials in counted) < 2:
        return None
    rates = [successes / trials for successes, trials in counted]
    chance = sum(p * (1 - p) / (trials - 1) for p, (_, trials) in zip(rates, counted, strict=True)) / len(counted) ** 2
    n = sum(trials for _, trials in counted)
    centre = (fmean(rates) * n + 1) / (n + 2)
    # Given one more trial's variance, of a task with the fewest, a miss in place of a pass never raises the lower end.
    more = (n / (len(counted) * min(trials for _, trials in counted))) ** 2
    error = sqrt(chance * n * n + more) / (n + 2)
    z = _NORMAL.inv_cdf(0.975)
    return Interval(max(0.0, centre - z * error), min(1.0, centre + z * error))


@dataclass(frozen=True)
class Paired:
    """What is known of a mean difference over tasks: a t distribution around ``centre``."""

    centre: float
    error: float
    freedom: int

    def bounds(self, confidence: float) -> tuple[float, float]:
        """The interval of the mean difference."""
        away = t_quantile(0.5 + confidence / 2, self.freedom) * self.error
        return self.centre - away, self.centre + away

    def below(self, value: float) -> float:
        """How likely the mean difference is below ``value``, taking every difference for equally likely at first."""
        return t_cdf((value - self.centre) / self.error, self.freedom)


def paired_interval(differences: Sequence[float], unit: float) -> Paired:
    """The mean of the tasks' differences of two runs, as Student's t over the tasks has it.

    Where all tasks agree t has no width. So two tasks are added that differ by ``unit`` up and down.

    Args:
        differences: one for each task, at least one.
        unit: by how much chance alone may well make a task differ; less with more trials.
    """
    n = len(differences) + 2
    total = sum(differences)
    squares = sum(value * value for value in differences) + 2 * unit * unit
    return Paired(total / n, spread_of(total, squares, n), n - 1)
