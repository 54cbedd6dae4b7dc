"""What long episodes say, those of six milestones and more: completion, steps, decay, facts forgotten.

**Completion** is the share of trials that reached every milestone. **Decay** is, for each step i, how often it was
reached by those trials that had reached step i − 1 (the first one: by all): where the curve falls, agents lose the
thread. Steps are the task's milestones in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from .progress import mean_over_tasks
from .score import Measured, Score, TaskValues

LONG = 6
"""The fewest milestones of a long episode."""


def steps_reached(content: Mapping[str, Any]) -> tuple[bool, ...] | None:
    """Which milestones a trial with a verdict reached, in order; None where the episode is not long."""
    statuses = (content.get("reward") or {}).get("stations") or []
    if content.get("outcome") not in ("passed", "missed") or not isinstance(statuses, list):
        return None
    due = [status for status in statuses if isinstance(status, Mapping) and not status.get("mine")]
    return tuple(status.get("turn") is not None for status in due) if len(due) >= LONG else None


def _remembers_all(content: Mapping[str, Any]) -> bool | None:
    if steps_reached(content) is None:
        return None
    return not (content.get("reward") or {}).get("forgotten")


def _completion(tasks: Sequence[TaskValues], argument: str = "") -> Measured | None:
    """The mean over tasks of the share of trials that reached all."""
    return mean_over_tasks([TaskValues(t.row, t.task_id, tuple(all(steps) for steps in t.values)) for t in tasks])


def decay(trials: Iterable[Sequence[bool]]) -> list[tuple[int, int]]:
    """For each step (reached, trials that had reached the one before), as far as any trial got."""
    rows = [list(steps) for steps in trials]
    curve = []
    for step in range(max(map(len, rows), default=0)):
        among = [row for row in rows if len(row) > step and (step == 0 or row[step - 1])]
        if not among:
            break
        curve.append((sum(row[step] for row in among), len(among)))
    return curve


def mean_steps(trials: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """Steps reached and steps due, per trial."""
    return fmean(sum(steps) for steps in trials), fmean(len(steps) for steps in trials)


_NEEDS = f"{LONG} milestones or more"
EPISODES = Score("episodes", steps_reached, _completion, needs=_NEEDS, worst=((False,), (True,)), interval=True)
REMEMBERED = Score("remembered", _remembers_all, mean_over_tasks, needs=_NEEDS, worst=(False, True), interval=True)
