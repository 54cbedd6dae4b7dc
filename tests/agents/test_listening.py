"""An agent that takes ids from what it hears: on the telephone it reads them back, and who writes is not asked."""

from typing import Any

import pytest

from pytest_tau.agents.listening import Listening
from pytest_tau.schema.messages import AnyMessage, AssistantMessage
from pytest_tau.schema.task import Task
from tests.builders import a_call, action, asks, says

CANCEL = a_call("cancel_pending_order", order_id="#W2908414")


class Cancels:
    """Knows what to do, and does it at once."""

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        return says(None, CANCEL)


def listening() -> Listening:
    told: dict[str, Any] = {"domain": "retail", "reason_for_call": "Please cancel #W2908414.", "task_instructions": ""}
    criteria = {"actions": [action("cancel_pending_order", order_id="#W2908414")]}
    fields = {"id": "t", "domain": "retail", "user_scenario": {"instructions": told}, "evaluation_criteria": criteria}
    return Listening(Cancels(), Task.model_validate(fields), 1, confirms=True)


@pytest.mark.parametrize(
    "written", ["Please cancel #W2908414.", "Cancel my last order, please. The zip code is 37969."]
)
def test_who_writes_is_not_asked_to_spell(written: str) -> None:
    assert listening().reply([asks(written)]).tool_calls == [CANCEL]


def test_what_is_heard_is_read_back_before_it_is_used() -> None:
    agent = listening()
    heard: list[AnyMessage] = [asks("please cancel double-u two nine oh eight four one five")]
    question = agent.reply(heard)
    assert question.content == "For the order number I have #W2908415. Is that right?"
    heard += [question, asks("no it is double-u two nine oh eight four one four")]
    again = agent.reply(heard)
    assert again.content == "For the order number I have #W2908414. Is that right?"
    assert agent.reply([*heard, again, asks("yes that is right")]).tool_calls == [CANCEL]
