"""Confidence intervals for what is printed."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(proportion: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion observed in n independent draws.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927). For pass^k the draws
    are the tasks: trials of one task are not independent, so a task counts once, however many trials it has.

    Args:
        proportion: the observed proportion, 0 … 1.
        n: the number of draws, at least 1.
        confidence: 0.95 for a 95 % interval.

    Returns:
        The bounds, within 0 … 1.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0.0 <= proportion <= 1.0 and n >= 1 and 0.0 < confidence < 1.0):
        raise ValueError(f"no interval for a proportion of {proportion} in {n} draws at confidence {confidence}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = proportion + z * z / (2 * n)
    spread = z * sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
