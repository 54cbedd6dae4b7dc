"""Two runs of the same tasks: did the agent get better or worse, or is it chance, or can nobody know yet?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import ceil, log
from statistics import NormalDist, fmean

from .intervals import Paired, paired_interval
from .pass_k import pass_hat_k
from .permutation import SEED, permutation_test
from .shared_tasks import each_task_once

MARGIN = 0.10
ALPHA = 0.05
POWER = 0.80
# The guard over single tasks: what share of alpha it has for calling a regression, and how likely chance may be for a
# doubt. Far below alpha, so that both tests together still raise a false alarm in hardly more than alpha of all runs.
GUARD_SHARE = 0.4
GUARD_UNSURE = 0.25
# The two tasks added to the differences differ by (k / trials) to this power. With 1/2 a dozen tasks hold hardly any
# margin, with 1 their intervals cover too rarely; chosen by simulation (benchmarks/intervals.py).
_UNIT = 0.75
_NORMAL = NormalDist()

Counts = tuple[int, int]


class Verdict(StrEnum):
    """What a comparison says."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "no difference"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Comparison:
    """The outcome of :func:`compare`; proportions are 0 … 1, differences are after minus before.

    Attributes:
        k: the exponent of the pass^k compared.
        tasks: tasks in both runs, with k trials in each.
        left_out: tasks of either run that could not be paired.
        before: pass^k over these tasks in the earlier run.
        after: the same in the later run.
        spread: the t distribution of the difference over tasks like these.
        p_worse: how often chance alone makes the difference this low or lower.
        p_better: how often it makes it this high or higher.
        lost: tasks that always passed before and never do now.
        gained: tasks that never passed before and always do now.
        fell: the other tasks whose share of successes fell, with the counts before and after; the largest drop first.
        rose: the same of those whose share rose.
        p_lost: an upper bound of how often chance alone loses that many.
        margin: the smallest difference that matters.
        alpha: the error rate of either one-sided test.
        trials_to_settle: trials a task, in each run, that would settle it if it were open.
        family: how many comparisons of one run it is one of.
        adjusted: (worse, better), the p-values of the verdicts after Holm's adjustment for all of the family.
        unchanged: whether each task has passed as often as before, of as many trials.
    """

    k: int
    tasks: int
    left_out: int
    before: float
    after: float
    spread: Paired
    p_worse: float
    p_better: float
    lost: tuple[str, ...]
    p_lost: float
    margin: float
    alpha: float
    trials_to_settle: int
    family: int = 1
    adjusted: tuple[float, float] | None = None
    gained: tuple[str, ...] = ()
    fell: tuple[tuple[str, Counts, Counts], ...] = ()
    rose: tuple[tuple[str, Counts, Counts], ...] = ()
    unchanged: bool = False

    @property
    def difference(self) -> float:
        """pass^k after minus pass^k before."""
        return self.after - self.before

    @property
    def low(self) -> float:
        """Lower bound of the difference, at confidence 1 − 2·alpha: a one-sided bound at alpha."""
        return max(-1.0, min(self.difference, self.spread.bounds(1 - 2 * self.alpha)[0]))

    @property
    def high(self) -> float:
        """Upper bound of the difference."""
        return min(1.0, max(self.difference, self.spread.bounds(1 - 2 * self.alpha)[1]))

    @property
    def p_drop(self) -> float:
        """How likely the true drop is larger than the margin."""
        return self.spread.below(-self.margin)

    @property
    def p_regression(self) -> float:
        """The p-value of *worse*: of the permutation test, or of the guard over single tasks where that is smaller.

        The guard has GUARD_SHARE of alpha, so its p-value counts that much more.
        """
        return min(1.0, self.p_worse, self.p_lost / GUARD_SHARE)

    @property
    def by_guard(self) -> bool:
        """Whether the guard over single tasks decides, where the test of the mean would not."""
        mean_decides = self.p_worse <= self.alpha and self.family == 1
        return self.p_lost / GUARD_SHARE < self.p_worse and not mean_decides

    @property
    def verdict(self) -> Verdict:
        """What follows."""
        if self.unchanged:
            return Verdict.UNCHANGED
        worse, better = self.adjusted or (self.p_regression, self.p_better)
        if worse <= self.alpha:
            return Verdict.WORSE
        if self.p_lost <= GUARD_UNSURE:
            return Verdict.INCONCLUSIVE
        if better <= self.alpha:
            return Verdict.BETTER
        return Verdict.SAME if -self.margin < self.low and self.high < self.margin else Verdict.INCONCLUSIVE

    @property
    def trials(self) -> int | None:
        """Trials a task, in each run, that would settle it; None when it is settled."""
        return self.trials_to_settle if self.verdict is Verdict.INCONCLUSIVE else None

    @property
    def no_regression(self) -> bool | None:
        """Whether a drop of ``margin`` or more is ruled out: False when it is worse, None when that is open."""
        if self.verdict is Verdict.WORSE:
            return False
        if self.verdict in (Verdict.BETTER, Verdict.SAME):
            return True
        return True if self.low > -self.margin and self.p_lost > GUARD_UNSURE else None

    @property
    def no_drop_over(self) -> bool | None:
        """Whether the drop is at most ``margin``, as far as the mean goes; None when that is open.

        False where the whole interval is below, and where a drop is shown whose size is not.
        """
        if self.low > -self.margin:
            return True
        return False if self.high < -self.margin or self.verdict is Verdict.WORSE else None


def compare(
    before: Mapping[str, Counts],
    after: Mapping[str, Counts],
    *,
    k: int = 1,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    seed: int = SEED,
    about: Mapping[str, Hashable] | None = None,
) -> Comparison | None:
    """Compare two runs task by task.

    Equal results are unchanged, however few they are. Worse (better) is what a one-sided permutation test within tasks
    finds at ``alpha``, worse also what the guard over single tasks finds; no difference is an interval within ±
    ``margin`` (two one-sided tests: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987); everything
    else is inconclusive.

    Args:
        before: (successes, trials) of each task of the earlier run, by a key that both runs share.
        after: the same of the later run.
        k: compare pass^k.
        margin: the smallest difference that matters.
        alpha: how often a regression may be seen where there is none.
        seed: equal seeds give equal answers.
        about: the task behind a key, where several keys may be rows about one; else each is a task of its own.

    Returns:
        The comparison; None when no task has k trials in both runs.
    """
    keys = [key for key in before if key in after and min(before[key][1], after[key][1]) >= k]
    if not keys:
        return None
    pairs = [(before[key], after[key]) for key in keys]
    task_of = {key: (about or {}).get(key, key) for key in before.keys() | after.keys()}
    named = [task_of[key] for key in keys]  # rows about the same task say it once of tasks like these
    values = [
        each_task_once((task, pass_hat_k(*pair[side], k)) for task, pair in zip(named, pairs, strict=True))
        for side in (0, 1)
    ]
    per_task = 1 / fmean((1 / old[1] + 1 / new[1]) / 2 for old, new in pairs)
    spread = paired_interval([new - old for old, new in zip(*values, strict=True)], unit_of(k, per_task))
    rows = Counter(named)
    p_worse, p_better = permutation_test(pairs, k, weights=[Fraction(1, rows[task]) for task in named], seed=seed)
    lost = tuple(key for key, (old, new) in zip(keys, pairs, strict=True) if old[0] == old[1] and new[0] == 0)
    gained = tuple(key for key, (old, new) in zip(keys, pairs, strict=True) if old[0] == 0 and new[0] == new[1])
    rises = {key: new[0] / new[1] - old[0] / old[1] for key, (old, new) in zip(keys, pairs, strict=True)}
    moved = sorted((key for key in keys if rises[key] and key not in lost + gained), key=lambda key: -abs(rises[key]))
    p_lost = _chance_of_lost(len(lost), [(old[1], new[1]) for old, new in pairs])
    found = Comparison(
        k=k,
        tasks=len(values[0]),
        left_out=len(set(task_of.values()) - set(named)),
        before=fmean(values[0]),
        after=fmean(values[1]),
        spread=spread,
        p_worse=p_worse,
        p_better=p_better,
        lost=lost,
        gained=gained,
        fell=tuple((key, before[key], after[key]) for key in moved if rises[key] < 0),
        rose=tuple((key, before[key], after[key]) for key in moved if rises[key] > 0),
        unchanged=all(old == new for old, new in pairs),
        p_lost=p_lost,
        margin=margin,
        alpha=alpha,
        trials_to_settle=0,
    )
    return replace(found, trials_to_settle=_trials_to_settle(found, per_task))


def unit_of(k: int, per_task: float) -> float:
    """By how much the two tasks differ that are added to the differences of pass^k, with so many trials a task."""
    return float(min(1.0, (k / per_task) ** _UNIT))


def _chance_of_lost(lost: int, trials: Sequence[tuple[int, int]]) -> float:
    """An upper bound of how often chance turns that many tasks from always to never.

    A task with success rate p and a, then b trials does so with chance pᵃ(1−p)ᵇ, at most aᵃbᵇ/(a+b)ᵃ⁺ᵇ whatever p is.
    """
    fewer = [1.0] + [0.0] * lost  # the chances of 0, 1, … lost tasks so far; the last one collects all beyond
    for a, b in trials:
        chance = (a / (a + b)) ** a * (b / (a + b)) ** b
        for number in range(lost, 0, -1):
            stays = 1 - chance if number < lost else 1.0
            fewer[number] = fewer[number] * stays + fewer[number - 1] * chance
        fewer[0] *= 1 - chance if lost else 1.0
    return fewer[lost]


def _trials_to_settle(found: Comparison, per_task: float) -> int:
    """Trials a task, in both runs, that tell this difference, if it is the true one, from 0 or from the margin.

    It must become clearly different from 0, or clearly smaller than the margin, whichever is nearer to being so. The
    variance of a difference falls with the number of trials as long as no single task has truly changed.
    """
    needed = [int(per_task) + 1]
    if not (-found.margin < found.low and found.high < found.margin):
        distance = max(abs(found.difference), found.margin - abs(found.difference))
        factor = _NORMAL.inv_cdf(1 - found.alpha) + _NORMAL.inv_cdf(POWER)
        needed.append(ceil(per_task * (found.spread.error * factor / distance) ** 2))
    if found.p_lost <= GUARD_UNSURE:
        # Both runs at t: tasks · 4⁻ᵗ ≤ the guard's level.
        needed.append(ceil(log(found.tasks / (GUARD_SHARE * found.alpha), 4)))
    return max(needed)
