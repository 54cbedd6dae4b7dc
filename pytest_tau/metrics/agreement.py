"""How far two raters agree: shares with Wilson intervals, and Cohen's kappa.

Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960). Several
conversations of one task are no independent ones; how many they are worth: Kish, "Survey Sampling" (1965), chapter 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

from pydantic import model_validator

from ..schema.values import Frozen
from .intervals import wilson


class AgreementShare(Frozen):
    """So many of so many, with its 95 % Wilson interval; 0 of 0 is anything from 0 to 1.

    ``worth``: how many independent ones say as much, None where all are.
    """

    hits: int
    of: int
    worth: float | None = None
    value: float | None
    low: float
    high: float

    @model_validator(mode="after")
    def _can_be_counted(self) -> Self:
        if not 0 <= self.hits <= self.of:
            raise ValueError(f"{self.hits} of {self.of} is no share")
        if self.worth is not None and not 0 < self.worth <= self.of:
            raise ValueError(f"{self.of} are not worth {self.worth:g} independent ones")
        return self

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{100 * self.value:.0f} % [{100 * self.low:.0f}–{100 * self.high:.0f}] of {self.of}"


def share(found: Sequence[tuple[str, bool]]) -> AgreementShare:
    """A share with its interval, of what belongs to a task each, "" for one of its own, and hits or does not."""
    hits, of = sum(hit for _, hit in found), len(found)
    worth = _worth(found)
    low, high = wilson(hits / of, worth) if of else (0.0, 1.0)
    known = worth if worth < of else None
    return AgreementShare(hits=hits, of=of, worth=known, value=hits / of if of else None, low=low, high=high)


def _worth(found: Sequence[tuple[str, bool]]) -> float:
    """How many independent ones say as much: their number, divided by the design effect.

    That is how many times the variance of the mean is what it were if they were independent; at least 1, and at most
    what it is where those of a task are always alike. That is also taken where all hit, or none does, which cannot show
    how alike they are.
    """
    tasks: dict[str, list[bool]] = {}
    for place, (task, hit) in enumerate(found):
        tasks.setdefault(task or f"\0{place}", []).append(hit)
    of = len(found)
    if len(tasks) == of:
        return of
    mean = sum(hit for _, hit in found) / of
    most = sum(len(hits) ** 2 for hits in tasks.values()) / of
    alone = mean * (1 - mean) * of
    if len(tasks) == 1 or not alone:
        return of / most
    between = sum((sum(hits) - mean * len(hits)) ** 2 for hits in tasks.values()) * len(tasks) / (len(tasks) - 1)
    return of / min(max(1.0, between / alone), most)


class Kappa(Frozen):
    """Cohen's kappa of ``of`` pairs, with the ends that the Wilson interval of their agreement leads to.

    ``value`` is None where it is not defined: without a pair, or where both raters say one and the same of all.
    """

    value: float | None
    low: float | None
    high: float | None
    of: int

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "–"
        return f"{self.value:.2f} [{self.low:.2f}–{self.high:.2f}]"


def kappa(pairs: Sequence[tuple[str, str]], tasks: Sequence[str] = ()) -> Kappa:
    """Agreement beyond chance of two raters on the same questions; ``tasks``: whose these are, as for :func:`share`.

    κ = (p - e) / (1 - e): p is the share of equal verdicts, e the share that would be equal by chance, given how often
    each rater gives each verdict. Its ends are those of p's Wilson interval, with e as it is, and no less than -1.
    """
    n = len(pairs)
    if not n:
        return Kappa(value=None, low=None, high=None, of=0)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(first[name] * second[name] for name in first) / n**2
    if chance >= 1:
        return Kappa(value=None, low=None, high=None, of=n)
    equal = share([(task, one == other) for task, (one, other) in zip(tasks or [""] * n, pairs, strict=True)])
    value, low, high = (max(-1.0, (p - chance) / (1 - chance)) for p in (equal.hits / n, equal.low, equal.high))
    return Kappa(value=value, low=low, high=high, of=n)
