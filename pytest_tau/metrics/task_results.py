"""The tasks of a run as gates look at them, and what a gate makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .compare import Comparison
from .gate import Gate
from .shared_tasks import shared_task
from .totals import Totals


class GateState(StrEnum):
    """What became of a gate."""

    HELD = "held"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class TaskResult:
    """A task's trials: how many were planned, have a verdict, and passed; USD of all and of the dearest, None: unknown.

    ``replays``: how often one of them was played again after it had ended without a verdict. ``measured``: what
    scores have read off its trials, by their names. ``variant``: its label, where the task was told or shown otherwise;
    ``mutant``: whether that was under a changed policy. ``in_vain``: USD of trials that ended without a verdict.
    """

    domain: str
    task_id: str
    passed: int
    graded: int
    planned: int
    cost: float | None = 0.0
    dearest: float | None = 0.0
    replays: int = 0
    measured: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    variant: str = ""
    mutant: bool = False
    in_vain: float = 0.0

    @property
    def key(self) -> str:
        """The task's name in messages and baselines."""
        return f"{self.domain}/{self.task_id}"

    @property
    def about(self) -> tuple[str, str]:
        """The task, which other rows may be about as well."""
        return shared_task(self.domain, self.task_id)

    @property
    def missing(self) -> int:
        """Planned trials without a verdict."""
        return self.planned - self.graded

    def counts(self, *, missing_pass: bool = False) -> tuple[int, int]:
        """(passed, planned), where those without a verdict have missed, or passed."""
        return self.passed + self.missing * missing_pass, self.planned


@dataclass(frozen=True)
class GateResult:
    """A gate's state and one sentence with the numbers; ``comparison`` for those with a baseline."""

    gate: Gate
    state: GateState
    explanation: str
    comparison: Comparison | None = None


def results_of(totals: Totals) -> list[TaskResult]:
    """The tasks of a run as gates look at them."""
    return [
        TaskResult(
            domain,
            task_id,
            task.passed,
            task.graded,
            task.to_play,
            task.cost,
            task.dearest,
            task.replays,
            {name: tuple(values) for name, values in task.measured.items()},
            totals.variant_of(domain),
            totals.is_mutant(domain),
            task.in_vain,
        )
        for (domain, task_id), task in totals.tasks.items()
    ]
