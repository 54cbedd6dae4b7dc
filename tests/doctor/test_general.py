"""What any model is asked: whether it answers, what its parameters decide, and what its answers show together."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.doctor.findings import DoctorFinding
from pytest_tau.doctor.general import (
    answers,
    bounds,
    costs,
    manners,
    median,
    not_asked_finding,
    samples,
    writes,
    written_rate,
)
from pytest_tau.doctor.line import LineAnswer, ModelLine
from pytest_tau.errors import TauError
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.schema.spending import Usage
from tests.llm.server import Behaviour, ChatServer, Request, fails, no_choices, says

from . import patients as p
from .lines import LISTED, complaints, line_to

NOWHERE = "http://127.0.0.1:9/v1"
Check = Callable[[ModelLine], Coroutine[Any, Any, DoctorFinding | list[DoctorFinding]]]


def found_by(check: Check, line: ModelLine) -> list[DoctorFinding]:
    found = asyncio.run(check(line))
    return found if isinstance(found, list) else [found]


def asked(check: Check, behaviour: Behaviour, listed: Any = LISTED, **more: Any) -> list[DoctorFinding]:
    with ChatServer(behaviour, listed) as server:
        return found_by(check, line_to(server.url, **more))


def statuses(found: list[DoctorFinding]) -> dict[str, str]:
    return {one.check: one.status for one in found}


def heard(*replies: LineAnswer, headers: dict[str, str] | None = None, rate_limited: int = 0) -> ModelLine:
    """A line whose answers are these."""
    return replace(line_to(NOWHERE), answers=list(replies), headers=headers or {}, rate_limited=rate_limited)


def reply(text: str = "ready", *, tokens: int | None = 30, seconds: float = 1.0, **more: Any) -> LineAnswer:
    usage = None if tokens is None else Usage(prompt_tokens=10, completion_tokens=tokens)
    return LineAnswer(ModelReply(text, None, None, usage, seconds), text, **more)


class TestWhetherItAnswers:
    def test_one_that_does_is_told_by_its_time(self) -> None:
        (found,) = asked(answers, p.healthy)
        assert (found.check, found.status, found.text[:7]) == ("answers", "ok", "within ")

    def test_one_that_says_nothing_does_not(self) -> None:
        assert statuses(asked(answers, says(""))) == {"answers": "failed"}
        assert statuses(asked(answers, no_choices())) == {"answers": "failed"}

    def test_one_that_is_cut_off_before_its_first_word_does(self) -> None:
        assert statuses(asked(answers, says("", finish="length"))) == {"answers": "ok"}

    def test_a_wrong_address_is_named(self) -> None:
        found = found_by(answers, line_to(NOWHERE))
        assert [one.check for one in found] == ["address"]
        assert 'start the server, or correct "api_base"' in complaints(found)["address"]

    def test_a_server_that_has_no_such_path_is_a_wrong_address(self) -> None:
        with ChatServer(p.healthy) as server:
            found = found_by(answers, line_to(server.url.removesuffix("/v1") + "/api"))
        assert statuses(found) == {"address": "failed"}
        assert "/v1" in found[0].advice

    @pytest.mark.parametrize(
        ("behaviour", "check", "advice"),
        [
            (fails(403, "Not for you."), "key", 'set OPENAI_API_KEY, or "api_key" in --tau-agent-llm-args'),
            (fails(404, "Nothing here."), "model", "correct the model's name"),
            (
                fails(429, "You are out of credit.", code="insufficient_quota"),
                "account",
                "add credit, or use another key",
            ),
            (
                fails(400, "temperature is odd"),
                "answers",
                "correct the model or its parameters in --tau-agent-llm-args",
            ),
        ],
        ids=["no leave", "a name that is not listed", "no credit", "anything else"],
    )
    def test_what_is_to_be_done_depends_on_why_it_does_not(self, behaviour: Behaviour, check: str, advice: str) -> None:
        (found,) = asked(answers, behaviour, [{"id": "other"}])
        assert (found.check, found.status, found.advice) == (check, "failed", advice)


class TestWhetherItWrites:
    def test_a_small_max_tokens_of_the_run_is_named(self) -> None:
        for bound in ("max_tokens", "max_completion_tokens"):
            complaint = complaints(asked(writes, p.healthy, **{bound: 64}))
            assert complaint["whole answers"].startswith("warning: max_tokens 64 may cut a tool call")

    def test_a_bound_that_cuts_an_answer_is_named(self) -> None:
        complaint = complaints(asked(writes, p.cut_off, max_tokens=10))["whole answers"]
        assert "was cut off after 30 tokens, by max_tokens 10 -> raise max_tokens in --tau-agent-llm-args" in complaint
        assert "by a limit of the server" in complaints(asked(writes, p.cut_off))["whole answers"]

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            (p.THREE, "ok"),
            ("保修是卖家的承诺。", "warning"),
            ("Eine Garantie ist ein Versprechen des Verkäufers.", "warning"),
            ("12 34", "warning"),
            (f"{p.THREE} 保修", "ok"),
        ],
        ids=["English", "Chinese", "German", "no word", "English with a foreign word"],
    )
    def test_what_language_it_is(self, text: str, status: str) -> None:
        assert statuses(asked(writes, says(text, completion_tokens=100)))["language"] == status

    @pytest.mark.parametrize(("tokens", "times"), [(63, 2), (64, 1)])
    def test_a_brief_answer_is_asked_for_at_length(self, tokens: int, times: int) -> None:
        with ChatServer(says(p.THREE, completion_tokens=tokens)) as server:
            found_by(writes, line_to(server.url))
            assert len(server.requests) == times


class TestBounds:
    def test_it_goes_by_the_parameter_of_the_run(self) -> None:
        with ChatServer(p.healthy) as server:
            (found,) = found_by(bounds, line_to(server.url, max_completion_tokens=500))
            assert {request.body["max_completion_tokens"] for request in server.requests} == {8}
        assert found.check == "max_completion_tokens"

    def test_words_are_counted_where_nobody_counts_tokens(self) -> None:
        silent = says("one " * 11)
        assert isinstance(silent.body, dict)
        silent = replace(silent, body={name: value for name, value in silent.body.items() if name != "usage"})
        (found,) = asked(bounds, silent)
        assert (found.status, found.text) == ("warning", "ignored: 11 tokens, where 8 were allowed")

    @pytest.mark.parametrize(("tokens", "status"), [(10, "ok"), (11, "warning")])
    def test_servers_may_count_a_little_otherwise(self, tokens: int, status: str) -> None:
        assert asked(bounds, says("one two", completion_tokens=tokens))[0].status == status


class TestSamples:
    def told(self, answer: Callable[[Request], str]) -> dict[str, str]:
        found = asked(samples, lambda request: says(answer(request)))
        return {one.check: f"{one.status}: {one.text}" for one in found}

    def test_one_that_heeds_both(self) -> None:
        assert statuses(asked(samples, p.healthy)) == {"seed": "ok", "temperature": "ok"}

    def test_one_that_always_says_the_same(self) -> None:
        assert self.told(lambda request: "Blorange") == {
            "seed": "warning: all answers were 'Blorange', whatever the seed",
            "temperature": "warning: 1 makes no difference to 0 in four answers",
        }

    def test_one_that_never_says_the_same(self) -> None:
        said: list[Request] = []

        def another(request: Request) -> str:
            said.append(request)
            return f"Colour {len(said)}"

        assert self.told(another) == {
            "seed": "warning: ignored: two answers to the same seed differ",
            "temperature": "warning: two answers at temperature 0 differ",
        }


class TestCosts:
    def test_a_price_that_nobody_knows_is_named(self) -> None:
        complaint = complaints(costs(line_to(NOWHERE, prices=None)))
        assert list(complaint) == ["price"]
        assert "--tau-prices" in complaint["price"]

    def test_a_price_is_told_for_a_million_tokens(self) -> None:
        assert costs(heard(reply()))[0].text == "$2 read and $10 written, per million tokens"

    def test_answers_whose_tokens_nobody_counts_are_counted(self) -> None:
        (_, usage) = costs(heard(reply(), reply(tokens=None)))
        assert (usage.status, usage.text) == ("warning", "1 of 2 answers tell no tokens")


class TestManners:
    def test_thoughts_in_texts_are_worse_than_thoughts_beside_them(self) -> None:
        aloud, apart = reply("[THINK]Hm[/THINK] ready"), reply(thoughts="Hm")
        for line, told in (
            (heard(aloud, apart), ("warning", "thinks aloud: thoughts stand in 1 of 2 answers")),
            (heard(apart, reply()), ("ok", "1 answers came with thoughts, kept apart from the text")),
            (heard(reply("I think so.")), ("ok", "none in the answers")),
        ):
            first, *_ = manners(line)
            assert (first.check, first.status, first.text) == ("thoughts", *told)

    def test_what_the_provider_tells_of_its_limits_is_told(self) -> None:
        headers = {"x-ratelimit-limit-tokens": "9", "x-ratelimit-limit-requests": "60", "x-ratelimit-reset": "1"}
        limits = "; the provider tells x-ratelimit-limit-requests 60, x-ratelimit-limit-tokens 9"
        for times, told in ((0, "none met"), (2, "turned away 2 times, although calls came one by one")):
            found = {one.check: one.text for one in manners(heard(reply(), headers=headers, rate_limited=times))}
            assert found["rate limit"] == told + limits

    def test_speed_is_that_of_the_longest_answer(self) -> None:
        line = heard(*(reply(tokens=tokens, seconds=tokens / 10) for tokens in (10, 40, 20)))
        assert (median(line), written_rate(line)) == (2.0, 10.0)
        assert [one.text for one in manners(line)][-1] == ("2.0 s for the median answer, about 10 tokens a second")

    @pytest.mark.parametrize(
        "line", [heard(), heard(reply(tokens=None)), heard(reply(seconds=0)), heard(reply(tokens=0))]
    )
    def test_where_nobody_counts_there_is_none(self, line: ModelLine) -> None:
        assert written_rate(line) is None
        assert "speed" not in {one.check for one in manners(line)}


def test_a_check_that_a_slow_model_could_not_make_says_that_the_others_are_left_out() -> None:
    line, error = heard(), TauError("one\n  two " + "x" * 400)
    usual = not_asked_finding(line, "seed", error)
    assert (usual.check, usual.status) == ("seed", "failed")
    assert usual.text.startswith("one two xxx")
    assert len(usual.text) == 301  # with the sign that it is cut
    slow = not_asked_finding(replace(line, too_slow=True), "seed", error)
    assert slow.advice.startswith('raise "timeout" in --tau-agent-llm-args')
