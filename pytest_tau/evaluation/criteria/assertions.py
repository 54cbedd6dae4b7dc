"""ENV_ASSERTION: methods of the toolkits that must hold after the conversation."""

from __future__ import annotations

from ...environment.environment import Environment
from ...schema.calls import EnvAssertion
from ...schema.reward import Check, CriterionResult
from ...schema.task import Task


def assertions(task: Task, env: Environment, *, in_basis: bool) -> CriterionResult:
    """Run each assertion on the state reached. One that raises is not met, and says why."""
    criteria = task.evaluation_criteria
    checks = [_check(env, assertion) for assertion in (criteria.env_assertions if criteria else None) or []]
    return CriterionResult(
        criterion="ENV_ASSERTION",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No env assertions to evaluate",
    )


def _check(env: Environment, assertion: EnvAssertion) -> Check:
    try:
        met = env.check(assertion)
        explanation = "" if met else (assertion.message or "does not hold")
    except Exception as error:
        met, explanation = False, f"{type(error).__name__}: {error}"
    return Check(name=str(assertion), met=met, explanation=explanation)
