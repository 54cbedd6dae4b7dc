"""What each task's grades are worth, found out once a task and process, beside its first trial.

Beside the score of an agent that is evaluated stands the trivial floor; ``--tau-audit`` tells all of the audit, and the
ini value ``tau_audit = off`` nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from ...errors import DomainError
from ...schema.record import TaskWorth
from ..run import Run
from .guarding import backstage
from .players import evaluates

if TYPE_CHECKING:
    from ..collecting.slot import Slot
    from .trial import TrialRequest

AUDITORS = "pytest_tau.auditors"
"""The entry point of the audit, which belongs to the workshop: a function of a task and its domain -> TaskWorth."""


def task_worth(request: TrialRequest) -> TaskWorth | None:
    """The audit of a trial's task, or its trivial floor; None when that stands on an earlier trial of this process."""
    run, slot = request.run, request.slot
    memo, key, in_full = slot.domain.memo, ("audit", slot.task.id), run.settings.audit
    if in_full is False or memo.get(key) is slot.task or not (in_full or _is_evaluated(run, slot)):
        return None
    memo[key] = slot.task
    try:
        with backstage(run, request.limits, "the audit", slot.task.id, slot.domain.name):
            return _once(slot, _audit if in_full else _floor)
    except DomainError as error:  # a tool that never returns
        return TaskWorth(findings=[f"the audit broke off: {error}"]) if in_full else None


def _is_evaluated(run: Run, slot: Slot) -> bool:
    """Whether the trial says something about somebody's agent, and under the conditions that trivial agents play in."""
    if slot.recording is not None:
        return not slot.recording.simulation.solo
    return run.settings.mode == "default" and run.one(evaluates)  # by now all of the project has been read


def _audit(slot: Slot) -> TaskWorth:
    (auditor,) = entry_points(group=AUDITORS, name="tau")
    try:
        worth: TaskWorth = auditor.load()(slot.task, slot.domain)
    except Exception as error:  # it plays a domain author's tools with arguments they never thought of
        return TaskWorth(findings=[f"the audit broke off: {type(error).__name__}: {error}"])
    return worth


def _floor(slot: Slot) -> TaskWorth | None:
    try:
        from ...diagnosis.trivial import trivial_passes  # which an agent that takes all files can keep from us

        return TaskWorth(trivial=list(trivial_passes(slot.task, slot.domain)), floor_only=True)
    except Exception:
        return None  # nobody asked for it: --tau-audit says what is wrong


def _once(slot: Slot, find: Callable[[Slot], TaskWorth | None]) -> TaskWorth | None:
    """What is found of a task, looked for once a process."""
    memo, key = slot.domain.memo, (find.__name__, slot.task.id)
    if key not in memo or memo[key][0] != slot.task:
        memo[key] = slot.task, find(slot)
    worth: TaskWorth | None = memo[key][1]
    return worth
