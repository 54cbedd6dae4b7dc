"""What ``pytest-tau compare`` says of two runs, or of more: differences, p-values for all of them, possible ranks.

The rule for missing trials is that of the gates: a trial that was planned and has no verdict counts against the later
run. There it has missed; in the earlier run it has passed. Of more than two runs that is so in each pair; ranks know no
earlier run, and for them it has missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RecordingError, SettingsError
from ..files import resolve
from ..journal import last_run, load_journal, read_trials
from ..manifest import FILE_NAME, early_decisions, load_manifest, plan_of
from ..metrics.baseline import is_baseline, load_baseline
from ..metrics.compare import Comparison, Verdict, compare
from ..metrics.comparison_told import clauses
from ..metrics.family import ranks
from ..metrics.tally import tally
from ..metrics.task_results import TaskResult, results_of
from ..metrics.wording import p_value, percent
from ..printable import count_of
from ..schema.record import split_nodeid
from .html import write_html
from .run_facts import Fact, run_facts
from .terminal import align_table

if TYPE_CHECKING:
    from ..schema.record import TrialRecord


def results(given: str) -> dict[str, list[TaskResult]]:
    """The tasks of a run, or of a baseline, as gates look at them, by its name; of several agents each by itself.

    Tasks that were told or shown otherwise are no more trials of the same ones. Raises RecordingError.
    """
    if is_baseline(Path(given)):
        baseline = load_baseline(Path(given))
        counts = baseline.counts_as_they_are()
        return {
            given: [TaskResult(*baseline.row_and_task(key), passed, of, of) for key, (passed, of) in counts.items()]
        }
    run = last_run(Path(given)) or Path(given)
    folder = run if run.is_dir() else run.parent
    k = load_manifest(folder).k if (folder / FILE_NAME).is_file() else 1
    totals = tally(read_trials(run), k, plan=plan_of(folder), decided=bool(early_decisions(folder)))
    totals = totals.without_variants()
    each = {f"{given} {label}": results_of(part) for label, part in totals.by_agent().items()}
    return each or {given: results_of(totals)}


def compared_runs(runs: Sequence[str], *, k: int = 1, margin: float = 0.10) -> tuple[list[str], int]:
    """Lines about runs, the agents of one with several each by itself, and the exit status: 1 when any is worse.

    Raises:
        SettingsError: there is only one to look at.
        RecordingError: one cannot be read, or they have no task in common.
    """
    known = {name: tasks for run in dict.fromkeys(runs) for name, tasks in results(run).items()}
    if len(known) == 1 and len(runs) != 2:
        raise SettingsError(f"{runs[0]}: name another run to compare it with")
    if len(runs) == 2 and len(known) <= len(set(runs)):  # one agent in each
        before, after = (next(iter(results(run).items())) for run in runs)
        return _two(before, after, k=k, margin=margin)
    return _several(known, k=k, margin=margin)


def each_once(runs: Sequence[str]) -> Sequence[str]:
    """More than two runs without those that are named again, as ``.tau/latest`` is by ``.tau/*``."""
    if len(runs) == 2:
        return runs  # a run can be compared with itself
    named: dict[Path, str] = {}
    for run in runs:
        named.setdefault(resolve(last_run(Path(run)) or Path(run)), run)
    return list(named.values())


def _two(
    earlier: tuple[str, list[TaskResult]], later: tuple[str, list[TaskResult]], *, k: int, margin: float
) -> tuple[list[str], int]:
    """Lines about two runs, and the exit status: 1 when the later one is worse."""
    (before, old), (after, new) = earlier, later
    about = _about({before: old, after: new})
    found = compare(_counts(old, missing_pass=True), _counts(new), k=k, margin=margin, about=about)
    if found is None:
        raise RecordingError(f"{after}: no task has {count_of(k, 'trials')} here and in {before}")
    lines = clauses(found, each_way=True)
    lines += _missing(before, old, "passed") + _missing(after, new, "missed")
    return lines, int(found.verdict is Verdict.WORSE)


def _several(known: Mapping[str, list[TaskResult]], *, k: int, margin: float) -> tuple[list[str], int]:
    """Lines about more than two runs, and the exit status: 1 when any is worse than the first."""
    runs = list(known)
    as_earlier = {run: _counts(tasks, missing_pass=True) for run, tasks in known.items()}
    as_later = {run: _counts(tasks) for run, tasks in known.items()}
    found = ranks(as_later, k=k, margin=margin, earlier=as_earlier, about=_about(known))
    if found is None:
        raise RecordingError(f"{runs[-1]}: no task has {count_of(k, 'trials')} in all of these runs")
    ranked, pairs = found
    table = [["run", f"pass^{k}", "rank"]]
    table += [[one.name, percent(one.value), f"{one}"] for one in ranked]
    lines = [
        *align_table(table),
        "",
        f"Ranks that are possible, all at once with confidence 95 %; {count_of(len(pairs), 'pairs')}:",
    ]
    lines += [_pair(one, other, comparison) for (one, other), comparison in pairs.items()]
    for run, tasks in known.items():
        in_pairs = "" if run == runs[-1] else ", and as passed where a later run is compared with it"
        lines += _missing(run, tasks, f"missed{in_pairs}")
    worse = any(one == runs[0] and comparison.verdict is Verdict.WORSE for (one, _), comparison in pairs.items())
    return lines, int(worse)


def _pair(one: str, other: str, found: Comparison) -> str:
    p = min(found.adjusted or (1.0,))
    return f"{one} → {other}: {found.verdict}, {100 * found.difference:+.1f} points, {p_value(p)} (Holm-adjusted)"


def _counts(tasks: Sequence[TaskResult], *, missing_pass: bool = False) -> Mapping[str, tuple[int, int]]:
    return {task.key: task.counts(missing_pass=missing_pass) for task in tasks}


def _about(known: Mapping[str, Sequence[TaskResult]]) -> dict[str, tuple[str, str]]:
    """Which task each key is about: what a run knows of it rather than what a baseline's key looks like."""
    baselines_first = sorted(known, key=lambda run: not is_baseline(Path(run)))
    return {task.key: task.about for run in baselines_first for task in known[run]}


def _missing(run: str, tasks: Sequence[TaskResult], counted: str) -> list[str]:
    missing, planned = sum(task.missing for task in tasks), sum(task.planned for task in tasks)
    if not missing:
        return []
    return [
        f"{run}: {missing} of {count_of(planned, 'trials')} have no verdict and count as {counted}; --tau-resume "
        "plays them"
    ]


def write_comparison(runs: Sequence[str], path: str | Path) -> int:
    """Write one HTML report of several runs: their curves in one picture, every trial of each.

    Args:
        runs: results folders, runs' folders or journals; a baseline has no trials to show.
        path: the file.

    Returns:
        The number of trials written.

    Raises:
        RecordingError: one of them cannot be read.
    """
    names = [_name(run) for run in runs]
    labels = [f"{name}-{n}" if names.count(name) > 1 else name for n, name in enumerate(names, 1)]
    records = (record for run, label in zip(runs, labels, strict=True) for record in _label_trials(run, label))
    facts = [fact for run, label in zip(runs, labels, strict=True) for fact in _facts(run, label)]
    return write_html(records, path, title=f"comparison of {', '.join(labels)}", facts=facts)


def _name(run: str) -> str:
    """What a run is called in a report: its folder's name."""
    if is_baseline(Path(run)):
        raise RecordingError(f"{run}: a baseline has no trials to show; leave it out of --html")
    folder = last_run(Path(run)) or Path(run)
    folder = folder if folder.is_dir() else folder.parent
    return re.sub(r"[^\w.-]+", "-", resolve(folder).name)


def _facts(run: str, label: str) -> Iterator[Fact]:
    """How a run's numbers came about, in one line; nothing where its folder does not say."""
    found = last_run(Path(run)) or Path(run)
    folder = found if found.is_dir() else found.parent
    if (folder / FILE_NAME).is_file():
        manifest = load_manifest(folder)
        told = run_facts(manifest, tally(read_trials(found), manifest.k, plan=plan_of(folder)))
        yield label, "; ".join(f"{name}: {value}" for name, value in told)


def _label_trials(run: str, label: str) -> Iterator[TrialRecord]:
    """The trials of a run in the order of their names, as those of one agent among several."""
    found = load_journal(last_run(Path(run)) or Path(run))  # in the order in which they happened to end
    for record in sorted(found, key=lambda one: (one.nodeid.rpartition("trial")[0], one.trial)):
        name = f"{label}-{record.label}" if record.label else label
        test, ids = split_nodeid(record.nodeid)
        yield record.model_copy(update={"label": name, "nodeid": f"{test}[{label}-{ids}"})
