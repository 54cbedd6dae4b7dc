"""Several comparisons at once: Holm's adjustment of p-values, and which ranks of more than two runs are possible."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from .compare import ALPHA, MARGIN, Comparison, Counts, compare


def holm(values: Sequence[float]) -> list[float]:
    """p-values adjusted so that calling those up to alpha is wrong anywhere in at most alpha of all runs.

    Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979).
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, largest = [1.0] * len(values), 0.0
    for done, place in enumerate(order):
        largest = max(largest, min(1.0, values[place] * (len(values) - done)))
        adjusted[place] = largest
    return adjusted


def as_family(found: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of one run, with verdicts that allow for how many they are."""
    worse = holm([one.p_regression for one in found])
    better = holm([one.p_better for one in found])
    return [
        replace(one, family=len(found), adjusted=pair)
        for one, pair in zip(found, zip(worse, better, strict=True), strict=True)
    ]


@dataclass(frozen=True)
class Rank:
    """One among several: its value (of a run pass^k over the common tasks), and the best and worst rank it may have."""

    name: str
    value: float
    best: int
    worst: int

    def __str__(self) -> str:
        """Such as 2–5, or 2."""
        return f"{self.best}" if self.best == self.worst else f"{self.best}–{self.worst}"


def ranks(
    runs: Mapping[str, Mapping[str, Counts]],
    *,
    k: int = 1,
    margin: float = MARGIN,
    earlier: Mapping[str, Mapping[str, Counts]] | None = None,
    about: Mapping[str, Hashable] | None = None,
) -> tuple[list[Rank], dict[tuple[str, str], Comparison]] | None:
    """Which rank each run may have, all at once with confidence 95 %, and the pairs they were compared in.

    A run is behind another where the two-sided test says so after Holm's adjustment over all pairs; its rank lies
    between one more than the number of those it is behind, and the number of all but those it is ahead of. Mogstad et
    al., "Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
    Countries", Review of Economic Studies 91 (2024).

    Args:
        runs: (successes, trials) by task key, by the run's name; only tasks that all have are compared.
        k: the exponent of pass^k.
        margin: the smallest difference that matters to a pair.
        earlier: the same runs as they count where they are the earlier of a pair; None: alike. Ranks know no earlier.
        about: as :func:`.compare.compare` takes it.

    Returns:
        The ranks, best value first, and the comparison of each pair (earlier, later); None without a common task.
    """
    compared = _pairs(runs, runs, k, margin, about)
    pairs = compared if earlier in (None, runs) else _pairs(earlier, runs, k, margin, about)
    if not compared or not pairs:
        return None
    values: dict[str, float] = {}
    for (one, other), comparison in compared.items():
        values |= {one: comparison.before, other: comparison.after}
    differences = {pair: one.difference for pair, one in compared.items()}
    p_values = {pair: 2 * min(one.p_worse, one.p_better) for pair, one in compared.items()}
    family = as_family(list(pairs.values()))
    return possible_ranks(values, differences, p_values), dict(zip(pairs, family, strict=True))


def _pairs(
    earlier: Mapping[str, Mapping[str, Counts]],
    later: Mapping[str, Mapping[str, Counts]],
    k: int,
    margin: float,
    about: Mapping[str, Hashable] | None,
) -> dict[tuple[str, str], Comparison]:
    """Each pair of runs compared over the tasks that all have; empty where one cannot be."""
    common = sorted(set.intersection(*(set(tasks) for tasks in later.values())))
    pairs = list(combinations(later, 2))
    found = [
        compare(
            {key: earlier[one][key] for key in common},
            {key: later[other][key] for key in common},
            k=k,
            margin=margin,
            about=about,
        )
        for one, other in pairs
    ]
    known = {pair: one for pair, one in zip(pairs, found, strict=True) if one is not None}
    return known if len(known) == len(pairs) else {}


def possible_ranks(
    values: Mapping[str, float],
    differences: Mapping[tuple[str, str], float],
    p_values: Mapping[tuple[str, str], float],
) -> list[Rank]:
    """Which rank each of several may have, all at once with confidence 95 %; the best value first.

    Args:
        values: by name; more is better.
        differences: by how much the later of each pair is better.
        p_values: the two-sided p-value of each pair, before Holm's adjustment.
    """
    behind, ahead = dict.fromkeys(values, 0), dict.fromkeys(values, 0)
    adjusted = holm([min(1.0, p) for p in p_values.values()])
    for (one, other), p in zip(p_values, adjusted, strict=True):
        if p <= ALPHA:
            lower, higher = (one, other) if differences[one, other] > 0 else (other, one)
            behind[lower] += 1
            ahead[higher] += 1
    order = sorted(values, key=lambda name: -values[name])
    return [Rank(name, values[name], 1 + behind[name], len(values) - ahead[name]) for name in order]
