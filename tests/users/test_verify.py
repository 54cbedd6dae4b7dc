"""A customer under supervision."""

import pytest

from pytest_tau import simulate
from pytest_tau.errors import InfraError
from pytest_tau.schema.messages import UserMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.verify import ATTEMPTS, verify_user
from tests.builders import mock, says, task, u_call, user_context
from tests.fake_model import FakeModel, Told, ask, reply

GREETED = [says("Hi!")]


def said(*told: Told) -> tuple[UserMessage, FakeModel]:
    model = FakeModel(*told)
    return ask(verify_user(model)(user_context(task())), GREETED), model


def test_a_satisfactory_response() -> None:
    found, model = said("Hello", "True")
    assert (found.content, found.cost) == ("Hello", 0.5)
    (question,) = model.chats[1]
    assert "<response>\nHello\n</response>" in question["content"]
    assert "<transcript>\nAgent: Hi!\n</transcript>" in question["content"]
    assert "Please help me." in question["content"]


@pytest.mark.parametrize("verdict", ["false", "Not true: false.", "I cannot say", "", "untrue"])
def test_another_try_at_the_same_chat(verdict: str) -> None:
    found, model = said("Hello", verdict, "Good day", "I think it is true.")
    assert (found.content, found.cost) == ("Good day", 1.0)
    assert model.chats[2] == model.chats[0]
    assert model.seeds[2] != model.seeds[0]


def test_the_last_try_stands() -> None:
    found, model = said("a", "false", "b", "false", "c")
    assert found.content == "c"
    assert len(model.asked) == 2 * ATTEMPTS - 1


@pytest.mark.parametrize("told", [u_call(), reply(None, problem="empty")])
def test_what_is_no_text_is_not_supervised(told: Told) -> None:
    assert len(said(told)[1].asked) == 1


def test_what_was_said_is_paid_for_where_its_supervisor_fails() -> None:
    verified = verify_user(FakeModel("Hello", InfraError("down")))
    trial = simulate(task(), mock(), "noop", verified)
    assert (trial.termination_reason, trial.user_cost) == (Termination.INFRASTRUCTURE_ERROR, 0.25)
