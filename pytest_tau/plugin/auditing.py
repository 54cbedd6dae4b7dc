"""``--tau-audit``: what each task's grades are worth, found out once a task and process, beside its first trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .options import settings

if TYPE_CHECKING:
    from ..schema.record import TaskWorth
    from .collection import Slot


def task_worth(config: pytest.Config, slot: Slot) -> TaskWorth | None:
    """The audit of a trial's task; None when it was not asked for, or stands on an earlier trial of this process."""
    memo, key = slot.domain.memo, ("audit", slot.task.id)
    if not settings(config).audit or memo.get(key) is slot.task:
        return None
    memo[key] = slot.task
    from ..generation.audit import audit_task
    from ..schema.record import TaskWorth

    try:
        found = audit_task(slot.task, slot.domain)
    except Exception as error:  # it plays a domain author's tools with arguments they never thought of
        return TaskWorth(findings=[f"the audit broke off: {type(error).__name__}: {error}"])
    mutation = found.mutation
    return TaskWorth(trivial=found.trivial, mutants=mutation.made, noticed=mutation.killed, findings=found.findings)
