"""What a check of the trajectory says of some messages."""

from typing import Any

from pytest_tau.environment.environment import Environment
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Check
from tests.builders import a_call, result_of, says, task

LOOK = a_call("look", order_id="O1")
LOOKED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, '{"status": "used"}')]
FAILED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "Error: x", error=True)]
EVIDENCE = {"check": "evidence", "name": "look", "shows": "used"}
REASON = {"check": "reason", "any_of": ["it was used", ["too", "late"]]}


def run(
    messages: list[AnyMessage], *checks: dict[str, Any], solo: bool = False, env: Environment | None = None
) -> list[Check]:
    graded = task(criteria={"trajectory": list(checks)})
    found = trajectory(graded, messages, in_basis=True, solo=solo, env=env, by_domain=False)
    assert found.value == float(all(check.met for check in found.checks))
    return found.checks


def only(
    messages: list[AnyMessage],
    check: dict[str, Any],
    *others: dict[str, Any],
    solo: bool = False,
    env: Environment | None = None,
) -> tuple[Any, str]:
    first = run(messages, check, *others, solo=solo, env=env)[0]
    return first.met, first.explanation
