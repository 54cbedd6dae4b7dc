"""When a customer speaks out of turn, and when they leave; read off the conversation so far."""

from itertools import accumulate
from typing import Any

import pytest

from pytest_tau.conversation.customer import interruptions, out_of_patience
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.scenario import Patience, UserScenario
from tests.builders import a_call, asks, mock, result_of, says, u_call

LOOK, OTHER = a_call("get_users", "c1"), a_call("create_task", "c2")
FOUND: list[AnyMessage] = [says(None, LOOK), result_of(LOOK)]


def said(messages: list[AnyMessage], *interrupts: tuple[str, str]) -> list[str]:
    given: list[Any] = [{"after_call": call, "say": words} for call, words in interrupts]
    return list(interruptions(UserScenario.model_validate({"instructions": "Hi", "interrupts": given}), messages))


HURRY = ("get_users", "Hurry!")


class TestInterruptions:
    def test_after_the_first_success_of_a_call(self) -> None:
        assert said(FOUND, HURRY) == ["Hurry!"]
        assert said([*FOUND, *FOUND], HURRY) == []

    def test_a_call_that_failed_is_none(self) -> None:
        failed: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, error=True)]
        assert said(failed, HURRY) == []
        assert said([*failed, *FOUND], HURRY) == ["Hurry!"]

    def test_only_while_the_agent_works(self) -> None:
        assert said([*FOUND, says("There are three.")], HURRY) == []
        assert said([says(None, LOOK)], HURRY) == []
        assert said([], HURRY) == []

    def test_the_customers_own_calls_do_not_count(self) -> None:
        own = u_call("get_users")
        assert said([asks(None, own), result_of(own)], HURRY) == []

    def test_of_several_calls_in_one_message_each_counts_in_the_scenarios_order(self) -> None:
        both: list[AnyMessage] = [says(None, LOOK, OTHER), result_of(LOOK), result_of(OTHER)]
        assert said(both, ("create_task", "B"), ("get_users", "A"), ("nothing", "C")) == ["B", "A"]
        one_failed: list[AnyMessage] = [says(None, LOOK, OTHER), result_of(LOOK, error=True), result_of(OTHER)]
        assert said(one_failed, ("create_task", "B"), ("get_users", "A")) == ["B"]

    def test_each_is_said_once_in_a_conversation(self) -> None:
        whole: list[AnyMessage] = [asks("Hi"), *FOUND, says("Well"), *FOUND, says("Bye")]
        begun = accumulate(([message] for message in whole), lambda before, more: before + more)
        assert [words for messages in begun for words in said(messages, HURRY)] == ["Hurry!"]


class TestPatience:
    @pytest.mark.parametrize(("turns", "leaves"), [(1, True), (2, True), (3, False)])
    def test_messages_of_the_customer_are_counted(self, turns: int, leaves: bool) -> None:
        messages: list[AnyMessage] = [asks("a"), says("b"), asks("c"), asks(None, u_call()), says("d")]
        assert out_of_patience(Patience(turns=turns), messages, mock().environment()) is leaves

    def test_virtual_seconds_are_counted(self) -> None:
        env = mock().environment()
        assert not out_of_patience(Patience(seconds=1.0), [], env)
        assert out_of_patience(Patience(seconds=1.0), FOUND, env)
        assert not out_of_patience(Patience(seconds=1000.0), FOUND, env)

    def test_whichever_comes_first(self) -> None:
        env = mock().environment()
        assert out_of_patience(Patience(turns=1, seconds=1000.0), [asks("a")], env)
        assert out_of_patience(Patience(turns=9, seconds=1.0), FOUND, env)
        assert not out_of_patience(Patience(), [asks("a")] * 50, env)
