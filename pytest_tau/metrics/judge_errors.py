"""How often a judge is wrong, and rates with that in them.

A judge finds a breach with some sensitivity (the share of breaches that it calls so) and leaves what is fine alone with
some specificity. Both come from labelled conversations, so they are estimates of their own. Of trials that it has read,
the share that really broke a rule is

    B = (q + specificity - 1) / (sensitivity + specificity - 1)

where q is the share that it calls a breach: Rogan and Gladen, "Estimating prevalence from the results of a screening
test", American Journal of Epidemiology 107 (1978). The same in terms of single trials: one that it calls a breach
counts as (sensitivity - 1) / J trials that kept the rules and one that it calls fine as sensitivity / J, with
J = sensitivity + specificity - 1; their mean is 1 - B. Products of different trials of a task then estimate pass^k, as
its errors on one trial say nothing about those on another.

The interval adds two variances: that of the tasks' values, which carries what trials and tasks vary, and that of the
judge's two shares by the delta method. Shares are taken as (x + 1/2) / (n + 1), and half a task is added, of which one
part keeps the rules always and one never: as Lang and Reiczigel, "Confidence limits for prevalence of disease adjusted
for estimated sensitivity and specificity", Preventive Veterinary Medicine 113 (2014), add observations, so that nothing
that was never seen counts as impossible. ``benchmarks/judge_coverage.py`` measures how often such intervals hold the
truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, comb, inf, sqrt

from .intervals import wilson
from .shared_tasks import each_task_once
from .student import t_quantile

_ADDED = 0.25
_STEP = 1e-4
_Z = 1.959964
HALF_WIDTH = 0.05
"""What the judge's part of an interval may have as half its width, where somebody asks how many labels are enough."""


@dataclass(frozen=True)
class JudgeErrors:
    """What is known of a judge from labels: of ``breaches`` it found ``found``, of ``fines`` it let ``passed`` pass.

    As many as are independent: several conversations of one task count as fewer.
    """

    found: float
    breaches: float
    passed: float
    fines: float

    @classmethod
    def of_text(cls, text: str) -> JudgeErrors | None:
        """Them from :meth:`as_text`; None where nothing, or something else, was noted."""
        try:
            found, breaches, passed, fines = map(float, text.split())
        except ValueError:
            return None
        fits = 0 <= found <= breaches < inf and 0 <= passed <= fines < inf
        return cls(found, breaches, passed, fines) if fits else None

    def as_text(self) -> str:
        """What a run's manifest notes of them."""
        return f"{self.found} {self.breaches} {self.passed} {self.fines}"

    @property
    def sensitivity(self) -> float:
        """The share of breaches that it finds, as (x + 1/2) / (n + 1)."""
        return (self.found + 0.5) / (self.breaches + 1)

    @property
    def specificity(self) -> float:
        """The share of what is fine that it lets pass, as (x + 1/2) / (n + 1)."""
        return (self.passed + 0.5) / (self.fines + 1)

    @property
    def is_chance(self) -> bool:
        """Whether it was right no more often than one that says the same of all, as its shares are."""
        return self.found * self.fines + self.passed * self.breaches <= self.breaches * self.fines

    @property
    def tells_apart(self) -> bool:
        """Whether it is certain (95 % at either end) that it finds breaches better than chance does."""
        if not self.breaches or not self.fines:
            return False
        return (
            wilson(self.found / self.breaches, self.breaches)[0] + wilson(self.passed / self.fines, self.fines)[0] > 1
        )


@dataclass(frozen=True)
class Corrected:
    """A rate with its 95 % interval, which carries trials, tasks and the judge; ``judge`` is the judge's part of the
    variance, ``all`` the whole."""

    value: float
    low: float
    high: float
    judge: float
    all: float


Trial = float | bool
"""A trial as a correction takes it: a number is what it counts as, True what the judge called a breach, False fine."""


def corrected_rate(
    tasks: Sequence[Sequence[Trial]],
    errors: JudgeErrors,
    k: int = 1,
    keys: Sequence[tuple[str, str]] | None = None,
) -> Corrected | None:
    """The share of tasks' k trials that all kept the rules, with the judge's error taken out.

    Args:
        tasks: for each task its trials. A float (0.0 … 1.0) stands as it is: the trial missed (0.0) or no judge was
            needed. A bool is the judge's word: True for a breach, False for fine.
        errors: what is known of the judge.
        k: how many trials must all keep them.
        keys: which task each is about; those that share one count as one task, with the mean of their values.

    Returns:
        None where no task has k trials, or the judge is no better than chance.
    """
    each = keys or [("", str(place)) for place in range(len(tasks))]
    chosen = [(key, task) for key, task in zip(each, tasks, strict=True) if len(task) >= k]
    se, sp = errors.sensitivity, errors.specificity
    if not chosen or se + sp <= 1 + 2 * _STEP:
        return None

    def values(se: float, sp: float) -> list[float]:
        breach, fine = (se - 1) / (se + sp - 1), se / (se + sp - 1)

        def counted(task: Sequence[Trial]) -> list[float]:
            return [(breach if one else fine) if isinstance(one, bool) else one for one in task]

        return each_task_once((key, _all_of(counted(task), k)) for key, task in chosen)

    found = values(se, sp)
    n = len(found) + 2 * _ADDED
    mean = (sum(found) + _ADDED) / n
    squares = sum((one - mean) ** 2 for one in found) + _ADDED * (mean**2 + (1 - mean) ** 2)
    judge = _slope(lambda at: sum(values(at, sp)), se) ** 2 * se * (1 - se) / (errors.breaches + 1)
    judge += _slope(lambda at: sum(values(se, at)), sp) ** 2 * sp * (1 - sp) / (errors.fines + 1)
    judge /= n * n
    whole = squares / max(n - 1, _ADDED) / n + judge
    away = t_quantile(0.975, max(1, round(n - 1))) * sqrt(whole)
    inside = min(1.0, max(0.0, sum(found) / len(found)))
    return Corrected(inside, max(0.0, min(inside, mean - away)), min(1.0, max(inside, mean + away)), judge, whole)


def _all_of(trials: Sequence[float], k: int) -> float:
    """The mean of the products of k of the trials: pass^k of their values."""
    sums = [1.0] + [0.0] * k
    for one in trials:
        for size in range(k, 0, -1):
            sums[size] += sums[size - 1] * one
    return sums[k] / comb(len(trials), k)


def _slope(of: Callable[[float], float], at: float) -> float:
    return (of(at + _STEP) - of(at - _STEP)) / (2 * _STEP)


def labels_needed(errors: JudgeErrors | None, read: float = 1.0, breach: float = 0.2) -> int | None:
    """How many labelled conversations, half of them breaches, make the judge's part of a rate's interval narrow.

    Args:
        errors: what is known of it; None: a judge that finds 80 % of breaches and lets 95 % of the rest pass.
        read: the share of the trials whose verdict is the judge's.
        breach: the share of the trials that it calls a breach.

    Returns:
        So many that half the width of that part is at most :data:`HALF_WIDTH`; None where no number is enough, as the
        judge is no better than chance.
    """
    se, sp = (errors.sensitivity, errors.specificity) if errors is not None else (0.8, 0.95)
    apart = se + sp - 1
    if apart <= 0 or (errors is not None and errors.is_chance):
        return None
    real = min(read, max(0.0, (breach + (sp - 1) * read) / apart))
    each = (real / apart) ** 2 * se * (1 - se) + ((read - real) / apart) ** 2 * sp * (1 - sp)
    precise = 2 * each * (_Z / HALF_WIDTH) ** 2
    return max(40, ceil(precise / 10) * 10, 2 * ceil(2 / apart**2))
