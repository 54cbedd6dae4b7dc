"""What a trial costs beside the messages of its record."""

import pytest

from pytest_tau.clock import Clock
from pytest_tau.conversation.billing import Bill
from pytest_tau.conversation.turns import Role
from pytest_tau.errors import InfraError
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.retry import ProviderError
from pytest_tau.schema.messages import AnyMessage, ToolCall
from pytest_tau.schema.spending import Usage
from tests.builders import asks, mock, says

HALF, QUARTER = says("Half.", cost=0.5), says("A quarter.", cost=0.25)


class Endpoint:
    """What the agent of a trial has asked its models for."""

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = list(replies)
        self.failure: Exception | None = None
        self.unanswered = ""
        self.asked: list[str] = []
        self.clock: Clock | None = None

    def url(self) -> str:
        """Of nothing."""
        return ""

    def take_answers(self) -> list[ModelReply]:
        """Once each."""
        told, self.replies = self.replies, []
        return told

    def take_calls(self) -> list[list[ToolCall]]:
        """None."""
        return []

    def close(self) -> None:
        """Nothing is open."""


class Paid:
    """A player that tells what it has asked for."""

    def __init__(self, *replies: ModelReply) -> None:
        self.replies = replies

    def take_unbilled(self) -> tuple[ModelReply, ...]:
        """All of it."""
        return self.replies


def reply(cost: float | None, seconds: float = 1.0) -> ModelReply:
    usage = Usage(prompt_tokens=10, completion_tokens=5)
    return ModelReply(content="Yes.", tool_calls=[], cost=cost, seconds=seconds, usage=usage)


def test_replies_that_say_nothing_are_paid_for_by_the_message_after_them() -> None:
    bill = Bill(None)
    bill.said_nothing(HALF)
    assert bill.total([QUARTER], "assistant") == 0.75  # also if no message comes
    assert bill.with_attempts(QUARTER).cost == 0.75
    assert bill.with_attempts(QUARTER).cost == 0.25
    assert bill.total([QUARTER], "assistant") == 0.25


def test_each_side_pays_for_its_own_and_a_part_that_is_unknown_makes_the_sum_unknown() -> None:
    bill = Bill(None)
    bill.said_nothing(asks(None, cost=0.5))
    assert (bill.total([HALF], "assistant"), bill.total([HALF], "user")) == (0.5, 0.5)
    bill.said_nothing(asks(None, cost=None))
    assert (bill.total([HALF], "assistant"), bill.total([HALF], "user")) == (0.5, None)


def test_an_agents_own_calls_are_on_its_message_unless_it_says_itself_what_it_cost() -> None:
    endpoint = Endpoint(reply(0.5, 1.0), reply(0.25, 2.0))
    bill = Bill(endpoint)
    asked_user = asks("Hello.", cost=None)
    assert bill.with_its_calls(asked_user, []) is asked_user  # the customer has none
    told = bill.with_its_calls(says("Yes.", cost=None), [])
    assert (told.cost, told.generation_time_seconds) == (0.75, 3.0)
    assert told.usage == Usage(prompt_tokens=20, completion_tokens=10)
    silent = says("Yes.", cost=None)
    assert bill.with_its_calls(silent, []) is silent  # nothing was asked since
    endpoint.replies = [reply(0.5)]
    assert bill.with_its_calls(QUARTER, []) is QUARTER


def test_what_was_asked_for_a_reply_that_never_came_is_paid_for() -> None:
    endpoint = Endpoint(reply(0.5))
    endpoint.asked = ["openai/model"]
    bill = Bill(endpoint)
    assert (bill.total([], "user"), bill.total([], "assistant")) == (0.0, 0.5)  # whatever has kept it from coming
    roles: tuple[Role, ...] = ("user", "agent", "agent")
    for role in roles:
        bill.said_no_more(role, Paid(), InfraError("down"))
        assert (bill.total([], "user"), bill.total([], "assistant")) == (0.0, 0.5)
    assert bill.with_its_calls(says("At last.", cost=None), []).cost == 0.5
    assert bill.total([], "assistant") == 0.0


def test_what_a_player_has_asked_for_before_a_call_that_failed_is_paid_for() -> None:
    bill, failed = Bill(None), ProviderError("down", permanent=False)
    failed.spent = [QUARTER]
    bill.said_no_more("user", Paid(reply(0.5)), failed)
    assert (bill.total([], "user"), bill.total([], "assistant")) == (0.75, 0.0)


def test_who_never_got_to_a_message_may_have_asked_any_model() -> None:
    cases: list[tuple[list[AnyMessage], float | None]] = [([], None), ([HALF], 0.5), ([asks("Hello.")], None)]
    for said, cost in cases:
        bill = Bill(Endpoint())
        bill.said_no_more("agent", object(), InfraError("down"), said)
        assert bill.total(said, "assistant") == cost


def test_a_trial_whose_model_failed_does_not_count() -> None:
    endpoint = Endpoint()
    endpoint.failure = InfraError("the provider is down")
    with pytest.raises(InfraError, match="the provider is down"):
        Bill(endpoint).with_its_calls(says("Sorry."), [])


def test_searches_are_the_agents() -> None:
    bill = Bill(None)
    bill.add_search_costs(mock())  # which asks no models
    assert bill.total([HALF], "assistant") == 0.5


def test_a_bill_goes_on_as_a_copy_and_from_what_was_written_down() -> None:
    bill = Bill(None)
    bill.said_nothing(HALF)
    twin, other = bill.copy(), Bill(None)
    other.restore(bill.state())
    bill.said_nothing(QUARTER)
    assert [one.total([], "assistant") for one in (bill, twin, other)] == [0.75, 0.5, 0.5]
    assert other.state() == twin.state() != bill.state()
