"""Agreements that no rule can tell: asked of the judge with the turns that matter, decided by most votes."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau import InfraError, grade
from pytest_tau.evaluation.judges.asking import ASKS
from pytest_tau.evaluation.judges.consent_judge import Agreements, unclear_calls
from pytest_tau.evaluation.judges.nl_assertions import Judge
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Simulation
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, says, task
from tests.fake_model import FakeModel, Told

PLAYED = task(
    criteria={
        "actions": [action("create_task", **CREATE)],
        "trajectory": [{"check": "confirmed"}],
        "reward_basis": ["DB", "TRAJECTORY"],
    }
)
CREATED = a_call("create_task", **CREATE)


def conversation(last: str = "Wie Sie meinen.") -> Simulation:
    said: list[AnyMessage] = [
        says("Hi!"),
        asks("Bitte tragen Sie Buy stamps ein."),
        says("I will add 'Buy stamps'. Shall I?"),
        asks(last),
    ]
    return finished([*said, *played_calls(mock(), CREATED), says("It is on your list."), asks("###STOP###")])


def told(agreed: Any) -> str:
    return json.dumps({"reasoning": "the customer  leaves it to the agent", "agreed": agreed})


def decided(*answers: Told, votes: int = 1) -> Agreements:
    return asyncio.run(Judge(FakeModel(*answers), votes).agreements(PLAYED, conversation(), mock()))


def test_what_no_rule_can_tell_is_no_miss_and_counted() -> None:
    reward = grade(PLAYED, conversation(), mock())
    assert (reward.passed, reward.unclear) == (True, 1)
    assert [turn for turn, _ in unclear_calls(PLAYED, conversation(), mock())] == [4]


@pytest.mark.parametrize("agreed", [True, False])
def test_the_judges_word_counts_and_stands_in_the_record(agreed: bool) -> None:
    reward = grade(PLAYED, conversation(), mock(), agreed=decided(told(agreed)))
    result = reward.result("TRAJECTORY")
    assert result is not None
    assert (reward.passed, reward.unclear) == (agreed, 0)
    assert "leaves it to the agent" in result.checks[0].explanation
    assert result.judgement is not None
    assert (result.judgement.model, result.judgement.votes, result.judgement.cost) == ("fake/model", 1, 0.25)


def test_it_is_shown_the_call_and_what_was_said_before_it() -> None:
    model = FakeModel(told(True))
    asyncio.run(Judge(model).agreements(PLAYED, conversation(), mock()))
    shown = json.loads(model.chats[0][1]["content"])
    assert shown["call"] == {"name": "create_task", "arguments": CREATE}
    assert [turn["turn"] for turn in shown["turns"]] == [0, 1, 2, 3]


def test_most_votes_decide() -> None:
    found = decided(told(True), told(False), told(True), votes=3)
    assert [agreed for agreed, _ in found.decided.values()] == [True]


@pytest.mark.parametrize("answer", ["no idea", told("perhaps"), InfraError("down")])
def test_without_an_answer_it_stays_unclear(answer: Told) -> None:
    found = decided(answer)
    assert found.decided == {}
    assert grade(PLAYED, conversation(), mock(), agreed=found).unclear == 1


def test_an_unreadable_answer_is_asked_for_again() -> None:
    model = FakeModel("what?", told(True))
    asyncio.run(Judge(model).agreements(PLAYED, conversation(), mock()))
    assert len(model.chats) == 2 <= ASKS


def test_where_nothing_is_unclear_nobody_is_asked() -> None:
    model = FakeModel(told(False))
    clear = conversation("Yes, please.").model_copy(update={"messages": conversation("Yes, please.").messages[2:]})
    assert asyncio.run(Judge(model).agreements(PLAYED, clear, mock())) == Agreements()
    assert model.chats == []
