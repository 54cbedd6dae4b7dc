"""What a trial of a journal counts as: which facts of it, and in which row of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .totals import Totals, TrialFacts

# A trial's node ID: its test, what else that is parametrized with, its trial.
TRIAL = re.compile(r"(?P<task>(?P<test>.+?::(?:\w+::)*\w+)\[(?P<ids>.*-)?)trial[1-9]\d*\]$", re.DOTALL)


def row_of(found: re.Match[str], trial: TrialFacts) -> str:
    """In which row of the table a trial counts: its domain's, with what else a test is parametrized with.

    Trials of different agents, or of different tests, are no repetitions of each other.
    """
    path, _, test = found["test"].partition("::")
    parts = [trial.domain] if path.endswith((".json", ".jsonl")) else [trial.domain, test]
    others = (found["ids"] or "").removesuffix("-").removesuffix(trial.task_id).removesuffix("-")
    return ", ".join([*parts, others] if others else parts)


def tally(trials: Iterable[dict[str, Any]], k: int) -> Totals:
    """The totals of a whole run; ``k``: how many trials of each task in a task file it was to have."""
    totals = Totals()
    for content in trials:
        trial, found = TrialFacts.of(content), TRIAL.match(content["nodeid"])
        if found:
            trial = replace(trial, domain=row_of(found, trial))
        is_new = (trial.domain, trial.task_id) not in totals.tasks
        # How many trials a test in Python has stands in its marker.
        if is_new and content["nodeid"].partition("::")[0].endswith(".json"):
            totals.plan(trial.domain, trial.task_id, k)
        totals.add(trial)
    return totals
