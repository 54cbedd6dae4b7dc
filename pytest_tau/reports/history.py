"""Earlier runs like this one, from the manifests in a results folder: a small trend of pass^1 by run and commit.

Alike are runs of the same tasks, agent, customer and settings: a line through others would show no trend.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import RecordingError
from ..manifest import GRADED_AGAIN, RESULT, Manifest, content_hash, load_manifest
from ..metrics.totals import Totals
from ..printable import count_of

SHOWN = 20
# Settings in which runs that are alike may differ: which tasks were played is noted, pass^1 is of tasks as they are.
_MAY_DIFFER = ("seed", "split", "perturb", "faults")
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
    totals = totals.without_variants()
    found = totals.pass_hat(None)
    if not found:
        return ""
    first = found[0]
    return json.dumps(
        {
            "domains": sorted(totals.domains()),
            "agent": ", ".join(sorted(totals.agents)),
            "user": ", ".join(sorted(totals.users)),
            "pass^1": [round(first.value, 6), round(first.low, 6), round(first.high, 6)],
            "tasks": first.tasks,
            "suite": content_hash(sorted(totals.tasks)),
        },
        ensure_ascii=False,
    )


def history(run: Path) -> list[Past]:
    """A run and the latest ones like it in its results folder, the oldest first.

    A run that says nothing about itself, or whose manifest cannot be read, is left out.

    Args:
        run: the folder of the run.
    """
    found: list[Past] = []
    try:
        wanted = _kind(load_manifest(run))
    except RecordingError:
        return found
    for folder in sorted(run.parent.iterdir(), reverse=True):
        if len(found) == SHOWN:
            break
        if folder.is_symlink() or not folder.is_dir():
            continue
        try:
            manifest = load_manifest(folder)
        except RecordingError:
            continue
        if wanted == _kind(manifest) and (past := _past(manifest)):
            found.append(past)
    return found[::-1]


def _kind(manifest: Manifest) -> tuple[Any, ...]:
    """What is the same in runs that are alike."""
    try:
        result = json.loads(manifest.about.get(RESULT, ""))
        told = [result.get(name) for name in ("domains", "agent", "user", "tasks", "suite")]
    except (ValueError, RecursionError, AttributeError):
        told = []
    options = {name: value for name, value in manifest.options.items() if name not in _MAY_DIFFER}
    return told, options, manifest.shard, manifest.about.get(GRADED_AGAIN)


def _past(manifest: Manifest) -> Past | None:
    try:
        result: Any = json.loads(manifest.about.get(RESULT, ""))
        value, low, high = (float(number) for number in result["pass^1"])
        if not 0 <= low <= value <= high <= 1:
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
        told = f"{run.began.replace('T', ' ')}: {100 * run.value:.1f} % of {count_of(run.tasks, 'tasks')}, {run.agent}"
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
