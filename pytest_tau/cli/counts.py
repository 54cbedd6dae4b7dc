"""Passes and graded trials by task, from whatever a command is given: a run or a baseline."""

from __future__ import annotations

from pathlib import Path


def counts_of(given: str) -> dict[str, tuple[int, int]]:
    """(passed, graded) by task, from a run or a baseline."""
    if given.endswith(".json"):
        from ..metrics.baseline import load_baseline

        return load_baseline(Path(given)).counts()
    from ..journal import load_journal

    counts: dict[str, tuple[int, int]] = {}
    for record in load_journal(given):
        if record.outcome in ("passed", "missed"):
            key = f"{record.domain}/{record.task_id}"
            passed, graded = counts.get(key, (0, 0))
            counts[key] = (passed + (record.outcome == "passed"), graded + 1)
    return counts
