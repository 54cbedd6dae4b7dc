"""Which of several simulated customers is nearer to people, as far as their conversations can tell.

A distance of few conversations is uncertain, and too great: the greatest difference of two distribution functions
grows where one of them is coarse. So of two runs, as many conversations of the longer one are drawn as the other has,
many times, and their mean is compared. How uncertain a distance is, says its variance over halves of a run's
conversations. Two runs differ where Welch's t-test says so, after Holm's adjustment over all pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import inf, sqrt
from random import Random
from statistics import fmean, variance

from .family import Rank, possible_ranks
from .likeness import FEATURES, people
from .student import t_cdf

DRAWS, SEED = 200, 300


def likeness_ranks(found: Mapping[str, Sequence[Sequence[float]]], seed: int = SEED) -> list[Rank]:
    """The customers of several runs, the nearest to people first; ``value`` is the mean distance, negative.

    Args:
        found: the features of each conversation, by the run's name. A single one may have any rank.
        seed: equal seeds draw the same conversations.
    """

    @cache
    def drawn(name: str, size: int) -> list[float]:
        """Mean distances of so many conversations of a run; of all there is one."""
        count, rng = len(found[name]), Random(f"{seed}/{name}/{size}")
        times = 1 if size == count else DRAWS
        return [distances[name](rng.sample(range(count), size)) for _ in range(times)]

    def error(name: str) -> float:
        """The variance of a run's distance: of a mean, that over halves of the sample is the same."""
        count, half = len(found[name]), len(found[name]) // 2
        if not half:
            return inf
        return variance(drawn(name, half)) * half / (count - half)

    distances = {name: _mean_distance(values) for name, values in found.items()}
    errors = {name: error(name) for name in found}
    differences, p_values = {}, {}
    for one, other in combinations(found, 2):
        size = min(len(found[one]), len(found[other]))
        nearer = fmean(drawn(other, size)) - fmean(drawn(one, size))
        both = errors[one] + errors[other]
        differences[one, other] = -nearer
        if both in (0, inf):
            p_values[one, other] = float(bool(both) or not nearer)
            continue
        freedom = both**2 / sum(errors[name] ** 2 / (len(found[name]) - 1) for name in (one, other))
        p_values[one, other] = 2 * t_cdf(-abs(nearer) / sqrt(both), freedom)
    return possible_ranks({name: -drawn(name, len(found[name]))[0] for name in found}, differences, p_values)


def _mean_distance(found: Sequence[Sequence[float]]) -> Callable[[Sequence[int]], float]:
    """The mean distance from people of those of a run's conversations that are named by their places."""
    columns = zip(FEATURES, zip(*found, strict=True), strict=True)
    each = [_steps(column, people().quantiles[name]) for name, column in columns]

    def distance(places: Sequence[int]) -> float:
        chosen = [False] * len(found)
        for place in places:
            chosen[place] = True
        return fmean([_greatest(steps, chosen, len(places)) for steps in each])

    return distance


_Steps = list[tuple[int, float, float, bool]]


def _steps(values: Sequence[float], of_people: Sequence[float]) -> _Steps:
    """The values of a feature in order: place, shares of people below and up to it, whether it is the last."""
    order, ranked, steps = sorted(range(len(values)), key=values.__getitem__), sorted(of_people), []
    for at, place in enumerate(order):
        value = values[place]
        last = at + 1 == len(order) or values[order[at + 1]] > value
        shares = (bisect_left(ranked, value) / len(ranked), bisect_right(ranked, value) / len(ranked))
        steps.append((place, *shares, last))
    return steps


def _greatest(steps: _Steps, chosen: Sequence[bool], count: int) -> float:
    """The greatest difference of people's distribution function and that of the values chosen."""
    seen, before, most = 0, 0, 0.0
    for place, below, up_to, last in steps:
        seen += chosen[place]
        if last and seen > before:
            most = max(most, below - before / count, seen / count - up_to)
            before = seen
    return most
