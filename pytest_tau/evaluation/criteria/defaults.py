"""Which TRAJECTORY checks hold for a task: its own, and those that its domain makes by itself."""

from __future__ import annotations

from collections.abc import Sequence

from ...environment.domain import Domain
from ...schema.checks import Confirmed, Identified, TrajectoryCheck
from ...schema.task import Task


def checks_for(task: Task, domain: Domain) -> list[tuple[TrajectoryCheck, bool]]:
    """The checks of a task, each with whether the domain makes it by itself.

    A check of the domain is left out where the task names its kind in ``without``, or has one of the same kind. A
    task's ``confirmed`` without names is about the tools that the domain's is about.
    """
    criteria, own = task.evaluation_criteria, task.own_checks
    without = set((criteria.without if criteria else None) or []) | {check.check for check in own}
    defaults = domain.spec.default_checks
    names = next((check.names for check in defaults if isinstance(check, Confirmed)), None)
    for position, check in enumerate(own):
        if isinstance(check, Confirmed) and check.names is None and names is not None:
            own[position] = check.model_copy(update={"names": names})
    return [(check, False) for check in own] + [(check, True) for check in defaults if check.check not in without]


def identifying(checks: Sequence[TrajectoryCheck]) -> list[str]:
    """The tools that tell who the customer is, as the first ``identified`` says; none where the customer says it."""
    return next((list(check.by or []) for check in checks if isinstance(check, Identified)), [])
