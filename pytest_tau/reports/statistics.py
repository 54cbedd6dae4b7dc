"""All numbers of a run as one JSON file, for who goes on calculating: a row of the table at a time, then each task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ..files import replacing
from ..metrics.agents import side_by_side
from ..metrics.breakdown import noise_floor, pass_at_k
from ..metrics.intervals import Interval, these_tasks_interval
from ..metrics.pass_k import g_pass
from ..metrics.scores import SCORES, measure
from ..metrics.totals import Totals
from ..metrics.variance import components, customers
from .mutants import mutant_numbers
from .robust import robust_numbers

SHARES = (0.25, 0.5, 0.75, 1.0)
"""The τ of G-Pass@k_τ; with 1 it is pass^k."""


def write_statistics(
    totals: Totals, path: Path, *, gates: Sequence[tuple[str, str]] = (), facts: Mapping[str, str] | None = None
) -> None:
    """Write the file.

    Args:
        totals: the run's totals.
        path: the file.
        gates: (state, line) of each gate.
        facts: how the numbers came about.
    """
    content = {
        "format": "pytest-tau statistics",
        "version": 1,
        "rows": {
            **{name: _row(totals, name) for name in totals.domains()},
            **(
                {"all": _row(totals.without_variants(), None)} if totals.is_whole else {}
            ),  # several agents are no whole
        },
        "agents": _agents(totals),
        "tasks": {
            f"{row}/{task_id}": {
                "passed": task.passed,
                "graded": task.graded,
                "planned": task.to_play,
                "spared": task.spared,
                "replays": task.replays,
                "outcomes": dict(sorted(task.outcomes.items())),
                "cost": task.cost,
            }
            for (row, task_id), task in totals.tasks.items()
        },
        **({"robustness": robust} if (robust := robust_numbers(totals)) else {}),
        **({"policy": changed} if (changed := mutant_numbers(totals)) else {}),
        "gates": [{"state": state, "line": line} for state, line in gates],
        "about": dict(facts or {}),
    }
    with replacing(path) as file:
        json.dump(content, file, indent=2, ensure_ascii=False)
        file.write("\n")


def _agents(totals: Totals) -> dict[str, Any] | None:
    """Several agents of the run: what stands in their table, and each pair."""
    if (found := side_by_side(totals)) is None:
        return None
    pairs = [
        {
            "agents": list(pair.names),
            "k": pair.found.k,
            "difference": pair.found.difference,
            "interval": [pair.found.low, pair.found.high],
            "verdict": str(pair.found.verdict),
            "p": pair.p,
        }
        for pair in found.pairs
    ]
    return {"rows": [asdict(one) for one in found.agents], "pairs": pairs}


def _row(totals: Totals, row: str | None) -> dict[str, Any]:
    pairs = [(task.passed, task.graded) for task in totals.of(row)]
    split, stopped = components(pairs), bool(totals.spared())
    met = customers([list(task.customers.values()) for task in totals.of(row)])
    most = max((graded for _, graded in pairs), default=0)
    costs = totals.costs(row)

    def mean(estimate: Callable[[int, int], float], least: int) -> float:
        return fmean(totals.of_each_task(estimate, row, least=least).values())

    bounds = [{p.k: p.value for p in totals.pass_hat(row, missing=how)} for how in ("miss", "pass")]
    return {
        "tasks": totals.tasks_of(row),
        "trials": {
            "planned": totals.planned(row),
            "ended": totals.done(row),
            "spared": totals.spared(row),
            "replays": totals.replays(row),
        },
        "outcomes": dict(sorted(totals.outcomes(row).items())),
        "steps": totals.mean_steps(row),
        "cost": {**asdict(costs), "total": costs.total},
        "pass^k": [
            {
                "k": p.k,
                "value": p.value,
                "tasks": p.tasks,
                "interval": None if stopped else [p.low, p.high],
                "if_missing": [bounds[0].get(p.k), bounds[1].get(p.k)],
                "g_pass": {str(share): mean(partial(g_pass, k=p.k, share=share), least=p.k) for share in SHARES},
                "pass@k": mean(partial(pass_at_k, k=p.k), least=p.k),
            }
            for p in totals.pass_hat(row)
        ],
        "scores": {score.name: asdict(number) for score in SCORES if (number := measure(totals, score, row))},
        "these_tasks_interval": None if stopped else _ends(these_tasks_interval(pairs)),
        "variance": None
        if split is None
        else {**asdict(split), "icc": split.icc, "outcome_consistency": split.consistency},
        "customers": None if met is None else asdict(met),
        "noise_floor": noise_floor(pairs, most) if most else None,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
