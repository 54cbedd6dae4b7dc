"""What a provider answers, as it is read: through litellm's real HTTP path, from a server on loopback."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.llm.replies import read_reply
from pytest_tau.llm.retry import ProviderError, RetryPolicy

from .asking import HELLO, PRICES, ask, client
from .server import (
    Answer,
    ChatServer,
    bad_json_arguments,
    calls,
    list_arguments,
    no_choices,
    raw_call,
    says,
)

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")


def test_a_text_comes_with_usage_finish_reason_and_time() -> None:
    reply = ask(says("Hi there.", prompt_tokens=12, completion_tokens=3))

    assert (reply.content, reply.tool_calls, reply.problem) == ("Hi there.", None, None)
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (12, 3)
    assert reply.finish_reason == "stop"
    assert reply.seconds > 0


def test_tool_calls_come_with_their_arguments_in_order() -> None:
    reply = ask(calls(("get_user", {"user_id": "u1"}), ("get_order", {"n": 2})))

    assert [(c.id, c.name, c.arguments) for c in reply.tool_calls or []] == [
        ("call_1", "get_user", {"user_id": "u1"}),
        ("call_2", "get_order", {"n": 2}),
    ]
    assert (reply.problem, reply.finish_reason) == (None, "tool_calls")


@pytest.mark.parametrize("raw", ["", "  ", None, "{}"])
def test_no_arguments_are_no_arguments_however_they_are_written(raw: str | None) -> None:
    (call,) = ask(says(None, calls=[raw_call("get_user", raw)])).tool_calls or []
    assert call.arguments == {}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (bad_json_arguments(), 'get_user was called with arguments that are not JSON: {"user_id": "u1"'),
        (list_arguments(), "get_user was called with a list for arguments, not an object"),
        (
            says(None, calls=[raw_call("get_user", '{"n": NaN}')]),
            'get_user was called with arguments that are not JSON: {"n": NaN}',
        ),
        (
            says(None, calls=[raw_call("get_user", '{"n": 1e400}')]),
            'get_user was called with arguments that are not JSON: {"n": 1e400}',
        ),
        (
            says(None, calls=[raw_call("get_user", "x" * 81)]),
            f"get_user was called with arguments that are not JSON: {'x' * 80}…",
        ),
        (
            says(None, calls=[raw_call("get_user", '{"a')], finish="length"),
            'get_user was called with arguments that are not JSON: {"a (the reply was cut off at the token limit)',
        ),
        (says(None, calls=[raw_call(None, "{}")]), "a tool was called without a name"),
        (says(""), "the reply is empty"),
        (says(None), "the reply is empty"),
        (says(" \n"), "the reply is empty"),
        (
            says(None, calls=[raw_call("get_user", "{}")], finish="length"),
            "get_user was called without arguments (the reply was cut off at the token limit)",
        ),
        (says("", finish="length"), "the reply is empty (the reply was cut off at the token limit)"),
        (says(None, finish="content_filter"), "the provider's content filter withheld the reply"),
        (says(None, refusal="I cannot help."), "the model refused: I cannot help."),
        (says("", refusal="x" * 81), f"the model refused: {'x' * 80}…"),
        (says(None, reasoning_content="Hm."), "the reply holds thoughts only"),
        (
            says(None, reasoning_content="Hm.", finish="length"),
            "the reply holds thoughts only (the reply was cut off at the token limit)",
        ),
    ],
)
def test_what_is_no_usable_message_is_a_problem_and_not_an_exception(answer: Answer, problem: str) -> None:
    reply = ask(answer)
    assert (reply.problem, reply.tool_calls) == (problem, None)


def failed_choice(error: Any) -> Answer:
    """What routers between providers send: a choice that is an error, under a status that says all is well."""
    answer = says("")
    assert isinstance(answer.body, dict)
    choice = {**answer.body["choices"][0], "finish_reason": "error", "error": error}
    return Answer({**answer.body, "choices": [choice]})


@pytest.mark.parametrize(
    ("answer", "sentence", "requests"),
    [
        (no_choices(), "3 attempts: unreadable answer: the response has no choices in it", 3),
        (Answer(b"<html>busy</html>"), "3 attempts: unreadable answer: the answer is a web page, not an API", 3),
        (says(5), "3 attempts: unreadable answer: the message's content is not a text", 3),  # type: ignore[arg-type]
        (failed_choice({"message": "upstream died", "code": 503}), "4 attempts: server (HTTP 503): upstream died", 4),
        (failed_choice({"message": "slow down", "code": 429}), "4 attempts: rate limit (HTTP 429): slow down", 4),
    ],
)
def test_an_answer_without_a_message_is_the_providers_failure(answer: Answer, sentence: str, requests: int) -> None:
    with ChatServer(answer) as server:
        with pytest.raises(ProviderError) as caught:
            asyncio.run(client(server, retry=RetryPolicy(attempts=4)).complete(HELLO))
        assert len(server.requests) == requests
    assert sentence in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert not caught.value.permanent


@pytest.mark.parametrize("usage", [(-100, 5), (100, -5), (10**30, 5)])
def test_usage_that_cannot_be_is_unknown(usage: tuple[int, int]) -> None:
    reply = ask(says("x", prompt_tokens=usage[0], completion_tokens=usage[1]), prices=PRICES)
    assert (reply.usage, reply.cost) == (None, None)


def test_arguments_nested_beyond_all_measure_are_no_json_either() -> None:
    function = SimpleNamespace(name="get_user", arguments="[" * 100_000)
    message = SimpleNamespace(content=None, tool_calls=[SimpleNamespace(id="c1", function=function)])
    choice = SimpleNamespace(message=message, finish_reason="tool_calls")
    reply = read_reply(SimpleNamespace(choices=[choice]), cost=lambda _: None, seconds=1.0, parameters={})
    assert reply.problem is not None
    assert reply.problem.startswith("get_user was called with arguments that are not JSON: [[[")


def test_a_problem_is_paid_for_like_any_reply() -> None:
    assert ask(bad_json_arguments(), prices=PRICES).cost == pytest.approx((10 * 2 + 5 * 10) / 1e6)


def test_calls_without_an_id_or_with_the_same_one_get_ids_of_their_own() -> None:
    raw = [raw_call("a", "{}", id=None), raw_call("b", "{}", id="x"), raw_call("c", "{}", id="x")]
    made = ask(says(None, calls=raw)).tool_calls or []
    assert len({call.id for call in made} - {""}) == 3
    assert made[1].id == "x"


def test_a_call_that_was_written_to_its_end_stands_though_nothing_could_follow_it() -> None:
    reply = ask(says(None, calls=[raw_call("get_user", '{"user_id": "u1"}')], finish="length"))
    assert [call.arguments for call in reply.tool_calls or []] == [{"user_id": "u1"}]


@pytest.mark.parametrize("finish", ["length", "an_unknown_reason"])
def test_a_finish_reason_is_the_provider_s_word(finish: str) -> None:
    reply = ask(says("Well, I", finish=finish))
    assert (reply.content, reply.finish_reason, reply.problem) == ("Well, I", finish, None)


# Of pydantic, where litellm makes its classes.
@pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")
@pytest.mark.parametrize(
    ("word", "finish", "problem"),
    [
        ("MAX_TOKENS", "length", "the reply is empty (the reply was cut off at the token limit)"),
        ("SAFETY", "content_filter", "the provider's content filter withheld the reply"),
    ],
)
def test_a_reason_in_a_provider_s_own_words_is_what_litellm_knows_it_to_be(
    word: str, finish: str, problem: str
) -> None:
    """As Gemini's are, of which litellm keeps both."""
    litellm: Any = import_module("litellm")
    choice = litellm.Choices(finish_reason=word, message=litellm.Message(content=""))
    assert choice.provider_specific_fields == {"native_finish_reason": word}
    made = SimpleNamespace(choices=[choice])
    reply = read_reply(made, cost=lambda used: None, seconds=0.0, parameters={})
    assert (reply.finish_reason, reply.problem) == (finish, problem)


def test_thoughts_are_no_part_of_what_is_said() -> None:
    reply = ask(says("<think>Who is that?</think>Hello.", reasoning_content="Easy."))
    assert (reply.content, reply.thoughts, reply.leaked) == ("Hello.", "Easy.\nWho is that?", True)
    only = ask(says("<think>Who is", finish="length"))
    assert only.problem == "the reply holds thoughts only (the reply was cut off at the token limit)"


@pytest.mark.parametrize(
    ("told", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 900}}, 900),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, 0),
        ({"cache_read_input_tokens": 900}, 900),
        ({"prompt_cache_hit_tokens": 900}, 900),
        ({"prompt_tokens_details": {"cached_tokens": 2000}}, None),
        ({"prompt_tokens_details": {"cached_tokens": "many"}}, None),
        ({"prompt_tokens_details": None}, None),
        ({}, None),
    ],
)
def test_what_came_from_a_cache_is_read_in_every_provider_s_field(told: dict[str, Any], cached: int | None) -> None:
    said = says("Hi.", prompt_tokens=1000)
    assert isinstance(said.body, Mapping)
    answer = replace(said, body={**said.body, "usage": {**said.body["usage"], **told}})
    reply = ask(answer, prices=Prices({"test": Price(10.0, 10.0, 1.0)}))
    assert reply.usage is not None
    assert reply.usage.cached_tokens == cached
    assert reply.usage.saved == (None if not cached else pytest.approx(900 * 9 / 1_000_000))
    assert reply.cost == pytest.approx((1005 * 10 - (cached or 0) * 9) / 1_000_000)
