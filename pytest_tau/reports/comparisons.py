"""What ``pytest-tau compare`` says of two runs, or of more: differences, p-values for all of them, possible ranks.

The rule for missing trials is that of the gates: a trial that was planned and has no verdict counts against the later
run. There it has missed; in the earlier run it has passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import RecordingError
from ..journal import last_run, read_trials
from ..manifest import FILE_NAME, decided, load_manifest
from ..metrics.baseline import load_baseline
from ..metrics.compare import Comparison, Verdict, compare
from ..metrics.family import ranks
from ..metrics.judging import TaskResult, describe, percent, results_of
from ..metrics.tally import tally
from .terminal import aligned


def results(given: str) -> list[TaskResult]:
    """The tasks of a run, or of a baseline, as gates look at them; raises RecordingError."""
    if given.endswith(".json"):
        counts = load_baseline(Path(given)).counts()
        keys = {key: key.partition("/") for key in counts}
        return [
            TaskResult(domain, task_id, counts[key][0], counts[key][1], counts[key][1])
            for key, (domain, _, task_id) in keys.items()
        ]
    run = last_run(Path(given)) or Path(given)
    folder = run if run.is_dir() else run.parent
    k = load_manifest(folder).k if (folder / FILE_NAME).is_file() else 1
    return results_of(tally(read_trials(run), k, decided=bool(decided(folder))))


def two(before: str, after: str, *, k: int = 1, margin: float = 0.10) -> tuple[list[str], int]:
    """Lines about two runs, and the exit status: 1 when the later one is worse."""
    old, new = results(before), results(after)
    found = compare(_counts(old, missing_pass=True), _counts(new), k=k, margin=margin)
    if found is None:
        raise RecordingError(f"{after}: no task has {k} trials here and in {before}")
    lines = describe(found).split("; ")
    lines += _missing(before, old, "passed") + _missing(after, new, "missed")
    return lines, int(found.verdict is Verdict.WORSE)


def several(runs: Sequence[str], *, k: int = 1) -> tuple[list[str], int]:
    """Lines about more than two runs, and the exit status: 1 when any is worse than the first."""
    known = {run: results(run) for run in dict.fromkeys(runs)}
    found = ranks({run: _counts(tasks) for run, tasks in known.items()}, k=k)
    if found is None:
        raise RecordingError(f"{runs[-1]}: no task has {k} trials in all of these runs")
    ranked, pairs = found
    table = [["run", f"pass^{k}", "rank"]]
    table += [
        [one.name, percent(one.value), f"{one.best}" if one.best == one.worst else f"{one.best}–{one.worst}"]
        for one in ranked
    ]
    lines = [*aligned(table), "", f"Ranks that are possible, all at once with confidence 95 %; {len(pairs)} pairs:"]
    lines += [_pair(one, other, comparison) for (one, other), comparison in pairs.items()]
    for run, tasks in known.items():
        lines += _missing(run, tasks, "missed")
    worse = any(one == runs[0] and comparison.verdict is Verdict.WORSE for (one, _), comparison in pairs.items())
    return lines, int(worse)


def _pair(one: str, other: str, found: Comparison) -> str:
    p = min(found.adjusted or (1.0,))
    return f"{one} → {other}: {found.verdict}, {100 * found.difference:+.1f} points, p {p:.3f} (Holm-adjusted)"


def _counts(tasks: Sequence[TaskResult], *, missing_pass: bool = False) -> Mapping[str, tuple[int, int]]:
    return {task.key: task.counts(missing_pass=missing_pass) for task in tasks}


def _missing(run: str, tasks: Sequence[TaskResult], counted: str) -> list[str]:
    missing, planned = sum(task.missing for task in tasks), sum(task.planned for task in tasks)
    if not missing:
        return []
    return [f"{run}: {missing} of {planned} trials have no verdict and count as {counted}; --tau-resume plays them"]
