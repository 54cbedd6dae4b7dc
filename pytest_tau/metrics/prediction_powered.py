"""Rates of a run of which people have labelled a sample: what was graded, corrected by what they say.

    rate = mean of the grades + Σ over strata (share of the stratum · mean of (label - grade) in its sample)

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 382 (2023), with a stratified
sample: Fisch et al., "Stratified prediction-powered inference for hybrid language model evaluation", NeurIPS 2024. It
needs no assumption about the judge, as the same conversations are looked at. The variance is that of the tasks' grades
plus that of each stratum's mean, less what of the stratum was labelled; a quarter of a label that the grade was wrong
either way is added to each stratum, so that a small sample without a difference is no proof that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from .judge_errors import Corrected
from .student import t_quantile

_ADDED = 0.25


@dataclass(frozen=True)
class Stratum:
    """A group of a run's trials: its share of all trials, how many it has, and label minus grade of those labelled."""

    share: float
    size: int
    differences: Sequence[float]


def prediction_powered(tasks: Sequence[Sequence[float]], strata: Sequence[Stratum]) -> Corrected | None:
    """The rate with its 95 % interval.

    Args:
        tasks: for each task the grades of its trials, each 0 … 1.
        strata: groups of trials, together all those whose grade could be wrong. One without a label is left as graded.

    Returns:
        None without a task; ``judge`` is the part of the variance that comes from the labelled sample.
    """
    means = [fmean(task) for task in tasks if task]
    if not means:
        return None
    known = [one for one in strata if one.differences]
    value = fmean(means) + sum(one.share * fmean(one.differences) for one in known)
    n = len(means) + 2 * _ADDED
    centre = (sum(means) + _ADDED) / n
    squares = sum((one - centre) ** 2 for one in means) + _ADDED * (centre**2 + (1 - centre) ** 2)
    sample = sum(one.share**2 * _variance(one) for one in known)
    whole = squares / max(n - 1, _ADDED) / n + sample
    smallest = min((len(one.differences) for one in known), default=len(means))
    away = t_quantile(0.975, max(1, round(min(n, smallest * max(1, len(known))) - 1))) * sqrt(whole)
    inside = min(1.0, max(0.0, value))
    return Corrected(inside, max(0.0, min(inside, value - away)), min(1.0, max(inside, value + away)), sample, whole)


def _variance(stratum: Stratum) -> float:
    """The variance of a stratum's mean, none where all of it was labelled."""
    n = len(stratum.differences) + 2 * _ADDED
    mean = sum(stratum.differences) / n
    squares = sum((one - mean) ** 2 for one in stratum.differences) + _ADDED * ((1 - mean) ** 2 + (1 + mean) ** 2)
    left = 1 - min(1.0, len(stratum.differences) / max(1, stratum.size))
    return left * squares / max(n - 1, _ADDED) / n
