"""A model's words about a miss: what it is shown, what becomes of its answer, and who pays when it gives none."""

import asyncio
import json

import pytest

from pytest_tau import InfraError, Task, grade, load_domain
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.evaluation.explain import LONGEST, PROMPT_VERSION, explain_fault
from pytest_tau.evaluation.judges.asking import ASKS
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.record import Fault
from tests.builders import asks, finished, says, task
from tests.fake_model import FakeModel

MOCK = load_domain("mock")
GOLD = {"action_id": "1", "name": "create_task", "arguments": {"user_id": "user_1", "title": "Tea"}}
MISSED: Task = task(evaluation_criteria={"actions": [GOLD], "reward_basis": ["DB"]})
TALK: list[AnyMessage] = [says("Hi!"), asks("A task, please."), says("No."), asks("Bye ###STOP###")]


def explained(model: FakeModel) -> Fault:
    simulation = finished(TALK, seed=5)
    reward = grade(MISSED, simulation, MOCK)
    fault = find_fault(MISSED, simulation, reward, MOCK)
    assert fault is not None
    assert fault.explanation is None
    return asyncio.run(explain_fault(model, None, MISSED, simulation, reward, fault, MOCK))


def test_its_words_stand_behind_the_fault() -> None:
    fault = explained(FakeModel("It refused\n  what the policy allows."))
    assert fault.explanation == "It refused what the policy allows."
    assert str(fault).startswith("premature end: ")
    assert str(fault).endswith("; fake/model explains: It refused what the policy allows.")


def test_who_said_it_and_at_what_price() -> None:
    by = explained(FakeModel("", "It refused.")).explained_by
    assert by is not None
    assert (by.model, by.prompts, by.votes, by.cost) == ("fake/model", PROMPT_VERSION, 1, 0.5)


def test_what_it_is_shown() -> None:
    model = FakeModel("It refused.")
    explained(model)
    shown = json.loads(str(model.chats[0][1]["content"]))
    assert shown["policy"] == MOCK.policy
    assert shown["scenario"] == MISSED.user_scenario.render()
    assert shown["right"] == ['assistant: create_task(user_id="user_1", title="Tea")']
    assert [found["criterion"] for found in shown["found"]] == ["DB"]
    assert shown["fault"].startswith("premature end: ")
    assert shown["conversation"][2] == {"turn": 2, "from": "agent", "says": "No."}


@pytest.mark.parametrize("silent", ["", " \n"])
def test_silence_is_asked_again_and_then_let_be(silent: str) -> None:
    model = FakeModel(silent)
    fault = explained(model)
    assert (fault.explanation, len(model.asked)) == (None, ASKS)
    assert "explains" not in str(fault)


def test_a_provider_that_fails_leaves_the_fault_and_the_bill() -> None:
    fault = explained(FakeModel("", InfraError("down")))
    assert fault.explanation is None
    assert fault.explained_by is not None
    assert (fault.explained_by.votes, fault.explained_by.cost) == (0, 0.25)


def test_a_flood_of_words_is_cut_and_what_no_file_holds_is_replaced() -> None:
    text = explained(FakeModel("word " * 1000)).explanation or ""
    assert (len(text), text[-2:]) == (LONGEST, " …")
    text = explained(FakeModel("half a character: \ud83d")).explanation or ""
    assert text.encode().startswith(b"half a character: ")
