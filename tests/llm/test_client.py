"""LiteLLMClient against a server on loopback, through litellm's real HTTP path."""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.llm.client import APART, FirstCall, LiteLLMClient
from pytest_tau.llm.meter import Meter
from pytest_tau.llm.protocol import ModelClient, ModelReply
from pytest_tau.llm.retry import ProviderError, RetryPolicy

from .asking import HELLO, KEY, OTHER_KEY, PRICES, TOOL, ask, client, no_wait
from .server import (
    Answer,
    ChatServer,
    Request,
    by_model,
    by_turn,
    cut,
    dripping,
    fails,
    held,
    rate_limited,
    says,
)

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")

_LEAKS = f"Incorrect API key provided: {KEY}. Also {OTHER_KEY} and Bearer abcdef123 and sk-proj-abcdefgh***xyz."


# Requests


def test_what_is_sent_is_what_was_asked_for_and_is_reported_without_keys() -> None:
    with ChatServer(says("ok")) as server:
        model = client(server, parameters={"temperature": 0.3, "extra_headers": {"X-Token": "t0ken-value-1"}})
        reply = asyncio.run(
            model.complete(HELLO, tools=[TOOL], tool_choice="required", seed=7, response_format={"type": "json_object"})
        )
    (request,) = server.requests
    sent = {"temperature": 0.3, "seed": 7, "tool_choice": "required", "response_format": {"type": "json_object"}}
    assert request.body == {"model": "test", "messages": HELLO, "tools": [TOOL], **sent}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-token"] == "t0ken-value-1"
    assert reply.parameters == {"api_base": server.url, **sent}
    assert model.parameters == {"api_base": server.url, "temperature": 0.3}
    assert isinstance(_as_protocol(model), LiteLLMClient)


def _as_protocol(model: ModelClient) -> ModelClient:
    return model


def test_a_tool_choice_among_the_parameters_is_what_calls_with_tools_have() -> None:
    with ChatServer(says("ok")) as server:
        model = client(server, parameters={"tool_choice": "auto"})
        asyncio.run(model.complete(HELLO, tools=[TOOL], tool_choice="required"))
        asyncio.run(model.complete(HELLO))
    assert [request.body.get("tool_choice") for request in server.requests] == ["auto", None]
    assert model.parameters["tool_choice"] == "auto"
    with pytest.raises(SettingsError, match="seed cannot be given as a model parameter; give --tau-seed"):
        client(server, parameters={"seed": 1})


def test_nothing_is_sent_that_was_not_asked_for() -> None:
    with ChatServer(says("ok")) as server:
        reply = asyncio.run(client(server).complete(HELLO, tool_choice="auto"))
    assert server.requests[0].body == {"model": "test", "messages": HELLO}
    assert reply.parameters == {"api_base": server.url}


def test_parameters_a_model_does_not_take_are_left_out_and_named() -> None:
    with ChatServer(says("ok")) as server:
        model = client(server, model="openai/o3-mini", parameters={"temperature": 0.3})
        reply = asyncio.run(model.complete(HELLO, seed=7))
    assert server.requests[0].body == {"model": "o3-mini", "messages": HELLO, "seed": 7}
    assert reply.parameters == {"api_base": server.url, "seed": 7}
    assert model.unsupported_parameters() == ["temperature"]


def test_a_model_without_tools_is_told_before_anything_is_sent() -> None:
    with ChatServer(says("ok")) as server, pytest.raises(SettingsError, match=r"openai/gpt-3\.5-turbo-instruct|tools"):
        asyncio.run(client(server, model="petals/test").complete(HELLO, tools=[TOOL]))
    assert server.requests == []


@pytest.mark.parametrize("name", ["stream", "num_retries", "messages"])
def test_a_parameter_that_is_ours_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"openai/test: {name} cannot be given"):
        LiteLLMClient("openai/test", {name: 1})


# Costs


def test_the_user_s_price_comes_first() -> None:
    assert ask(says("x", prompt_tokens=1000, completion_tokens=100), prices=PRICES).cost == pytest.approx(0.003)


def test_a_model_litellm_knows_costs_what_it_says() -> None:
    reply = ask(says("x", prompt_tokens=1000, completion_tokens=100), model="openai/gpt-4o-mini")
    assert reply.cost is not None
    assert 0 < reply.cost < 0.01


def test_an_unknown_price_is_unknown_and_nothing_is_printed_about_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(says("x")).cost is None
    assert capfd.readouterr() == ("", "")


def test_without_usage_the_cost_is_unknown() -> None:
    body = json.loads(json.dumps(says("x").body))
    del body["usage"]
    reply = ask(Answer(body), prices=PRICES)
    assert (reply.usage, reply.cost) == (None, None)


# Bad days


def test_what_passes_is_tried_again_and_each_request_is_sent_once() -> None:
    storm = [rate_limited("2"), fails(500), cut(), fails(503), fails(408), fails(529), Answer(b"<html>"), says("ok")]
    with ChatServer(storm) as server:
        assert asyncio.run(client(server).complete(HELLO)).content == "ok"
    assert len(server.requests) == len(storm)


def test_while_a_call_is_tried_again_its_meter_says_why() -> None:
    meter, told = Meter(), list[str]()

    async def look(seconds: float) -> None:
        told.append(meter.asked.failure)

    with ChatServer([fails(503, "Overloaded."), says("ok")]) as server:
        model = LiteLLMClient("openai/test", {"api_base": server.url, "api_key": KEY}, sleep=look, meter=meter)
        asyncio.run(model.complete(HELLO))
    [why] = told
    assert why.startswith("openai/test: server (HTTP 503): ")
    assert meter.asked.failing == 0


def test_retry_after_is_waited_for() -> None:
    waits: list[float] = []

    async def remember(seconds: float) -> None:
        waits.append(seconds)

    with ChatServer([rate_limited("7"), says("ok")]) as server:
        model = LiteLLMClient("openai/test", {"api_base": server.url, "api_key": KEY}, sleep=remember)
        asyncio.run(model.complete(HELLO))
    assert len(waits) == 1
    assert 7 <= waits[0] <= 8


@pytest.mark.parametrize(
    ("answer", "sentence", "permanent"),
    [
        (fails(400, "Bad tool."), r"a call of openai/test failed: refused \(HTTP 400\): .*Bad tool", False),
        (fails(401, "Wrong key."), r"refused \(HTTP 401\): .*Wrong key; check the API key", True),
        (fails(403, "Not yours."), r"refused \(HTTP 403\): .*; the key may not use this model", True),
        (fails(404, "No model."), r"refused \(HTTP 404\): .*; check the model's name and api_base", True),
        (fails(429, "Pay.", code="insufficient_quota"), r"quota \(HTTP 429\): .*; the account has no credit", True),
        (
            fails(400, "This model's maximum context length is 10 tokens.", code="context_length_exceeded"),
            r"context window \(HTTP 400\): .*; the conversation is longer than the model's context window",
            False,
        ),
    ],
)
def test_what_does_not_pass_fails_at_once_with_a_sentence(answer: Answer, sentence: str, permanent: bool) -> None:
    with ChatServer(answer) as server, pytest.raises(ProviderError, match=sentence) as caught:
        asyncio.run(client(server).complete(HELLO))
    assert len(server.requests) == 1
    assert caught.value.permanent is permanent


def test_an_outage_ends_in_an_infra_error_after_the_last_attempt() -> None:
    with ChatServer(cut()) as server, pytest.raises(ProviderError, match="failed in 3 attempts: connection") as caught:
        asyncio.run(client(server, retry=RetryPolicy(attempts=3)).complete(HELLO))
    assert len(server.requests) == 3
    assert not caught.value.permanent


def test_a_server_that_is_not_there_is_a_connection_failure() -> None:
    with ChatServer(says("x")) as server:
        gone = client(server, retry=RetryPolicy(attempts=2))
    with pytest.raises(ProviderError, match="failed in 2 attempts: connection"):
        asyncio.run(gone.complete(HELLO))


@pytest.mark.parametrize("slow", [held, dripping])
def test_a_slow_answer_is_a_time_out(slow: Callable[[threading.Event, Answer], Answer]) -> None:
    never = threading.Event()
    with ChatServer([says("warm"), slow(never, says("late"))]) as server:
        asyncio.run(client(server).complete(HELLO))  # the first call of all takes longer than the time-out below
        hasty = client(server, retry=RetryPolicy(attempts=1), timeout=0.05)
        with pytest.raises(
            ProviderError,
            match=r"failed in 1 attempt: time-out.*a call may take 0.05 s: for more, give ..timeout.: 0.1. in",
        ):
            asyncio.run(hasty.complete(HELLO))
        never.set()


def test_a_caller_who_gives_up_is_let_go() -> None:
    never = threading.Event()

    async def give_up(server: ChatServer) -> None:
        async with asyncio.timeout(0.05):
            await client(server).complete(HELLO)

    with ChatServer(held(never, says("late"))) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(give_up(server))
        never.set()


@pytest.mark.parametrize(
    "refusal",
    [
        fails(401, "Incorrect API key provided"),
        fails(404, "The model `x` does not exist"),
        fails(429, "You exceeded your current quota", code="insufficient_quota"),
    ],
)
def test_what_fails_for_good_is_asked_once_for_all(refusal: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.llm.client.REFUSED_WITHIN", float("inf"))  # however busy this machine is
    with ChatServer(refusal) as server:
        model = client(server)

        async def many() -> list[Any]:
            return await asyncio.gather(*(model.complete(HELLO) for _ in range(16)), return_exceptions=True)

        errors = [*asyncio.run(many()), *asyncio.run(many())]
        assert len(server.requests) == 1
    assert {type(error) for error in errors} == {ProviderError}
    assert {error.permanent for error in errors} == {True}
    assert len(set(map(str, errors))) == 1


def test_the_others_do_not_wait_for_the_answer_of_a_slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.llm.client.REFUSED_WITHIN", 0.0)
    all_there = threading.Event()

    def answer(request: Request) -> Answer:
        if len(server.requests) == 6:
            all_there.set()
        return held(all_there, says("x"))

    with ChatServer(answer) as server:
        model = client(server)

        async def many() -> list[ModelReply]:
            return await asyncio.gather(*(model.complete(HELLO) for _ in range(6)))

        assert [reply.content for reply in asyncio.run(many())] == ["x"] * 6


def test_those_who_come_before_the_first_call_is_over_follow_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.llm.client.REFUSED_WITHIN", float("inf"))
    first, now, due, real = FirstCall(), [0.0], list[float](), asyncio.sleep

    async def sleep(seconds: float) -> None:
        due.append(until := now[0] + seconds)
        await real(0)
        now[0] = max(now[0], until)

    async def calls() -> None:
        await first.over()
        others = [asyncio.ensure_future(first.over()) for _ in range(4)]
        await real(0)
        now[0] = 5.0
        due.clear()
        first.note_end(None)
        await asyncio.gather(*others)
        await first.over()  # by now nobody waits

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr("pytest_tau.llm.client.monotonic", lambda: now[0])
    asyncio.run(calls())
    assert due == pytest.approx([5.0 + place * APART for place in (1, 2, 3)])


def test_one_request_that_is_refused_says_nothing_about_others_where_some_were_answered() -> None:
    with ChatServer([says("x"), fails(403, "flagged"), says("y")]) as server:
        model = client(server)
        asyncio.run(model.complete(HELLO))
        with pytest.raises(ProviderError, match="flagged"):
            asyncio.run(model.complete(HELLO))
        assert asyncio.run(model.complete(HELLO)).content == "y"


def test_without_a_key_nothing_is_asked_and_it_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OPENAI")]:
        monkeypatch.delenv(name)
    with ChatServer(says("x")) as server:
        model = LiteLLMClient("openai/test", {"api_base": server.url}, sleep=no_wait)
        with pytest.raises(ProviderError, match=r"no key: .*; set the provider's API key in the environment") as caught:
            asyncio.run(model.complete(HELLO))
        assert caught.value.permanent
        assert server.requests == []


def test_the_time_of_a_call_is_a_parameter() -> None:
    never = threading.Event()
    with ChatServer(held(never, says("x"))) as server:
        model = client(server, parameters={"timeout": 0.2})
        with pytest.raises(ProviderError, match="failed in 2 attempts: time-out"):
            asyncio.run(model.complete(HELLO))
        assert len(server.requests) == 2
        assert "timeout" not in server.requests[0].body
        never.set()
    for bad in (0, -1, "soon", True, float("inf")):
        with pytest.raises(SettingsError, match="the timeout of a call is a number of seconds above 0"):
            LiteLLMClient("openai/test", {"timeout": bad})


@pytest.mark.parametrize("name", ["api_base", "base_url", "api_key"])
@pytest.mark.parametrize("bad", [5, ["http://127.0.0.1:9/v1"], {"url": "x"}, True])
def test_address_and_key_are_texts(name: str, bad: Any) -> None:
    with pytest.raises(SettingsError, match=f"^openai/test: {name} is no text; write it in quotes$"):
        LiteLLMClient("openai/test", {name: bad})


# Many at once


def test_threads_and_event_loops_can_share_a_client() -> None:
    with ChatServer(by_model({"test": by_turn([says("first"), says("second")])})) as server:
        shared = client(server)
        seen: list[str | None] = []

        async def several() -> None:
            second = [*HELLO, {"role": "assistant", "content": "first"}]
            replies = await asyncio.gather(*(shared.complete(chat) for chat in (HELLO, second, HELLO)))
            seen.extend(reply.content for reply in replies)

        threads = [threading.Thread(target=lambda: [asyncio.run(several()) for _ in range(3)]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(filter(None, seen)) == ["first"] * 18 + ["second"] * 9


# Keys


def failing_call() -> str:
    """A call that fails with keys in the provider's text, and all that pytest can show of it."""
    with ChatServer(fails(401, _LEAKS)) as server, pytest.raises(ProviderError) as caught:
        asyncio.run(client(server).complete(HELLO))
    assert caught.value.__context__ is None
    # From our client on: the lines before it are those of this test, with the key in them.
    frames = [entry for entry in caught.traceback if "pytest_tau" in str(entry.path)]
    assert frames
    local = [f"{name} = {value!r}" for frame in frames for name, value in frame.locals.items()]
    return "\n".join([str(caught.value), repr(caught.value), *local])


def successful_call() -> str:
    """A call that succeeds, and all that can be recorded of it."""
    with ChatServer(says("ok")) as server:
        model = client(server, parameters={"extra_headers": {"X-Key": KEY}, "extra_body": {"token": KEY}})
        reply = asyncio.run(model.complete(HELLO))
    return "\n".join(map(repr, (reply, model, model.parameters, model.unsupported_parameters())))


@pytest.mark.parametrize("call", [failing_call, successful_call])
def test_a_run_leaves_no_trace_of_the_key(
    call: Callable[[], str],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SOME_API_KEY", OTHER_KEY)
    shown = call()
    everything = "\n".join([shown, caplog.text, *capfd.readouterr()])
    for secret in (KEY, OTHER_KEY, "abcdef123", "sk-proj-abcdefgh"):
        assert secret not in everything
