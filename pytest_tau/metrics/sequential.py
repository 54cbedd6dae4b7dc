"""Bounds for looking at a comparison before all its trials are played, so that all looks together err no more often.

A look after round j has a part of the information that the whole run will have. How much of α may be spent until then
is fixed by a function of that part alone: Lan and DeMets, "Discrete sequential boundaries for clinical trials",
Biometrika 70 (1983), with their function of the O'Brien-Fleming type, which spends hardly anything early on. The bound
of each look follows from the chance that a Brownian motion crosses it and none before: Armitage, McPherson and Rowe,
"Repeated significance tests on accumulating data", JRSS A 132 (1969), integrated on a grid.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, pi, sqrt
from statistics import NormalDist

_NORMAL = NormalDist()
_POINTS = 160  # of the grid; doubling them moves no level by more than 1 % of itself
_FAR = 8.0  # standard deviations, beyond which nothing is integrated
_NOTHING = 1e-9


def alpha_spent(time: float, alpha: float) -> float:
    """How much of a one-sided ``alpha`` may be spent when this share of the information is there, 0 < time ≤ 1."""
    return 2 * (1 - _NORMAL.cdf(_NORMAL.inv_cdf(1 - alpha / 2) / sqrt(time)))


def information(before: Sequence[int], planned: Sequence[int], played: Sequence[int]) -> float:
    """The share of the information about a difference that is there when so many trials of each task are played.

    (1/n_b + 1/n_max) / (1/n_b + 1/j), averaged over tasks: the variance of a difference at the end over that now.

    Args:
        before: trials of each task in the baseline.
        planned: trials of each task in the whole run.
        played: trials of each task until now, at least one.
    """
    at_end = sum(1 / b + 1 / n for b, n in zip(before, planned, strict=True))
    now = sum(1 / b + 1 / n for b, n in zip(before, played, strict=True))
    return min(1.0, at_end / now)


@lru_cache(maxsize=256)
def levels(times: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """The one-sided level of the test at each look; over all looks they are crossed by chance in ``alpha`` of runs.

    Args:
        times: the information at each look, rising; the last planned one is at 1.
        alpha: the one-sided error rate of all looks together.
    """
    walk, found, used = _Walk(), [], 0.0
    for time in times:
        target = alpha_spent(time, alpha) - used
        used += max(0.0, target)
        bound = walk.bound(time, target)
        found.append(1 - _NORMAL.cdf(bound))
        walk = walk.on(time, -inf, bound)
    return tuple(found)


def crossings(times: Sequence[float], low: Sequence[float], high: Sequence[float]) -> list[tuple[float, float]]:
    """How likely each look is the first beyond its bounds: (below, above).

    Args:
        times: the information at each look.
        low: the lower bound of each look, as a z value.
        high: the upper bound.
    """
    walk, found = _Walk(), []
    for time, down, up in zip(times, low, high, strict=True):
        found.append((walk.below(time, down), walk.above(time, up)))
        walk = walk.on(time, down, up)
    return found


@dataclass(frozen=True)
class _Walk:
    """Where a Brownian motion may be at a time without having crossed a bound: points and the mass around each."""

    time: float = 0.0
    points: tuple[float, ...] = (0.0,)
    masses: tuple[float, ...] = (1.0,)

    def above(self, time: float, bound: float) -> float:
        """The mass that is above a bound, given as a z value, at a later time."""
        step, place = sqrt(time - self.time), bound * sqrt(time)
        masses = zip(self.points, self.masses, strict=True)
        return sum(mass * (1 - _NORMAL.cdf((place - point) / step)) for point, mass in masses)

    def below(self, time: float, bound: float) -> float:
        """The mass that is below it."""
        return sum(self.masses) - self.above(time, bound)

    def bound(self, time: float, target: float) -> float:
        """The z value that a mass of ``target`` is above at a later time."""
        if target < _NOTHING:
            return _FAR
        low, high = -_FAR, _FAR
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (middle, high) if self.above(time, middle) > target else (low, middle)
        return (low + high) / 2

    def on(self, time: float, low: float, high: float) -> _Walk:
        """The walk at a later time, without what is beyond the bounds there."""
        step, root = sqrt(time - self.time), sqrt(time)
        first, last = max(low, -_FAR) * root, min(high, _FAR) * root
        if last <= first:
            return _Walk(time, (), ())
        width = (last - first) / _POINTS
        points = tuple(first + (place + 0.5) * width for place in range(_POINTS))
        scale = width / (step * sqrt(2 * pi))
        known = [(point, mass) for point, mass in zip(self.points, self.masses, strict=True) if mass > 1e-15]
        means, reach, factor = [mean for mean, _ in known], _FAR * step, -0.5 / step**2
        masses = []
        for point in points:
            near = known[bisect_left(means, point - reach) : bisect_right(means, point + reach)]
            masses.append(scale * sum(mass * exp(factor * (point - mean) * (point - mean)) for mean, mass in near))
        return _Walk(time, points, tuple(masses))
