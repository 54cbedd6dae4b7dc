"""Conversations of the mock domain that miss, and their faults."""

from typing import Any

from pytest_tau import grade
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.record import Fault
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, says, task

ADD = action("create_task", **CREATE)
DONE = action("update_task_status", task_id="task_1", status="completed")
AGAIN = action("update_task_status", task_id="task_1", status="pending")
CREATED = a_call("create_task", **CREATE)
COMPLETED = a_call("update_task_status", id="c2", task_id="task_1", status="completed")
PROPOSED: list[AnyMessage] = [asks("Add it."), says("I will add the task. Do you confirm (yes/no)?")]


def fault(criteria: dict[str, Any], *messages: AnyMessage, **fields: Any) -> Fault:
    """The fault of a conversation that misses."""
    played, sim = task(criteria=criteria, **fields), finished([says("Hi!"), *messages, asks("###STOP###")])
    reward = grade(played, sim, mock())
    assert reward.value == 0.0
    found = find_fault(played, sim, reward, mock())
    assert found is not None
    return found


def calls(*made: Any) -> list[AnyMessage]:
    return played_calls(mock(), *made)
