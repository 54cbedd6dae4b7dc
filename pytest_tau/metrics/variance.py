"""Where the variance of a trial comes from: the task, the customer who is played, or the agent's own chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, variance

Counts = tuple[int, int]


def within_variance(successes: int, trials: int) -> float | None:
    """The unbiased variance of one trial of a task, None below two trials."""
    return successes * (trials - successes) / (trials * (trials - 1)) if trials >= 2 else None


@dataclass(frozen=True)
class _Components:
    """The variance of a single trial, split.

    Attributes:
        rate: the mean success rate of the tasks.
        between: how much of it lies between tasks: some are harder than others.
        within: how much of it is chance between trials of a task.
    """

    rate: float
    between: float
    within: float

    @property
    def icc(self) -> float | None:
        """The intraclass correlation: the share of the variance that lies between tasks; None where nothing varies."""
        total = self.between + self.within
        return self.between / total if total else None

    @property
    def consistency(self) -> float:
        """How likely two trials of a task end alike."""
        return 1 - 2 * self.within


def components(tasks: Iterable[Counts]) -> _Components | None:
    """The split over tasks with two or more trials; None with fewer than two such tasks.

    The one-way analysis of variance: Shrout and Fleiss, "Intraclass Correlations", Psychological Bulletin 86 (1979),
    case 1, with each task counting once. Of two trials of a task with rate p one passes alone with chance 2 p (1 − p).

    Args:
        tasks: (successes, trials) for each task.
    """
    counted = [(task, found) for task in tasks if (found := within_variance(*task)) is not None]
    if len(counted) < 2:
        return None
    rates = [successes / trials for (successes, trials), _ in counted]
    within = fmean(found for _, found in counted)
    chance = fmean(found / trials for (_, trials), found in counted)
    return _Components(fmean(rates), max(0.0, variance(rates) - chance), within)


@dataclass(frozen=True)
class _Customers:
    """The variance of a single trial where several trials met the same customer.

    Attributes:
        task: its part that lies between tasks.
        customer: between customers of the same task.
        agent: between trials with the same customer.
        floor: by how much pass^1 of two runs differs, in 95 % of cases at most, for other customers alone.
    """

    task: float
    customer: float
    agent: float
    floor: float

    @property
    def share(self) -> float:
        """The share of the variance that the customers make."""
        total = self.task + self.customer + self.agent
        return self.customer / total if total else 0.0


def customers(tasks: Iterable[Sequence[Counts]]) -> _Customers | None:
    """The split by task, customer and agent; None unless two tasks have two customers with two trials each.

    A nested analysis of variance with each task, and each customer of a task, counting once: Searle, Casella and
    McCulloch, "Variance Components" (1992), section 3.6.

    Args:
        tasks: for each task the (successes, trials) with each of its customers.
    """
    kept = [cells for cells in tasks if len(cells) >= 2 and all(trials >= 2 for _, trials in cells)]
    if len(kept) < 2:
        return None
    agent = fmean(fmean(within_variance(*cell) or 0.0 for cell in cells) for cells in kept)
    means = [[passed / trials for passed, trials in cells] for cells in kept]
    chance = fmean(fmean((within_variance(*cell) or 0.0) / cell[1] for cell in cells) for cells in kept)
    customer = max(0.0, fmean(variance(rates) for rates in means) - chance)
    spread = variance([fmean(rates) for rates in means])
    each = fmean(1 / len(cells) for cells in kept)
    task = max(0.0, spread - (customer + chance) * each)
    floor = NormalDist().inv_cdf(0.975) * sqrt(2 * customer * each / len(kept))
    return _Customers(task, customer, agent, floor)
