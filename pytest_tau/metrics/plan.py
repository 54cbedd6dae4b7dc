"""How small a drop a suite can see, and how many trials that takes, before any of them is paid for.

The model behind it: a task has a true success rate, and the rates of the tasks follow a Beta distribution with mean
``rate``. ``icc`` is the share of the variance of a single trial that lies between tasks: 0 means that all tasks are
equally hard and every failure is chance, 1 that every task always passes or never does. The later agent succeeds on
each task in the same proportion of cases less often; where tasks change unequally, a drop is harder to see than this
says.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb, prod, sqrt
from statistics import NormalDist

from ..errors import SettingsError
from .variance import components

MOST_TRIALS = 1000
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Design:
    """A comparison of two runs of a suite, and what is assumed of the agent.

    Attributes:
        tasks: tasks in each run.
        trials: trials a task, in each run.
        k: the exponent of the pass^k that is compared.
        rate: the mean success rate expected.
        icc: the share of variance between tasks, see above.
        paired: whether both runs have the same tasks, compared task by task.
        power: how often a difference of the size in question is to be found.
        alpha: how often one may be seen where there is none, on one side.
    """

    tasks: int
    trials: int = 1
    k: int = 1
    rate: float = 0.7
    icc: float = 0.5
    paired: bool = True
    power: float = 0.8
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.tasks < 1:
            raise SettingsError(f"a plan for {self.tasks} tasks: write a number from 1 on")
        if self.k < 1:
            raise SettingsError(f"pass^{self.k}: write a k from 1 on")
        if not self.k <= self.trials <= MOST_TRIALS:
            raise SettingsError(f"pass^{self.k} needs {self.k} to {MOST_TRIALS} trials a task, not {self.trials}")
        for name in ("rate", "icc", "power", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise SettingsError(f"{name} {getattr(self, name)}: write a number between 0 and 1, such as 0.5")


def variances(rate: float, icc: float, trials: int, k: int = 1, kept: float = 1.0) -> tuple[float, float]:
    """The variance of a task's pass^k estimate, split into between tasks and within a task.

    Exact for task rates of ``kept`` times a Beta variable: C(c, k)² is a sum of binomial coefficients C(c, k + i), and
    E C(c, j) = C(n, j)·E pʲ. For k = 1 they are icc·rate·(1−rate) and (1−icc)·rate·(1−rate)/trials with ``kept`` 1.
    """
    moments = [_moment(rate, icc, order) * kept**order for order in range(2 * k + 1)]
    square = sum(
        comb(k + i, k) * comb(k, i) * comb(trials, k + i) / comb(trials, k) ** 2 * moments[k + i] for i in range(k + 1)
    )
    return moments[2 * k] - moments[k] ** 2, square - moments[2 * k]


def _moment(rate: float, icc: float, order: int) -> float:
    """E pʲ of the Beta distribution."""
    size = 1 / icc - 1
    return prod((rate * size + i) / (size + i) for i in range(order))


def standard_error(design: Design, difference: float = 0.0) -> float:
    """The standard error of the difference of pass^k between two runs, where the later one is lower by ``difference``.

    Paired, what is between tasks cancels but for the drop's own; unpaired it stays: Miller, "Adding Error Bars to
    Evals" (2024), on paired differences and power.
    """
    lost = min(1.0, difference / _moment(design.rate, design.icc, design.k))
    before = variances(design.rate, design.icc, design.trials, design.k)
    after = variances(design.rate, design.icc, design.trials, design.k, (1 - lost) ** (1 / design.k))
    between = lost**2 * before[0] if design.paired else before[0] + after[0]
    return sqrt((between + before[1] + after[1]) / design.tasks)


def detectable(design: Design) -> float | None:
    """The smallest drop of pass^k that a one-sided test at ``alpha`` finds with probability ``power``, if any."""
    low, high = 0.0, _moment(design.rate, design.icc, design.k)
    if not _found(high, design):
        return None
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if _found(middle, design) else (middle, high)
    return high


def _found(difference: float, design: Design) -> bool:
    factor = _NORMAL.inv_cdf(1 - design.alpha) + _NORMAL.inv_cdf(design.power)
    return factor * standard_error(design, difference) <= difference


def trials_needed(difference: float, design: Design) -> int | None:
    """The fewest trials a task, in each run, at which ``difference`` is found.

    Returns:
        The number of trials; None when even a thousand are too few, and only more tasks help.

    Raises:
        SettingsError: pass^k cannot drop by that much.
    """
    _check_possible(difference, design)
    if not _found(difference, replace(design, trials=MOST_TRIALS)):
        return None
    choices = range(design.k, MOST_TRIALS + 1)
    place = bisect_left(choices, True, key=lambda trials: _found(difference, replace(design, trials=trials)))
    return choices[place]


def tasks_needed(difference: float, design: Design) -> int:
    """The fewest tasks at which ``difference`` is found with the design's trials a task; raises like the above."""
    _check_possible(difference, design)
    factor = _NORMAL.inv_cdf(1 - design.alpha) + _NORMAL.inv_cdf(design.power)
    return max(1, ceil((factor * standard_error(replace(design, tasks=1), difference) / difference) ** 2))


def _check_possible(difference: float, design: Design) -> None:
    most = _moment(design.rate, design.icc, design.k)
    if not 0 < difference < most:
        limit = f"write a proportion below {most:.2f}, the pass^{design.k} expected"
        raise SettingsError(f"difference {difference}: {limit}, such as 0.05 for 5 points")


def describe(designs: Sequence[Design], difference: float | None = None) -> list[str]:
    """Lines of text: what each design can find, and what it takes to find ``difference``."""
    first = designs[0]
    how = "paired by task" if first.paired else "of different tasks"
    lines = [
        f"Two runs of {first.tasks} tasks, {how}; success rate {first.rate:.0%}, ICC {first.icc:.2f}.",
        f"Found with {first.power:.0%} power, one-sided α {first.alpha:.0%}:",
        f"trials a task   trials a run   smallest drop of pass^{first.k}",
    ]
    for design in designs:
        drop = detectable(design)
        points = "none" if drop is None else f"{100 * drop:.1f} points"
        lines.append(f"{design.trials:>13}   {design.trials * design.tasks:>12}   {points:>23}")
    if difference is not None:
        lines.append(_needed(difference, first))
    return lines


def _needed(difference: float, design: Design) -> str:
    trials = trials_needed(difference, design)
    points = f"{100 * difference:.1f} points"
    if trials is None:
        tasks = tasks_needed(difference, replace(design, trials=MOST_TRIALS))
        return f"{points}: no number of trials is enough with {design.tasks} tasks; at least {tasks} tasks are needed."
    return f"{points}: {trials} trials a task in each run ({trials * design.tasks} conversations a run)."


def fit(tasks: Iterable[tuple[int, int]]) -> tuple[float, float] | None:
    """``rate`` and ``icc`` of a real run, from (successes, trials) for each task.

    Returns:
        The two, kept within 0.01 … 0.99; None with fewer than two such tasks.
    """
    found = components(tasks)
    if found is None:
        return None
    icc = 0.5 if found.icc is None else found.icc
    return min(0.99, max(0.01, found.rate)), min(0.99, max(0.01, icc))
