"""One task of the mock domain, played well and played badly."""

from functools import cache
from typing import Any

from pytest_tau import grade, simulate
from pytest_tau.agents.oracle import Oracle
from pytest_tau.schema.messages import AssistantMessage
from tau_workshop.dataset.labels import Labelled, label
from tests.builders import core, mock

TASK = next(task for task in core("mock") if task.id == "add_a_task")
# Where the task is created, and where the agent says goodbye.
WRITE, LAST = 8, 10


class Slips(Oracle):
    """The oracle that gives the new task another title."""

    def reply(self, messages: list[Any]) -> AssistantMessage:
        """The oracle's message, with another title."""
        message = super().reply(messages)
        calls = [
            call.model_copy(update={"arguments": {**call.arguments, "title": "Park"}})
            if "title" in call.arguments
            else call
            for call in message.tool_calls or []
        ]
        return message.model_copy(update={"tool_calls": calls or None})


@cache
def well(*, solo: bool = False, gold: bool = True) -> Labelled:
    """Passed, by the oracle; ``gold``: it is said that the oracle played."""
    simulation = simulate(TASK, mock(), solo=solo)
    return label(TASK, simulation, grade(TASK, simulation, mock()), mock(), oracle=gold)


@cache
def badly() -> Labelled:
    """Missed, by another title."""
    simulation = simulate(TASK, mock(), lambda context: Slips(TASK, context))
    return label(TASK, simulation, grade(TASK, simulation, mock()), mock())
