"""What gates can ask of robustness: ``robust(KIND)`` and ``flip``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ..printable import count_of
from .robustness import MEASURED, Robustness, TrialConduct, by_task, conduct_of, flip, of_rows
from .score import Measured, Score, TaskValues, plain_row


def _robustness_over(tasks: Sequence[TaskValues], kind: str) -> Robustness:
    """The robustness over the variants of a kind: by its whole name, or by what stands before the first colon."""
    rows: dict[str, dict[str, Sequence[TrialConduct]]] = {}
    variants: dict[str, Mapping[str, Any]] = {}
    for task in tasks:
        if task.variant and kind and not _is(task.variant, kind):
            continue
        rows.setdefault(task.row, {})[task.task_id] = task.values
        if task.variant:
            variants[task.row] = {"label": task.variant}
    return of_rows(rows, variants)


def _is(label: str, kind: str) -> bool:
    return kind in (label, label.partition(":")[0]) and ("+" in kind or "+" not in label)


def _robust(tasks: Sequence[TaskValues], kind: str) -> Measured | None:
    found = _robustness_over(tasks, kind)
    known = [(one.ratio, one, ends) for one in found.variants if one.ratio is not None and (ends := one.ratio_interval)]
    if not known:
        return None
    ratio, worst, _ = min(known, key=lambda each: each[0])
    which = f" of {found.named(worst.row, worst.label)}, the worst of {len(known)}" if len(known) > 1 else ""
    # Another may be worse than the one that is observed to be: of few tasks one knows little.
    low, high = min(ends.low for *_, ends in known), min(ends.high for *_, ends in known)
    return Measured(ratio, f"{count_of(worst.found.tasks, 'tasks')}{which}", low, high)


def _flip(tasks: Sequence[TaskValues], nothing: str) -> Measured | None:
    found = _robustness_over(tasks, "").variants
    flips = [rate for one in found for rate in one.flips.values()]
    return (
        Measured(fmean(flips), f"{count_of(len(found), 'variants')} of {count_of(len(by_task(found)), 'tasks')}")
        if flips
        else None
    )


def _settled(tasks: Sequence[TaskValues], little: bool) -> list[TaskValues]:
    """The tasks with an ending for each trial without a verdict, the worst for a gate.

    Where it asks for few flips (``little``) the ending is the one with the most of them, or else with the fewest. The
    flips of a task are linear in the pass rate of each of its rows. So it is enough to try two endings a row: all of
    its missing trials pass, or all miss.
    """
    groups: dict[tuple[str, str], list[TaskValues]] = {}
    for task in tasks:
        groups.setdefault((plain_row(task.row, task.variant), task.task_id), []).append(task)

    def against(rows: Sequence[TaskValues]) -> float:
        counts = [(sum(one.passed for one in row.values), len(row.values)) for row in rows]
        return (1 if little else -1) * sum(
            flip(plain, varied)
            for one, plain in zip(rows, counts, strict=True)
            for other, varied in zip(rows, counts, strict=True)
            if other.variant and not one.variant
        )

    found: list[TaskValues] = []
    for group in groups.values():
        ends = []
        for passed in (True, False):
            plain = [_ended(one, passed) for one in group if not one.variant]
            varied = [[_ended(one, True), _ended(one, False)] for one in group if one.variant]
            ends.append([*plain, *(max(two, key=lambda one: against([*plain, one])) for two in varied)])
        most = max(ends, key=against)
        found += most
    return found


def _ended(task: TaskValues, passed: bool) -> TaskValues:
    return replace(task, values=tuple(TrialConduct(passed) if one.passed is None else one for one in task.values))


FLIP = Score(
    MEASURED,
    conduct_of,
    _flip,
    needs="variants (--tau-perturb, --tau-faults)",
    worst=(TrialConduct(None), TrialConduct(None)),
    variants=True,
    settled=_settled,
)
ROBUST = Score(
    "robust",
    conduct_of,
    _robust,
    needs="variants (--tau-perturb, --tau-faults)",
    worst=(TrialConduct(False), TrialConduct(True)),
    takes="kind",
    picks=_is,
    interval=True,
    variants=True,
)
