"""How small a drop a suite can see, how often an unchanged agent is held, and how many trials that takes.

All before any of them is paid for.

The model behind it: a task has a true success rate, and the rates of the tasks follow a Beta distribution with mean
``rate``. ``icc`` is the share of the variance of a single trial that lies between tasks: 0 means that all tasks are
equally hard and every failure is chance, 1 that every task always passes or never does. The later agent succeeds on
each task in the same proportion of cases less often; where tasks change unequally, a drop is harder to see than this
says.

Probabilities come from the normal approximation. The permutation test moves in steps of k / (trials · tasks), and a
result counts from the next step on; one and a half of them belong to the smallest drop that is found. Runs of few
trials are simulated instead. benchmarks/planning.py holds all of this against simulated runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import comb, exp, inf, lgamma, sqrt
from operator import mul
from random import Random
from statistics import NormalDist

from ..errors import SettingsError
from ..printable import count_of
from .compare import GUARD_UNSURE, MARGIN, unit_of
from .permutation import SEED, permutation_test
from .sequential import crossings, information, levels
from .student import t_quantile
from .variance import components

MOST_TRIALS = 1000
MOST_TASKS = 1_000_000
_STEPS = 1.5
_LEAST = 1e-6  # of what lies between 0 and 1: beyond, differences of such numbers are lost in rounding
_FEW = 20  # trials a run, up to which the normal approximation is too far off
_RUNS = 400
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
        margin: that of the gate "no regression", for how often it is held.
    """

    tasks: int
    trials: int = 1
    k: int = 1
    rate: float = 0.7
    icc: float = 0.5
    paired: bool = True
    power: float = 0.8
    alpha: float = 0.05
    margin: float = MARGIN

    def __post_init__(self) -> None:
        if self.tasks < 1:
            raise SettingsError(f"a plan for {self.tasks} tasks: write a number from 1 on")
        if self.k < 1:
            raise SettingsError(f"pass^{self.k}: write a k from 1 on")
        if self.k > MOST_TRIALS:
            raise SettingsError(f"pass^{self.k}: write a k of at most {MOST_TRIALS}")
        if not self.k <= self.trials <= MOST_TRIALS:
            raise SettingsError(f"pass^{self.k} needs {self.k} to {MOST_TRIALS} trials per task, not {self.trials}")
        for name in ("rate", "icc", "power", "alpha", "margin"):
            if not _LEAST <= getattr(self, name) <= 1 - _LEAST:
                limits = f"write a number from {_LEAST:f} to {1 - _LEAST:f}, such as 0.5"
                raise SettingsError(f"{name} {getattr(self, name)}: {limits}")
        if _moment(self.rate, self.icc, self.k) < _LEAST**2:
            raise SettingsError(f"pass^{self.k} would be 0 with rate {self.rate}: write a smaller k or a larger rate")


def variances(rate: float, icc: float, trials: int, k: int = 1, kept: float = 1.0) -> tuple[float, float]:
    """The variance of a task's pass^k estimate, split into between tasks and within a task.

    Exact for task rates of ``kept`` times a Beta variable: C(c, k)² is a sum of binomial coefficients C(c, k + i), and
    E C(c, j) = C(n, j)·E pʲ. For k = 1 they are icc·rate·(1−rate) and (1−icc)·rate·(1−rate)/trials with ``kept`` 1.
    """
    moments = [moment * kept**order for order, moment in enumerate(_moments(rate, icc, 2 * k))]
    square = sum(share * moment for share, moment in zip(_shares(trials, k), moments[k:], strict=True))
    return moments[2 * k] - moments[k] ** 2, square - moments[2 * k]


@lru_cache(maxsize=64)  # these are numbers of hundreds of digits, and a plan tries many drops with the same trials
def _shares(trials: int, k: int) -> tuple[float, ...]:
    """How much of each moment, from the k-th to the 2k-th, is in E C(c, k)² / C(n, k)²."""
    every = comb(trials, k) ** 2
    return tuple(comb(k + i, k) * comb(k, i) * comb(trials, k + i) / every for i in range(k + 1))


def _moment(rate: float, icc: float, order: int) -> float:
    """E pʲ of the Beta distribution."""
    return _moments(rate, icc, order)[-1]


def _moments(rate: float, icc: float, most: int) -> list[float]:
    """E pʲ for each j from 0 to ``most``."""
    size = 1 / icc - 1
    return list(accumulate(((rate * size + i) / (size + i) for i in range(most)), mul, initial=1.0))


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
    if not _is_detectable(high, design):
        return None
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if _is_detectable(middle, design) else (middle, high)
    return high


def _is_detectable(difference: float, design: Design) -> bool:
    if design.paired and design.trials * design.tasks <= _FEW:
        return _simulated_power(difference, design) >= design.power
    factor = _NORMAL.inv_cdf(1 - design.alpha) + _NORMAL.inv_cdf(design.power)
    step = _STEPS * design.k / (design.trials * design.tasks)
    return factor * standard_error(design, difference) + step <= difference


def _simulated_power(difference: float, design: Design) -> float:
    """How often the permutation test finds a drop of this size; the same draws for every size."""
    rng, found, size = Random(SEED), 0, 1 / design.icc - 1
    kept = (1 - min(1.0, difference / _moment(design.rate, design.icc, design.k))) ** (1 / design.k)
    for _ in range(_RUNS):
        pairs = []
        for _ in range(design.tasks):
            rate = rng.betavariate(design.rate * size, (1 - design.rate) * size)
            draws = [[rng.random() for _ in range(design.trials)] for _ in range(2)]
            counts = [sum(draw < p for draw in drawn) for drawn, p in zip(draws, (rate, rate * kept), strict=True)]
            pairs.append(((counts[0], design.trials), (counts[1], design.trials)))
        found += permutation_test(pairs, design.k)[0] <= design.alpha
    return found / _RUNS


def chance_of_holding(design: Design) -> float:
    """How often an unchanged agent holds "no regression" with the design's margin, on the same tasks.

    The difference must be above the margin by the width of the interval, and must not be called a regression; and no
    task may go from always to never where the guard over single tasks has a doubt about one.
    """
    error = standard_error(design)
    step = _STEPS * design.k / (design.trials * design.tasks)
    regression = _NORMAL.inv_cdf(1 - design.alpha) + step / error
    return _NORMAL.cdf(min(_within(design, design.trials, design.alpha), regression)) * (1 - _doubt(design))


def _within(design: Design, played: int, level: float) -> float:
    """By how many standard errors a difference of 0 is inside of the margin, after so many trials of the later run."""
    share = information([design.trials], [design.trials], [played])
    error = standard_error(design) / sqrt(share)
    n, per_task = design.tasks + 2, 2 / (1 / design.trials + 1 / played)
    added = 2 * unit_of(design.k, per_task) ** 2
    wide = t_quantile(1 - level, n - 1) * sqrt((error**2 * design.tasks**2 + added) / ((n - 1) * n))
    return (design.margin * n / design.tasks - wide * n / design.tasks) / error


def _doubt(design: Design) -> float:
    """How often chance takes some task from always to never, where the guard has a doubt about one."""
    n = design.trials
    if 1 - (1 - 4.0**-n) ** design.tasks > GUARD_UNSURE:
        return 0.0
    size = 1 / design.icc - 1
    a, b = design.rate * size, (1 - design.rate) * size
    one = exp(lgamma(a + n) + lgamma(b + n) - lgamma(size + 2 * n) - lgamma(a) - lgamma(b) + lgamma(size))
    return 1 - (1 - one) ** design.tasks


def expected_trials(design: Design) -> float:
    """The trials of a run that stops when "no regression" is decided, where nothing has changed (pass^1)."""
    rounds = range(1, design.trials + 1)
    times = tuple(information([design.trials], [design.trials], [played]) for played in rounds)
    found = levels(times, design.alpha)
    low = [-_NORMAL.inv_cdf(1 - level) for level in found]
    high = [-_within(design, played, level) for played, level in zip(rounds, found, strict=True)]
    low[-1], high[-1] = -inf, inf  # the last round ends it anyhow
    stops = crossings(times, low, [max(h, lo) for h, lo in zip(high, low, strict=True)])
    ended = [below + above for below, above in stops]
    trials = sum(played * chance for played, chance in zip(rounds, ended, strict=True))
    return design.tasks * (trials + design.trials * (1 - sum(ended)))


def trials_needed(difference: float, design: Design) -> int | None:
    """The fewest trials a task, in each run, at which ``difference`` is found.

    Returns:
        The number of trials; None when even a thousand are too few, and only more tasks help.

    Raises:
        SettingsError: pass^k cannot drop by that much.
    """
    _check_possible(difference, design)
    if not _is_detectable(difference, replace(design, trials=MOST_TRIALS)):
        return None
    choices = range(design.k, MOST_TRIALS + 1)
    place = bisect_left(choices, True, key=lambda trials: _is_detectable(difference, replace(design, trials=trials)))
    return choices[place]


def tasks_needed(difference: float, design: Design) -> int | None:
    """The fewest tasks at which ``difference`` is found with the trials a task, None if a million are not enough.

    Raises like the above.
    """
    _check_possible(difference, design)
    choices = range(1, MOST_TASKS + 1)
    place = bisect_left(choices, True, key=lambda tasks: _is_detectable(difference, replace(design, tasks=tasks)))
    return choices[place] if place < len(choices) else None


def _check_possible(difference: float, design: Design) -> None:
    most = _moment(design.rate, design.icc, design.k)
    if not 0 < difference < most:
        limit = f"write a proportion below {most:.2f}, the pass^{design.k} expected"
        raise SettingsError(f"difference {difference}: {limit}, such as 0.05 for 5 points")


def describe(designs: Sequence[Design], difference: float | None = None) -> list[str]:
    """Lines of text: what each design can find and what it holds, and what it takes to find ``difference``."""
    first = designs[0]
    how = "paired by task" if first.paired else "of different tasks"
    icc = "ICC (the share of variance between tasks)"
    heads = ["trials a task", "trials a run", f"smallest drop of pass^{first.k}"]
    if first.paired:
        heads += ["held if unchanged", "trials with --tau-stop"]
    lines = [
        f"Two runs of {count_of(first.tasks, 'tasks')}, {how}; success rate {first.rate:.0%}, {icc} {first.icc:.2f}.",
        f"Found with {first.power:.0%} power, one-sided α {first.alpha:.0%}.",
        *(
            [f"Held: 'no regression within {first.margin:g}', by an agent that has not changed."]
            if first.paired
            else []
        ),
        "   ".join(heads),
    ]
    for design in designs:
        drop = detectable(design)
        cells = [str(design.trials), str(design.trials * design.tasks)]
        cells.append("none" if drop is None else f"{100 * drop:.1f} points")
        if design.paired:
            cells += [
                f"{100 * chance_of_holding(design):.0f} %",
                f"{expected_trials(design):.0f}" if design.k == 1 else "–",
            ]
        lines.append("   ".join(cell.rjust(len(head)) for cell, head in zip(cells, heads, strict=True)))
    if difference is not None:
        lines.append(_trials_text(difference, first))
    return lines


def _trials_text(difference: float, design: Design) -> str:
    trials = trials_needed(difference, design)
    points = f"{100 * difference:.1f} points"
    if trials is None:
        tasks = tasks_needed(difference, replace(design, trials=MOST_TRIALS))
        if tasks is None:
            enough = f"a million tasks are not enough, with {MOST_TRIALS} trials each"
            return f"{points}: {enough}; ask for a larger drop."
        enough = f"no number of trials is enough with {count_of(design.tasks, 'tasks')}"
        return f"{points}: {enough}; at least {tasks} tasks are needed."
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
