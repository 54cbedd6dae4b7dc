"""Earlier runs of the same suite, from the manifests in a results folder: a small trend of pass^1 by run and commit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import RecordingError
from ..manifest import Manifest, load_manifest
from ..metrics.totals import Totals

RESULT = "result"
SHOWN = 20
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 120, 44, 24, 12, 24


@dataclass(frozen=True)
class Past:
    """One run of the trend: pass^1 from 0 to 1 with its interval, who played, and the commit it was made from."""

    began: str
    commit: str
    agent: str
    value: float
    low: float
    high: float
    tasks: int


def result_of(totals: Totals) -> str:
    """What a run adds to its manifest for later reports, as JSON; "" where nothing was graded."""
    totals = totals.unperturbed()
    found = totals.pass_hat(None)
    if not found:
        return ""
    first = found[0]
    return json.dumps(
        {
            "domains": sorted(totals.domains()),
            "agent": ", ".join(sorted(totals.agents)),
            "pass^1": [round(first.value, 6), round(first.low, 6), round(first.high, 6)],
            "tasks": first.tasks,
        },
        ensure_ascii=False,
    )


def history(results: Path, domains: Sequence[str]) -> list[Past]:
    """The latest runs in a results folder on exactly these domains, the oldest first.

    A run that says nothing about itself, or whose manifest cannot be read, is left out.
    """
    found: list[Past] = []
    for folder in sorted(results.iterdir(), reverse=True) if results.is_dir() else ():
        if len(found) == SHOWN:
            break
        if folder.is_symlink() or not folder.is_dir():
            continue
        try:
            past = _past(load_manifest(folder), sorted(domains))
        except RecordingError:
            continue
        if past:
            found.append(past)
    return found[::-1]


def _past(manifest: Manifest, domains: list[str]) -> Past | None:
    try:
        result: Any = json.loads(manifest.about.get(RESULT, ""))
        value, low, high = (float(number) for number in result["pass^1"])
        if result["domains"] != domains or not 0 <= low <= value <= high <= 1:
            return None
        commit, began = manifest.about.get("commit", ""), manifest.about.get("began", "")
        return Past(began, commit, str(result["agent"]), value, low, high, int(result["tasks"]))
    except (ValueError, ArithmeticError, RecursionError, TypeError, KeyError, AttributeError):
        return None


def past(runs: Sequence[Past]) -> dict[str, Any] | None:
    """The picture of a trend; None for fewer than two runs."""
    if len(runs) < 2:
        return None
    step = (WIDTH - LEFT - RIGHT) / (len(runs) - 1)
    points = []
    for position, run in enumerate(runs):
        told = f"{run.began.replace('T', ' ')}: {100 * run.value:.1f} % of {run.tasks} tasks, {run.agent}"
        told += f", commit {run.commit[:10]}{'+' * run.commit.endswith('+')}" if run.commit else ""
        points.append(
            {
                "x": round(LEFT + step * position, 1),
                "y": _y(run.value),
                "low": _y(run.low),
                "high": _y(run.high),
                "told": told,
                "commit": run.commit[:7],
            }
        )
    line = " ".join(f"{point['x']},{point['y']}" for point in points)
    ticks = [(f"{100 * tick:.0f} %", _y(tick)) for tick in (0, 0.5, 1)]
    return {
        "points": points,
        "line": line,
        "ticks": ticks,
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
    }


def _y(value: float) -> float:
    return round(TOP + (1 - value) * (HEIGHT - TOP - BOTTOM), 1)
