"""What is told of long episodes, in lines below the table and as a curve; and of what trials cost their customers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..metrics.long_episodes import EPISODES, REMEMBERED, decay, mean_steps
from ..metrics.scores import measure
from ..metrics.totals import Totals
from ..printable import count_of
from .curves import LEFT, RIGHT, WIDTH, CurvePoint

_MOST = 15  # steps of a curve that are shown


def episode_lines(totals: Totals) -> Iterator[str]:
    """Completion, steps and decay of each row's long episodes, where it has any."""
    for row in totals.domains():
        trials = _long_trials(totals, row)
        found, kept = measure(totals, EPISODES, row), measure(totals, REMEMBERED, row)
        if not trials or found is None:
            continue
        name = f"long episodes, {row}" if len(totals.domains()) > 1 else "long episodes"
        got, due = mean_steps(trials)
        lost = "" if kept is None or kept.value == 1.0 else f"; {_percent(1 - kept.value)} of trials forgot a fact"
        yield f"{name}: {_percent(found.value)} completed, {got:.1f} of {due:.1f} steps on the mean{lost}."
        curve = decay(trials)
        shown = "  ".join(f"{step} {_percent(good / all_)}" for step, (good, all_) in enumerate(curve[:_MOST], start=1))
        yield f"{name}: each step, of the trials that had reached the one before: {shown}"


def _long_trials(totals: Totals, row: str) -> list[Sequence[bool]]:
    """Which steps each trial of a row's long episodes reached; none where they are less than half of its tasks.

    A suite of short tasks may have one with six changes, which says nothing of long episodes.
    """
    tasks = [task.measured for task in totals.of(row) if any(task.measured.values())]
    trials = [measured[EPISODES.name] for measured in tasks if measured.get(EPISODES.name)]
    return [steps for one in trials for steps in one] if 2 * len(trials) >= len(tasks) else []


@dataclass(frozen=True)
class _Step:
    """A step of long episodes: ``reached`` of the ``among`` trials that had reached the one before; ``x``: its place
    in the picture.
    """

    number: int
    reached: int
    among: int
    x: float

    @property
    def share(self) -> float:
        """How many of them reached it."""
        return self.reached / self.among


@dataclass(frozen=True)
class _Decay:
    """The curve of a row: how often each step was reached by the trials that had reached the one before."""

    row: str
    steps: list[_Step]

    @property
    def line(self) -> str:
        """The points of the curve."""
        return " ".join(f"{step.x},{CurvePoint.y(step.share)}" for step in self.steps)


def decay_curves(totals: Totals) -> list[_Decay]:
    """The curve of each row that has long episodes."""
    found = []
    for row in totals.domains():
        curve = decay(_long_trials(totals, row))[:_MOST]
        apart = (WIDTH - LEFT - RIGHT) / max(1, len(curve) - 1)
        steps = [_Step(i + 1, good, all_, round(LEFT + apart * i, 1)) for i, (good, all_) in enumerate(curve)]
        found += [_Decay(row, steps)] if steps else []
    return found


def effort_lines(totals: Totals) -> Iterator[str]:
    """What trials cost their customers, on the mean; and the judge's rating, where there is one."""
    efforts = sum(task.efforts for task in totals.of())
    spent = sum((task.effort for task in totals.of()), Counter[str]())
    if efforts:
        turns, handle, wait = (spent[name] / efforts for name in ("turns", "handle_time", "wait_seconds"))
        parts = [f"{turns:.1f} turns of the customer", f"handle time {clock(handle)}, waiting {clock(wait)} of it"]
        counted = {
            "asked_twice": "questions asked twice",
            "asked_though_told": "facts asked though told",
            "apologies": "apologies without a deed",
            "handed_over": "handed over",
        }
        parts += [f"{spent[key] / efforts:.2f} {label}" for key, label in counted.items() if spent[key]]
        yield f"Effort, mean per trial: {'; '.join(parts)} (virtual time, not the clock's)."
    ratings = [rating for task in totals.of() for rating in task.ratings]
    unrated = sum(task.unrated for task in totals.of())
    if ratings or unrated:
        rate = f"{fmean(ratings):.2f} of 5 over {count_of(len(ratings), 'trials')}" if ratings else "unknown"
        more = f"; it gave no answer on {count_of(unrated, 'trials')}" if unrated else ""
        yield f"Satisfaction, as the judge rates it: {rate}{more}."


def clock(seconds: float) -> str:
    """Seconds as minutes and seconds."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"
