"""Rates of a run of which people have labelled a sample: what was graded, corrected by what they say.

    rate = mean of the grades + Σ over strata (share of the stratum · mean of (label - grade) in its sample)

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 382 (2023), with a stratified
sample: Fisch et al., "Stratified prediction-powered inference for hybrid language model evaluation", NeurIPS 2024. It
needs no assumption about the judge, as the same conversations are looked at. Each task counts once, so in means and
shares alike a trial weighs less the more trials its task has.

The variance is that of the tasks' values, in which a trial without a label counts as its grade and the mean difference
of its stratum, plus that of each stratum's mean, less what of the stratum was labelled, plus what trials without a
label differ from that mean. A quarter of a label that the grade was wrong either way is added to each stratum, so that
a small sample without a difference is no proof that there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from .judge_errors import Corrected
from .student import t_quantile

_ADDED = 0.25


class Graded(NamedTuple):
    """A trial: its grade, 0 … 1; the stratum it was in as the sample was drawn, None where no label could change the
    grade; and its label, None where it has none."""

    grade: float
    stratum: str | None = None
    label: float | None = None


@dataclass(frozen=True)
class _Stratum:
    """What is known of a group of trials: its share of all, the mean of label minus grade, and that one's variance.

    ``labels``: how many labels of equal weight say as much (Kish). ``left``: how much of it was not labelled;
    ``scatter``: what the mean of the group varies by for that.
    """

    share: float
    mean: float
    labels: float
    left: float
    variance: float
    scatter: float


def prediction_powered(tasks: Sequence[Sequence[Graded]]) -> Corrected | None:
    """The rate with its 95 % interval.

    Args:
        tasks: for each task its trials. A stratum without a label is left as graded.

    Returns:
        None without a trial; ``judge`` is the part of the variance that comes from the labelled sample.
    """
    tasks = [task for task in tasks if task]
    if not tasks:
        return None
    groups: dict[str, list[tuple[float, Graded]]] = {}
    for task in tasks:
        for one in task:
            if one.stratum is not None:
                groups.setdefault(one.stratum, []).append((1 / (len(tasks) * len(task)), one))
    known = {name: found for name, group in groups.items() if (found := _stratum(group)) is not None}

    def value(one: Graded) -> float:
        if one.label is not None and one.stratum is not None:
            return one.label
        return one.grade + (known[one.stratum].mean if one.stratum in known else 0.0)

    rate = fmean(fmean(one.grade for one in task) for task in tasks)
    rate += sum(one.share * one.mean for one in known.values())
    values, n = [fmean(map(value, task)) for task in tasks], len(tasks) + 2 * _ADDED
    centre = (sum(values) + _ADDED) / n
    squares = sum((one - centre) ** 2 for one in values) + _ADDED * (centre**2 + (1 - centre) ** 2)
    sample = sum(one.variance for one in known.values())
    whole = squares / max(n - 1, _ADDED) / n + sample + sum(one.scatter for one in known.values())
    smallest = min((one.labels for one in known.values() if one.left), default=len(tasks))
    away = t_quantile(0.975, max(1, round(min(n, smallest * max(1, len(known))) - 1))) * sqrt(whole)
    inside = min(1.0, max(0.0, rate))
    return Corrected(inside, max(0.0, min(inside, rate - away)), min(1.0, max(inside, rate + away)), sample, whole)


def _stratum(group: Sequence[tuple[float, Graded]]) -> _Stratum | None:
    """What the labels say of a group of weighted trials, None where it has none."""
    found = [(weight, one.label - one.grade) for weight, one in group if one.label is not None]
    if not found:
        return None
    share, labelled, n = sum(weight for weight, _ in group), sum(weight for weight, _ in found), len(found) + 2 * _ADDED
    told = [(weight * len(found) / labelled, difference) for weight, difference in found]
    centre = sum(weight * difference for weight, difference in told) / n
    squares = sum((weight * (difference - centre)) ** 2 for weight, difference in told)
    squares += _ADDED * ((1 - centre) ** 2 + (1 + centre) ** 2)
    left = 1 - len(found) / len(group)
    spread = share**2 * left * squares / max(n - 1, _ADDED)
    mean = sum(weight * difference for weight, difference in found) / labelled
    equal = labelled**2 / sum(weight**2 for weight, _ in found)
    return _Stratum(share, mean, equal, left, spread / n, spread / len(group))
