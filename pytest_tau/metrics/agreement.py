"""How far two raters agree: shares with Wilson intervals, and Cohen's kappa.

Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..schema.values import Frozen
from .intervals import wilson


class AgreementShare(Frozen):
    """So many of so many, with its 95 % Wilson interval; 0 of 0 is anything from 0 to 1."""

    hits: int
    of: int
    value: float | None
    low: float
    high: float

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{100 * self.value:.0f} % [{100 * self.low:.0f}–{100 * self.high:.0f}] of {self.of}"


def share(hits: int, of: int) -> AgreementShare:
    """A share with its interval."""
    low, high = wilson(hits / of, of) if of else (0.0, 1.0)
    return AgreementShare(hits=hits, of=of, value=hits / of if of else None, low=low, high=high)


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


def kappa(pairs: Sequence[tuple[str, str]]) -> Kappa:
    """Agreement beyond chance of two raters on the same questions.

    κ = (p - e) / (1 - e): p is the share of equal verdicts, e the share that would be equal by chance, given how often
    each rater gives each verdict. Its ends are those of p's Wilson interval, with e as it is.
    """
    n = len(pairs)
    if not n:
        return Kappa(value=None, low=None, high=None, of=0)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(first[name] * second[name] for name in first) / n**2
    if chance >= 1:
        return Kappa(value=None, low=None, high=None, of=n)
    equal = sum(one == other for one, other in pairs) / n
    value, low, high = ((p - chance) / (1 - chance) for p in (equal, *wilson(equal, n)))
    return Kappa(value=value, low=low, high=high, of=n)
