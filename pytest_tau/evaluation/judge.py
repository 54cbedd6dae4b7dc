"""NL_ASSERTION: statements about the conversation that only a judge can decide."""

from __future__ import annotations

from ..schema.reward import Check, CriterionResult
from ..schema.task import Task


def judge(task: Task, *, in_basis: bool) -> CriterionResult:
    """Without a judge every assertion stays open, and with it the criterion; an empty list of them is met."""
    criteria = task.evaluation_criteria
    wanted = (criteria.nl_assertions if criteria else None) or []
    checks = [Check(name=assertion, met=None, explanation="needs a judge") for assertion in wanted]
    return CriterionResult(
        criterion="NL_ASSERTION",
        value=None if checks else 1.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No nl_assertions to evaluate",
    )
