"""The pass^k curve of a run as the numbers and coordinates that a picture of it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..metrics.agents import SideBySide
from ..metrics.pass_k import pass_hat_k
from ..metrics.shared_tasks import each_task_once, shared_task
from ..metrics.totals import PassK, Totals

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 200, 44, 24, 16, 32
_TaskCounts = tuple[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True)
class CurvePoint:
    """A point of a pass^k curve, as numbers and in the picture's coordinates."""

    k: int
    value: float
    low: float
    high: float
    tasks: int
    before: float | None
    x: float

    @staticmethod
    def y(value: float) -> float:
        """Where a proportion stands in the picture."""
        return round(TOP + (1 - value) * (HEIGHT - TOP - BOTTOM), 1)


@dataclass(frozen=True)
class Curve:
    """pass^k of one domain, or of all, with its band and the baseline's."""

    domain: str | None
    points: list[CurvePoint]

    @property
    def line(self) -> str:
        """The points of the curve."""
        return " ".join(f"{p.x},{p.y(p.value)}" for p in self.points)

    @property
    def band(self) -> str:
        """The outline of the intervals; a bar where there is one point only."""
        around = self.points
        if len(around) == 1:
            p = around[0]
            return f"{p.x - 5},{p.y(p.low)} {p.x + 5},{p.y(p.low)} {p.x + 5},{p.y(p.high)} {p.x - 5},{p.y(p.high)}"
        low = [f"{p.x},{p.y(p.low)}" for p in around]
        return " ".join([*low, *(f"{p.x},{p.y(p.high)}" for p in reversed(around))])

    @property
    def before(self) -> str:
        """The points of the baseline's curve, as far as it goes."""
        return " ".join(f"{p.x},{p.y(p.before)}" for p in self.points if p.before is not None)


def curves(totals: Totals, baseline: Mapping[tuple[str, str], tuple[int, int]]) -> list[Curve]:
    """One curve for each domain, after one for all where there are several.

    Args:
        totals: the run's totals.
        baseline: (successes, graded trials) of another run's tasks; those that this run has too are compared.
    """
    domains = totals.domains()
    scopes: list[str | None] = [None, *domains] if len(domains) > 1 and totals.is_whole else list(domains)
    both = {key: pair for key, pair in baseline.items() if key in totals.tasks}
    return [_curve(totals, both, domain) for domain in scopes]


def together(found: SideBySide) -> list[tuple[str, Curve]]:
    """The curves of several agents in one picture, by name."""
    most = max((len(one.curve) for one in found.agents), default=1)
    return [(one.name, Curve(one.name, _points(one.curve, most, []))) for one in found.agents if one.curve]


def _curve(totals: Totals, baseline: Mapping[tuple[str, str], tuple[int, int]], domain: str | None) -> Curve:
    found = totals.pass_hat(domain)
    before = [(shared_task(*key), pair) for key, pair in baseline.items() if domain in (None, key[0])]
    return Curve(domain, _points(found, len(found), before))


def _points(found: Sequence[PassK], most: int, before: Sequence[_TaskCounts]) -> list[CurvePoint]:
    """The points of a curve in a picture that has room for so many; ``before``: the baseline's counts of each row.

    As on the run's own side, a task that several rows are about counts once.
    """
    step = (WIDTH - LEFT - RIGHT) / max(1, most - 1)
    points: list[CurvePoint] = []
    for position, p in enumerate(found):
        earlier = each_task_once((key, pass_hat_k(*pair, p.k)) for key, pair in before if pair[1] >= p.k)
        was = fmean(earlier) if earlier else None
        x = LEFT + step * position if most > 1 else (WIDTH + LEFT - RIGHT) / 2
        points.append(CurvePoint(p.k, p.value, p.low, p.high, p.tasks, was, round(x, 1)))
    return points
