"""What a check of the trajectory says of calls in mock."""

from typing import Any

from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, mock, result_of, says, task

WRITE = a_call("create_task", **CREATE)
WRITTEN: list[AnyMessage] = [says(None, WRITE), result_of(WRITE)]
LOOK = a_call("get_users")
LOOKED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "user_1")]
FAILED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "Error: x", error=True)]
CONFIRMED = {"check": "confirmed"}


def run(messages: list[AnyMessage], check: dict[str, Any], *, solo: bool = False) -> tuple[Any, str]:
    played = task(criteria={"trajectory": [check]})
    found, *_ = trajectory(played, messages, in_basis=True, solo=solo, env=mock().environment(solo=solo)).checks
    return found.met, found.explanation
