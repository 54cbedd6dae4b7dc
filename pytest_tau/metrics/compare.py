"""Two runs of the same tasks: did the agent get better or worse, or is it chance, or can nobody know yet?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, comb, lcm, log
from random import Random
from statistics import NormalDist, fmean

from .intervals import SEED, binomial, bootstrap_mean, newcombe
from .pass_k import pass_hat_k

MARGIN = 0.10
ALPHA = 0.05
POWER = 0.80
PERMUTATIONS = 2_000
# Beyond this many additions (over 300 tasks of four trials) drawing from the distribution is faster than computing it.
_EXACT = 3_000_000
# The guard over single tasks: how likely chance may be, for a regression and for a doubt. Far below ALPHA, so that both
# tests together still raise a false alarm in hardly more than ALPHA of all runs.
_GUARD_WORSE = 0.02
_GUARD_UNSURE = 0.25
_NORMAL = NormalDist()


class Verdict(StrEnum):
    """What a comparison says."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "no difference"
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
        low: lower bound of the difference, at confidence 1 − 2·alpha: a one-sided bound at alpha.
        high: upper bound of the difference.
        method: how the bounds were made, "bootstrap" or "newcombe".
        p_worse: how often chance alone makes the difference this low or lower.
        p_better: how often it makes it this high or higher.
        lost: tasks that always passed before and never do now.
        p_lost: an upper bound of how often chance alone loses that many.
        margin: the smallest difference that matters.
        alpha: the error rate of either one-sided test.
        verdict: what follows.
        trials: trials a task, in each run, that would settle it; None when it is settled.
    """

    k: int
    tasks: int
    left_out: int
    before: float
    after: float
    low: float
    high: float
    method: str
    p_worse: float
    p_better: float
    lost: tuple[str, ...]
    p_lost: float
    margin: float
    alpha: float
    verdict: Verdict
    trials: int | None

    @property
    def difference(self) -> float:
        """pass^k after minus pass^k before."""
        return self.after - self.before

    @property
    def no_regression(self) -> bool | None:
        """Whether a drop of ``margin`` or more is ruled out: False when it is worse, None when that is open."""
        if self.verdict is Verdict.WORSE:
            return False
        if self.verdict in (Verdict.BETTER, Verdict.SAME):
            return True
        return True if self.low > -self.margin and self.p_lost > _GUARD_UNSURE else None


def compare(
    before: Mapping[str, tuple[int, int]],
    after: Mapping[str, tuple[int, int]],
    *,
    k: int = 1,
    margin: float = MARGIN,
    alpha: float = ALPHA,
    seed: int = SEED,
) -> Comparison | None:
    """Compare two runs task by task.

    Worse (better) is what a one-sided permutation test within tasks finds at ``alpha``, worse also what the guard over
    single tasks finds; no difference is an interval within ± ``margin`` (two one-sided tests: Schuirmann, Journal of
    Pharmacokinetics and Biopharmaceutics 15, 1987); everything else is inconclusive.

    Args:
        before: (successes, trials) of each task of the earlier run, by a key that both runs share.
        after: the same of the later run.
        k: compare pass^k.
        margin: the smallest difference that matters.
        alpha: how often a regression may be seen where there is none.
        seed: equal seeds give equal answers.

    Returns:
        The comparison; None when no task has k trials in both runs.
    """
    keys = [key for key in before if key in after and min(before[key][1], after[key][1]) >= k]
    if not keys:
        return None
    pairs = [(before[key], after[key]) for key in keys]
    differences = [float(_estimate(new, k) - _estimate(old, k)) for old, new in pairs]
    p_worse, p_better = permutation_test(pairs, k, seed=seed)
    old_value, new_value = (fmean(pass_hat_k(*pair[side], k) for pair in pairs) for side in (0, 1))
    low, high, method = _bounds(differences, (old_value, new_value), pairs, k, 1 - 2 * alpha, seed)
    lost = tuple(key for key, (old, new) in zip(keys, pairs, strict=True) if old[0] == old[1] and new[0] == 0)
    p_lost = _chance_of_lost(len(lost), [(old[1], new[1]) for old, new in pairs])
    within = -margin < low and high < margin
    verdict = _verdict(p_worse <= alpha, p_better <= alpha, within, p_lost)
    needed = []
    if verdict is Verdict.INCONCLUSIVE:
        if not within:
            needed.append(_trials_to_settle(new_value - old_value, (low, high), margin, alpha, pairs))
        if p_lost <= _GUARD_UNSURE:
            needed.append(ceil(log(len(keys) / _GUARD_WORSE, 4)))  # both runs at t: tasks · 4⁻ᵗ ≤ the guard's level
    left_out = len(before.keys() | after.keys()) - len(keys)
    counts = (k, len(keys), left_out, old_value, new_value, low, high, method)
    return Comparison(*counts, p_worse, p_better, lost, p_lost, margin, alpha, verdict, max(needed, default=None))


def _verdict(worse: bool, better: bool, within: bool, p_lost: float) -> Verdict:
    if worse or p_lost <= _GUARD_WORSE:
        return Verdict.WORSE
    if p_lost <= _GUARD_UNSURE:
        return Verdict.INCONCLUSIVE
    if better:
        return Verdict.BETTER
    return Verdict.SAME if within else Verdict.INCONCLUSIVE


def _estimate(task: tuple[int, int], k: int) -> Fraction:
    successes, trials = task
    return Fraction(comb(successes, k), comb(trials, k))


def permutation_test(
    pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]], k: int = 1, *, seed: int = SEED
) -> tuple[float, float]:
    """How often chance alone makes the later run's pass^k as low, and as high, as it is.

    Where nothing has changed, the trials of a task are exchangeable between the two runs, and only within the task:
    the task is the cluster. Given a task's successes in both runs together, those of the later run are hypergeometric:
    Birch, "The Detection of Partial Association, I: The 2 × 2 Case", JRSS B 26 (1964). Exact while the
    distribution is small enough, else from seeded draws, counted as in Phipson and Smyth, "Permutation P-values Should
    Never Be Zero" (2010).

    Args:
        pairs: for each task its (successes, trials) before and after, at least k trials on both sides.
        k: the exponent of the pass^k compared.
        seed: equal seeds give equal draws.
    """
    kinds = Counter((old[0] + new[0], old[1], new[1]) for old, new in pairs)
    outcomes = {kind: _outcomes(*kind, k) for kind in kinds}
    differences = [_estimate(new, k) - _estimate(old, k) for old, new in pairs]
    scale = lcm(*(value.denominator for values in outcomes.values() for value in values))
    steps = [
        ({int(value * scale): chance for value, chance in outcomes[kind].items()}, count)
        for kind, count in kinds.items()
    ]
    observed = int(sum(differences) * scale)
    sums = _distribution(steps)
    if sums is None:
        return _drawn(steps, observed, seed)
    at_most = sum(chance for value, chance in sums.items() if value <= observed)
    at_least = sum(chance for value, chance in sums.items() if value >= observed)
    return min(1.0, at_most), min(1.0, at_least)


def _outcomes(successes: int, old: int, new: int, k: int) -> dict[Fraction, float]:
    """The differences one task can show, with their chances, given its successes in both runs together."""
    found: Counter[Fraction] = Counter()
    for later in range(max(0, successes - old), min(successes, new) + 1):
        difference = _estimate((later, new), k) - _estimate((successes - later, old), k)
        ways = comb(new, later) * comb(old, successes - later)
        found[difference] += ways / comb(old + new, successes)  # type: ignore[assignment]
    return dict(found)


_Steps = list[tuple[dict[int, float], int]]


def _distribution(steps: _Steps) -> dict[int, float] | None:
    """The distribution of the sum over tasks; None when that takes too long."""
    sums, work = {0: 1.0}, 0
    for outcomes, count in steps:
        if outcomes.keys() == {0}:
            continue
        for _ in range(count):
            work += len(sums) * len(outcomes)
            if work > _EXACT:
                return None
            fresh: dict[int, float] = {}
            for value, chance in sums.items():
                for step, weight in outcomes.items():
                    fresh[value + step] = fresh.get(value + step, 0.0) + chance * weight
            sums = fresh
    return sums


def _drawn(steps: _Steps, observed: int, seed: int) -> tuple[float, float]:
    draw = Random(seed).getrandbits
    low = high = 1
    for _ in range(PERMUTATIONS):
        value = sum(_sum_of_draws(outcomes, count, draw) for outcomes, count in steps)
        low += value <= observed
        high += value >= observed
    return low / (PERMUTATIONS + 1), high / (PERMUTATIONS + 1)


def _sum_of_draws(outcomes: dict[int, float], count: int, draw: Callable[[int], int]) -> int:
    """The sum of ``count`` independent draws, by how often each outcome comes."""
    total, left = 0, 1.0
    for step, chance in outcomes.items():
        drawn = binomial(count, min(1.0, chance / left), draw)
        total += step * drawn
        count -= drawn
        left -= chance
        if not count:
            break
    return total


def _bounds(
    differences: list[float],
    means: tuple[float, float],
    pairs: list[tuple[tuple[int, int], tuple[int, int]]],
    k: int,
    confidence: float,
    seed: int,
) -> tuple[float, float, str]:
    """The bootstrap over tasks; where hardly any task differs, Newcombe's interval.

    That one counts trials (groups of k): with the same tasks on both sides, the trials are what chance can change.
    """
    found = bootstrap_mean(differences, confidence, seed=seed)
    if found is not None:
        return *found, "bootstrap"
    draws = [sum(pair[side][1] for pair in pairs) // k for side in (0, 1)]
    return *newcombe((means[0], draws[0]), (means[1], draws[1]), confidence), "newcombe"


def _chance_of_lost(lost: int, trials: list[tuple[int, int]]) -> float:
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


def _trials_to_settle(
    difference: float,
    bounds: tuple[float, float],
    margin: float,
    alpha: float,
    pairs: list[tuple[tuple[int, int], tuple[int, int]]],
) -> int:
    """Trials a task, in both runs, that tell this difference, if it is the true one, from 0 or from the margin.

    It must become clearly different from 0, or clearly smaller than the margin, whichever is nearer to being so. The
    variance of a difference falls with the number of trials as long as no single task has truly changed.
    """
    error = (bounds[1] - bounds[0]) / (2 * _NORMAL.inv_cdf(1 - alpha))
    now = 2 / fmean(1 / old[1] + 1 / new[1] for old, new in pairs)
    distance = max(abs(difference), margin - abs(difference))
    needed = now * (error * (_NORMAL.inv_cdf(1 - alpha) + _NORMAL.inv_cdf(POWER)) / distance) ** 2
    return max(ceil(needed), int(now) + 1)
