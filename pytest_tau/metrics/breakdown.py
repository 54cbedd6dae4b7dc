"""What stands beside pass^k: pass@k, how far tasks, trials and runs scatter, and pass^k by groups of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import comb, sqrt
from statistics import NormalDist, fmean, quantiles, stdev

from .intervals import Interval, mean_interval
from .pass_k import pass_hat_k
from .variance import within_variance


def pass_at_k(successes: int, trials: int, k: int) -> float:
    """The unbiased estimate of pass@k for one task, at least one of k trials succeeds: 1 − C(n−c, k) / C(n, k).

    Chen et al., "Evaluating Large Language Models Trained on Code" (2021), section 2.1, equation 1.

    Args:
        successes: trials that passed, 0 ≤ successes ≤ trials.
        trials: trials that count.
        k: of how many trials one must succeed, 1 ≤ k ≤ trials.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0 <= successes <= trials and 1 <= k <= trials):
        raise ValueError(f"pass@{k} is not defined for {successes} successes in {trials} trials")
    return 1 - comb(trials - successes, k) / comb(trials, k)


def estimator_variance(rate: float, trials: int, k: int) -> float:
    """The exact variance of the pass^k estimate of one task, over all outcomes of ``trials`` independent trials.

    The groups of k trials that C(c, k) / C(n, k) counts overlap, so this is not that of C(n, k) separate observations.

    Args:
        rate: the task's true success rate.
        trials: trials of the task, n.
        k: how many must all succeed.
    """
    moments = [0.0, 0.0]
    for successes in range(trials + 1):
        probability = comb(trials, successes) * rate**successes * (1 - rate) ** (trials - successes)
        value = pass_hat_k(successes, trials, k)
        moments[0] += probability * value
        moments[1] += probability * value**2
    return moments[1] - moments[0] ** 2


@dataclass(frozen=True)
class _Spread:
    """How values scatter; the standard deviation is the sample's (n − 1), 0 for a single value."""

    count: int
    deviation: float
    quartile1: float
    median: float
    quartile3: float


def spread(values: Sequence[float]) -> _Spread | None:
    """Standard deviation and quartiles (linear between order statistics); None without values."""
    if not values:
        return None
    if len(values) == 1:
        return _Spread(1, 0.0, *[values[0]] * 3)
    return _Spread(len(values), stdev(values), *quantiles(values, method="inclusive"))


def trial_rates(tasks: Iterable[Sequence[float | None]]) -> list[float]:
    """The pass rate of each trial number over the tasks, as if every trial number were a run of its own.

    Args:
        tasks: for each task its trials in order, whether they passed (or the mean of several), None without a verdict.

    Returns:
        One rate for each trial number that has a verdict; :func:`spread` of it is the spread between runs.
    """
    columns = ([value for value in column if value is not None] for column in zip_longest(*tasks))
    return [fmean(column) for column in columns if column]


def noise_floor(tasks: Iterable[tuple[int, int]], trials: int = 1) -> float | None:
    """By how much pass^1 of two runs of the same tasks and the same agent differs by chance alone, in 95 % of pairs.

    z · √(2 · mean within-task variance / (tasks · trials)); the within-task variance is the unbiased c(n−c) / (n(n−1)).
    Miller, "Adding Error Bars to Evals" (2024), on resampling, splits the variance the same way.

    Args:
        tasks: (successes, trials) for each task; those with fewer than two trials say nothing about chance.
        trials: how many trials a task each of the two runs has.

    Returns:
        The difference, None when no task has two trials.
    """
    within = [variance for task in tasks if (variance := within_variance(*task)) is not None]
    if not within:
        return None
    return NormalDist().inv_cdf(0.975) * sqrt(2 * fmean(within) / (len(within) * trials))


@dataclass(frozen=True)
class Group:
    """pass^1 of the tasks that share a label; ``interval`` as in :func:`.intervals.pass_k_interval`."""

    label: str
    tasks: int
    value: float
    interval: Interval


def groups(tasks: Iterable[tuple[Iterable[str], float]]) -> list[Group]:
    """pass^1 by label, in order of first appearance.

    Args:
        tasks: (labels, pass^1) for each task: one persona or one number of writes, or any number of tags; a task counts
            in the group of each of its labels.
    """
    members: dict[str, list[float]] = {}
    for labels, value in tasks:
        for label in dict.fromkeys(labels):
            members.setdefault(label, []).append(value)
    return [Group(label, len(values), fmean(values), mean_interval(values)) for label, values in members.items()]


def writes_label(writes: int) -> str:
    """The group of a task by its number of gold writes; from four on they are one group."""
    if writes >= 4:
        return "4+ writes"
    return "1 write" if writes == 1 else f"{writes or 'no'} writes"
