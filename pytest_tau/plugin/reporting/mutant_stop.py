"""Ends the trials of a rule of ``--tau-policy-mutants`` once what the agent makes of it is decided.

Who plays looks into one file in the run's folder before a trial under a changed policy begins; workers on other
machines do not see it and play all of theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import reason
from ...manifest import save_rules_decided
from ...metrics.policy_mutants import weigh
from ...metrics.score import plain_row
from ..run import Run

_VERDICT = {"passed": True, "missed": False}


class MutantStop:
    """Takes in how trials end, and says which edits need no more of them."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._ends: dict[str, dict[str, list[bool]]] = {}
        self._rows: dict[str, dict[str, str]] = {}  # by edit: the row of its trials, and the row of those as they are
        self._decided: set[str] = set()
        self.spared: Counter[str] = Counter()  # trials not played because their rule is decided, by test
        self.problem: str | None = None

    def add(self, row: str, task_id: str, variant: Mapping[str, Any] | None, outcome: str) -> None:
        """A trial has ended."""
        passed = _VERDICT.get(outcome)
        edit = str((variant or {}).get("policy") or "")
        if passed is None or (variant is not None and not edit):
            return
        self._ends.setdefault(row, {}).setdefault(task_id, []).append(passed)
        if edit:
            self._rows.setdefault(edit, {})[row] = plain_row(row, str((variant or {}).get("label", "")))
        decided = {one for one in self._edits_of(row, edit) if self._is_decided(one)} - self._decided
        if decided:
            self._decided |= decided
            try:
                save_rules_decided(self._run.folder, sorted(self._decided))
            except OSError as error:
                self.problem = f"Rules could not be noted as decided: {reason(error)}."

    def _edits_of(self, row: str, edit: str) -> Iterator[str]:
        """The edits that a trial tells of."""
        if edit:
            yield edit
        else:
            yield from (one for one, rows in self._rows.items() if row in rows.values())

    def _is_decided(self, edit: str) -> bool:
        """Whether no row needs more trials under an edit."""
        return all(
            weigh(
                {task: (self._ends.get(plain, {}).get(task, ()), ends) for task, ends in self._ends[row].items()}
            ).outcome
            != "undecided"
            for row, plain in self._rows[edit].items()
        )
