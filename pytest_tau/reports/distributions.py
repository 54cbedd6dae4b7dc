"""How cost, time, steps and tokens scatter over trials, and how often each fault occurred: bars as coordinates.

The page's security policy allows no inline styles, so lengths are attributes of SVG elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..printable import count_of

BINS = 16
WIDTH, HEIGHT = 208, 56


@dataclass(frozen=True)
class _Bar:
    """A bar of a picture, and what a reader is told who points at it."""

    x: float
    y: float
    width: float
    height: float
    told: str


@dataclass(frozen=True)
class Histogram:
    """One quantity over all trials that have it: bars, and the numbers that a reader wants first."""

    name: str
    bars: list[_Bar]
    smallest: str
    median: str
    largest: str


@dataclass(frozen=True)
class _Share:
    """How many trials have a fault, as a bar from 0 to the most frequent one."""

    name: str
    count: int
    width: float


def histogram(name: str, values: Iterable[float | None], written: Callable[[float], str]) -> Histogram | None:
    """The picture of one quantity; None where fewer than two trials differ in it.

    Args:
        name: what it is called.
        values: one of each trial, None where it is unknown.
        written: how a value is written, with its unit.
    """
    known = sorted(value for value in values if value is not None)
    if len(known) < 2 or known[0] == known[-1]:
        return None
    low, high = known[0], known[-1]
    step = (high - low) / BINS
    counts = Counter(min(BINS - 1, int((value - low) / step)) for value in known)
    tallest, width = max(counts.values()), WIDTH / BINS
    bars = []
    for position in range(BINS):
        height = round(HEIGHT * counts[position] / tallest, 1)
        begin, end = written(low + position * step), written(low + (position + 1) * step)
        span = begin if begin == end else f"{begin} to {end}"
        told = f"{span}: {count_of(counts[position], 'trials')}"
        bars.append(_Bar(round(position * width, 1), round(HEIGHT - height, 1), round(width - 1.5, 1), height, told))
    return Histogram(name, bars, written(low), written(median(known)), written(high))


def shares(counts: Mapping[str, int] | Sequence[str]) -> list[_Share]:
    """The faults of a run, the most frequent first."""
    found = Counter(counts)
    most = max(found.values(), default=1)
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [_Share(name, count, round(WIDTH * count / most, 1)) for name, count in ordered]
