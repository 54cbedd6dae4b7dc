"""How far trials got, over tasks: mean progress, and S_partial = ½ progress + ½ reward (ToolSandbox, Lu et al. 2024).

As for pass^1 each task counts once, with the mean of its trials, and the interval is that of tasks like these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from .score import Measured, Score, TaskValues, mean_of
from .shared_tasks import each_task_once, shared_task


def _progress(content: Mapping[str, Any]) -> float | None:
    """The progress of a trial with a verdict."""
    value = (content.get("reward") or {}).get("progress")
    graded = content.get("outcome") in ("passed", "missed")
    return float(value) if graded and isinstance(value, (int, float)) and 0 <= value <= 1 else None


def _partial(content: Mapping[str, Any]) -> float | None:
    progress = _progress(content)
    return None if progress is None else (progress + (content["outcome"] == "passed")) / 2


def mean_over_tasks(tasks: Sequence[TaskValues], argument: str = "") -> Measured | None:
    """The mean of the tasks' means, each 0 … 1."""
    return mean_of(each_task_once((shared_task(task.row, task.task_id), fmean(task.values)) for task in tasks))


_NEEDS = "a trial that was graded with milestones"
PROGRESS = Score("progress", _progress, mean_over_tasks, needs=_NEEDS, column="progress", interval=True)
PARTIAL = Score("partial", _partial, mean_over_tasks, needs=_NEEDS, interval=True)
