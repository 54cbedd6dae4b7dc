"""The robustness of a run, and pass^k by perturbation and faults, read off its totals."""

from __future__ import annotations

from .pass_k import mean_pass_hat_k
from .robustness import MEASURED, Robustness, TrialConduct, of_rows
from .totals import Totals


def robustness(totals: Totals) -> Robustness:
    """The robustness of a run; empty where nothing was played otherwise than as it is."""
    variants = {row: variant for row, variant in totals.variants.items() if not totals.is_mutant(row)}
    if not variants:
        return Robustness()
    tasks: dict[str, dict[str, list[TrialConduct]]] = {}
    for (row, task_id), task in totals.tasks.items():
        if values := task.measured.get(MEASURED):
            tasks.setdefault(row, {})[task_id] = list(values)
    return of_rows(tasks, variants)


def grid(found: Robustness, totals: Totals, row: str, k: int) -> dict[tuple[str, str], float]:
    """R(k, ε, λ): pass^k by (perturbation, faults), "" for none; cells that were not played are left out."""
    cells = {("", ""): totals.of(row)}
    for name, variant in totals.variants.items():
        if totals.plain_row(name) == row:
            cells[str(variant.get("told", "")), str(variant.get("faults", ""))] = totals.of(name)
    values = {}
    for cell, tasks in cells.items():
        estimate = mean_pass_hat_k([(task.passed, task.graded) for task in tasks], k)
        if estimate is not None:
            values[cell] = estimate[0]
    return values
