"""A word that is asked for before a run: which failures end it, and what it costs."""

import asyncio
from pathlib import Path

import pytest

from pytest_tau.llm.limits import LimitSettings, RunLimits
from pytest_tau.llm.probe import TOKENS, why_not
from tests.llm.server import Answer, ChatServer, cut, fails, no_choices, rate_limited, says
from tests.options.models import NOBODY


async def no_sleep(seconds: float) -> None: ...


def asked(address: str, limits: RunLimits | None = None, **parameters: object) -> str | None:
    given = {"api_base": address, "api_key": "sk-test-1", **parameters}
    return asyncio.run(why_not("openai/judge", given, limits=limits, sleep=no_sleep))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fails(401, "Incorrect API key"), "refused (HTTP 401): Incorrect API key; check the API key"),
        (fails(403, "Not for you"), "the key may not use this model"),
        (fails(404, "The model `judge` does not exist"), "check the model's name and api_base"),
        (fails(402, "Insufficient credits"), "the account has no credit left"),
        (fails(429, "You exceeded your current quota", code="insufficient_quota"), "the account has no credit left"),
    ],
)
def test_what_would_fail_every_call_is_said_after_one_request(answer: Answer, said: str) -> None:
    with ChatServer(answer) as server:
        sentence = asked(server.url)
    assert sentence is not None
    assert said in sentence
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer", [says("ready"), says(None, finish="length"), fails(400, "It is ill."), fails(500), rate_limited("60")]
)
def test_what_says_nothing_of_the_next_call_does_not(answer: Answer) -> None:
    with ChatServer(answer) as server:
        assert asked(server.url) is None


@pytest.mark.parametrize("answer", [no_choices(), Answer(b"<html>"), cut()])
def test_neither_does_a_bad_answer(answer: Answer) -> None:
    with ChatServer([answer, says("ready")]) as server:
        assert asked(server.url) is None


def test_nobody_at_the_address() -> None:
    sentence = asked(NOBODY)
    assert sentence is not None
    assert sentence.startswith("a call of openai/judge ")
    assert "connection" in sentence


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_it_is_short_and_counted(tmp_path: Path, name: str) -> None:
    limits = RunLimits(tmp_path, LimitSettings(budget_tokens=1000))
    with ChatServer(says("ready")) as server:
        assert asked(server.url, limits, **{name: 4000}) is None
    assert server.requests[0].body[name] == TOKENS
    assert limits.spending().tokens == 15
    assert asked("http://127.0.0.1:9", RunLimits(tmp_path / "small", LimitSettings(budget_tokens=1))) is None
