"""What players are and reply, as what a conversation is made of."""

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.agents.noop import Noop
from pytest_tau.conversation.replies import (
    LONGEST,
    MOST_CALLS,
    as_message,
    cost,
    is_ours,
    now,
    parameters,
    player,
    stamp,
)
from pytest_tau.conversation.turns import Role
from pytest_tau.errors import AgentFault, PlayerError
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall
from tests.builders import Lines, a_call, asks, result_of, says, u_call


def test_a_factory_makes_a_player_or_a_function() -> None:
    lines = Lines(["Hello."])
    assert player(lambda context: lines, None, "agent") is lines
    made = player(lambda context: lambda messages: f"{context} {len(messages)}", "seen", "user")
    assert made.reply([says("Hi!")]) == "seen 1"


@pytest.mark.parametrize(
    ("maker", "ours"), [(Noop, True), (partial(Noop), True), (says, False), (partial(says), False)]
)
def test_a_player_is_ours_under_whatever_name_its_factory_goes(maker: Callable[..., Any], ours: bool) -> None:
    assert is_ours(maker) is ours


def test_what_a_factory_returns_else_is_told_with_its_name() -> None:
    def agency(context: Any) -> int:
        return 3

    with pytest.raises(PlayerError, match=r"the agent factory \S*agency returned 3; it must return an object with "):
        player(agency, None, "agent")


class Bare:
    """Its author has not read what a factory is called with."""


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (Bare, r"the agent factory Bare cannot be called with the trial's context: Bare\(\) takes no arguments$"),
        (
            lambda: "Hello.",
            r"the agent factory \S+ cannot be called with the trial's context: .* takes 0 pos",
        ),
        (lambda messages, tools: "Hello.", r"the agent factory .* missing 1 required positional argument: 'tools'$"),
    ],
)
def test_a_factory_that_takes_something_else_than_the_context_is_told_so(factory: Any, sentence: str) -> None:
    with pytest.raises(PlayerError, match=sentence):
        player(factory, "context", "agent")


def test_a_mistake_inside_a_factory_keeps_its_traceback() -> None:
    def own(context: Any) -> Any:
        return Bare(context)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match=r"Bare\(\) takes no arguments") as raised:
        player(own, "context", "agent")
    assert not isinstance(raised.value, PlayerError)


@pytest.mark.parametrize("role", ["agent", "user"])
def test_a_text_is_a_message_of_its_side_and_nothing_an_empty_one(role: Role) -> None:
    side = "assistant" if role == "agent" else "user"
    for text in ("Hello.", None):
        message = as_message(text, role, None)
        assert (message.role, message.content, message.tool_calls) == (side, text, None)


def test_a_message_is_taken_as_it_is_and_its_calls_are_its_sides() -> None:
    whole = says("Hi!", a_call())
    assert as_message(whole, "agent", None) == whole
    [call] = as_message(asks(None, a_call()), "user", None).tool_calls or []
    assert (call.requestor, call.name) == ("user", "get_users")
    own = asks(None, u_call())
    assert as_message(own, "user", None) == own


def test_what_a_player_does_to_its_call_later_changes_nothing() -> None:
    mine = ToolCall(name="x", arguments={"name": "a"})
    message = as_message(says(None, mine), "agent", None)
    mine.arguments["name"] = "b"
    [call] = message.tool_calls or []
    assert call.arguments == {"name": "a"}


def unchecked(**fields: Any) -> AssistantMessage:
    """A message that pydantic has not looked at."""
    return AssistantMessage.model_construct(**fields)


def changed() -> AssistantMessage:
    """A message whose arguments were changed since it was made."""
    call = a_call()
    call.arguments["n"] = 10**5000
    return says(None, call)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (changed(), "tool_calls.0.arguments: Value error, a number of more than 4300 digits"),
        (AssistantMessage(content="a", raw_data={"n": 10**5000}), "raw_data: a number of more than 4300 digits"),
        (AssistantMessage(content="a", raw_data={"x": {(1, 2): 3}}), "raw_data: keys must be str, "),
        (unchecked(content=5), "content: Input should be a valid string"),
        (unchecked(content=None, tool_calls="x"), "tool_calls: Input should be a valid list"),
        (unchecked(content=None, tool_calls=["x"]), "tool_calls.0: Input should be an object"),
        (unchecked(content="a", cost=-1.0), "cost: Input should be greater than or equal to 0"),
    ],
)
def test_a_message_that_holds_what_no_message_does_is_refused(reply: AssistantMessage, problem: str) -> None:
    with pytest.raises(PlayerError, match=rf"Lines.reply\(\) returned a broken AssistantMessage: {problem}"):
        as_message(reply, "agent", Lines([]))


@pytest.mark.parametrize(
    ("reply", "role", "sentence"),
    [
        (3, "agent", r"Lines.reply\(\) returned int; return AssistantMessage or str"),
        (asks("Hi!"), "agent", r"Lines.reply\(\) returned UserMessage; return AssistantMessage or str"),
        (says("Hi!"), "user", r"Lines.reply\(\) returned AssistantMessage; return UserMessage or str"),
    ],
)
def test_what_is_no_message_of_its_side_is_refused(reply: Any, role: Role, sentence: str) -> None:
    with pytest.raises(PlayerError, match=sentence):
        as_message(reply, role, Lines([]))


def test_what_a_player_says_of_its_model_is_kept_without_keys() -> None:
    told = SimpleNamespace(parameters={"temperature": 0, "api_key": "sk-test-0123456789abcdef"})
    assert parameters(told) == {"temperature": 0}
    assert parameters(SimpleNamespace(parameters=["layer"])) == parameters(None) == {}


def test_a_message_keeps_what_it_says_of_its_time() -> None:
    fresh = stamp(says("Hi!"), turn=3, seconds=1.23456789)
    assert (fresh.turn_idx, fresh.generation_time_seconds) == (3, 1.234568)
    assert fresh.timestamp is not None
    assert datetime.fromisoformat(fresh.timestamp) <= datetime.fromisoformat(now())
    said = says("Hi!").model_copy(update={"timestamp": "then", "generation_time_seconds": 9.0})
    kept = stamp(said, turn=1, seconds=2.0)
    assert (kept.timestamp, kept.generation_time_seconds, kept.turn_idx) == ("then", 9.0, 1)


def test_the_time_is_the_local_one_to_the_microsecond(monkeypatch: pytest.MonkeyPatch) -> None:
    for microseconds in (1_700_000_000_000_000, 1_700_000_000_000_042, 1_700_000_001_999_999, 1_700_000_000_500_000):
        monkeypatch.setattr(time, "time_ns", lambda at=microseconds: at * 1000 + 999)
        whole, rest = divmod(microseconds, 1_000_000)
        local = datetime.fromtimestamp(whole).replace(microsecond=rest)
        assert now() == local.isoformat(timespec="microseconds")


def test_a_side_costs_what_its_messages_do_unless_one_of_them_does_not_say() -> None:
    messages: list[AnyMessage] = [says("a", cost=0.5), asks("b", cost=2.0), result_of(a_call()), says("c", cost=0.25)]
    assert (cost(messages, "assistant"), cost(messages, "user")) == (0.75, 2.0)
    assert cost([*messages, says("d", cost=None)], "assistant") is None
    assert cost([], "user") == 0


def test_what_is_too_long_for_a_message_is_a_fault_of_its_side() -> None:
    assert as_message("x" * LONGEST, "agent", None).content == "x" * LONGEST
    with pytest.raises(AgentFault, match="a message of 1,000,001 characters came from the user"):
        as_message("x" * (LONGEST + 1), "user", None)
    with pytest.raises(AgentFault, match="a message of 1,001 calls came from the agent"):
        as_message(says(None, *[a_call()] * (MOST_CALLS + 1)), "agent", None)
