"""Student's t distribution, from the standard library alone."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, sqrt

_TINY = 1e-300
_CLOSE = 1e-14


def t_cdf(value: float, freedom: float) -> float:
    """How often a t-distributed number with so many degrees of freedom is at most ``value``."""
    whole = freedom + value * value
    tail = 0.5 * _beta(freedom / whole, value * value / whole, freedom / 2, 0.5)
    return tail if value < 0 else 1 - tail


@lru_cache(maxsize=1024)
def t_quantile(probability: float, freedom: float) -> float:
    """The number that a t-distributed one is at most with this probability, 0 < probability < 1."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < probability:
        low, high = high, 2 * high
    while high - low > _CLOSE * high and (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularized incomplete beta function I_x(a, b) by its continued fraction (NIST DLMF 8.17.22); ``rest`` 1 − x.

    Near 1 that is known better than x tells.
    """
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(rest, x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    # Lentz's method: the fraction is the product of the quotients of its convergents.
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = below
    for step in range(1, 10_000):
        for term in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            above = 1 + term / above or _TINY
            below = 1 / (1 + term * below or _TINY)
            found *= above * below
        if abs(above * below - 1) < _CLOSE:
            break
    return front * found


def spread_of(total: float, squares: float, count: float) -> float:
    """The standard error of a mean of ``count`` numbers, from their sum and the sum of their squares."""
    return sqrt(max(0.0, squares - total * total / count) / ((count - 1) * count))
