"""The permutation test within tasks: how often chance alone makes two runs differ as much as they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from random import Random

SEED = 300
PERMUTATIONS = 2_000
# Beyond this many additions drawing from the distribution is faster than computing it.
_EXACT = 3_000_000


@lru_cache(maxsize=4096)
def estimate(task: tuple[int, int], k: int) -> Fraction:
    """pass^k of one task, exactly, from its (successes, trials)."""
    successes, trials = task
    return Fraction(comb(successes, k), comb(trials, k))


def permutation_test(
    pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    k: int = 1,
    *,
    weights: Sequence[Fraction] | None = None,
    seed: int = SEED,
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
        weights: how much each pair counts, where some are parts of one task; else all count alike.
        seed: equal seeds give equal draws.
    """
    each = [Fraction(1)] * len(pairs) if weights is None else weights
    kinds = Counter((old[0] + new[0], old[1], new[1], weight) for (old, new), weight in zip(pairs, each, strict=True))
    outcomes = {
        (passed, old, new, weight): {value * weight: chance for value, chance in _outcomes(passed, old, new, k).items()}
        for passed, old, new, weight in kinds
    }
    differences = [
        (estimate(new, k) - estimate(old, k)) * weight for (old, new), weight in zip(pairs, each, strict=True)
    ]
    scale = lcm(*(value.denominator for values in outcomes.values() for value in values))
    steps = [
        ({int(value * scale): chance for value, chance in outcomes[kind].items()}, count)
        for kind, count in kinds.items()
    ]
    observed = int(sum(differences) * scale)
    sums = _distribution(steps)
    if sums is None:
        return _sample_tails(steps, observed, seed)
    at_most = sum(chance for value, chance in sums.items() if value <= observed)
    at_least = sum(chance for value, chance in sums.items() if value >= observed)
    return min(1.0, at_most), min(1.0, at_least)


@lru_cache(maxsize=1024)
def _outcomes(successes: int, old: int, new: int, k: int) -> dict[Fraction, float]:
    """The differences one task can show, with their chances, given its successes in both runs together."""
    found: Counter[Fraction] = Counter()
    for later in range(max(0, successes - old), min(successes, new) + 1):
        difference = estimate((later, new), k) - estimate((successes - later, old), k)
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


def _sample_tails(steps: _Steps, observed: int, seed: int) -> tuple[float, float]:
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
