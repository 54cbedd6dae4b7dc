"""The numbers that gates compare, as a run at its end has them and as one that may be stopped early has them so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

from .breakdown import pass_at_k
from .compare import ALPHA, Comparison, Counts, compare
from .gate import Gate
from .intervals import Interval, interval_of, these_tasks_interval
from .pass_k import pass_hat_k
from .shared_tasks import by_task, shared_task, split_key
from .task_results import TaskResult
from .wording import EDGE, percent

Row = TypeVar("Row", bound="tuple[int, ...]")


def coverage_problem(tasks: Sequence[TaskResult], min_coverage: float) -> str | None:
    """Why a run has too few verdicts for any gate, None when it has enough."""
    planned, graded = sum(task.planned for task in tasks), sum(task.graded for task in tasks)
    if not planned:
        return "no trial was planned"
    if graded / planned >= min_coverage - EDGE:
        return None
    share = f"{graded} of {planned} planned trials have a verdict ({percent(graded / planned)})"
    return f"{share}, and {percent(min_coverage)} is asked for (--tau-min-coverage)"


def gate_comparison(
    gate: Gate, tasks: Sequence[TaskResult], baseline: Mapping[str, tuple[int, int]], alpha: float = ALPHA
) -> Comparison | None:
    """The comparison that a gate asks for; None where no task of the run is in the baseline."""
    keep = {key: counts for key, counts in baseline.items() if gate.domain is None or key.startswith(f"{gate.domain}/")}
    about = {key: shared_task(*split_key(key)) for key in keep} | {task.key: task.about for task in tasks}
    counts = {task.key: task.counts() for task in tasks}
    return compare(keep, counts, margin=gate.threshold, alpha=alpha, about=about)


def tasks_of(gate: Gate, rows: Iterable[tuple[tuple[str, str], Row]]) -> Counter[tuple[Row, ...]]:
    """How many tasks a gate on their mean counts, by what their rows are; ``rows``: each with the task it is about.

    Rows about the same task are one for tasks like these; to an interval on these tasks each is one of its own.
    """
    if gate.these_tasks:
        return Counter((row,) for _, row in rows)
    return Counter(tuple(sorted(task)) for task in by_task(rows).values())


def value_of(gate: Gate, tasks: Mapping[tuple[Counts, ...], int]) -> float | None:
    """What a gate on the tasks' mean compares with its threshold, from how many tasks have rows of (passed, trials).

    None where it is not defined: no task has k trials, or for these tasks one has a single trial.
    """
    if gate.these_tasks:
        interval = these_tasks_interval([row for rows, count in tasks.items() for _ in range(count) for row in rows])
        return None if interval is None else _end(gate, interval)
    values: Counter[float] = Counter()
    for rows, count in tasks.items():
        if known := [estimate(gate, passed, trials) for passed, trials in rows if trials >= gate.k]:
            values[fmean(known)] += count
    if not values:
        return None
    if gate.bound:
        return _end(gate, interval_of(values))
    return sum(value * count for value, count in values.items()) / values.total()


def _end(gate: Gate, interval: Interval) -> float:
    return interval.low if gate.bound == "lower" else interval.high


def estimate(gate: Gate, passed: int, trials: int) -> float:
    """pass^k or pass@k of one task, as the gate asks for."""
    return (pass_at_k if gate.metric == "pass@" else pass_hat_k)(passed, trials, gate.k)
