"""A line to a model: what is asked again and what is not, and what its answers tell beside their texts."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest

from pytest_tau.doctor.line import LineAnswer, ModelLine
from pytest_tau.llm.chat import user
from pytest_tau.llm.retry import ProviderError
from tests.llm.server import Behaviour, ChatServer, Request, calls, fails, rate_limited, says

from .lines import line_to

NOWHERE = "http://127.0.0.1:9/v1"


def unasked(*sides: str, model: str = "openai/patient", **parameters: Any) -> ModelLine:
    return replace(line_to(NOWHERE, sides or ("agent",)), model=model, parameters=parameters)


def ask(
    behaviour: Behaviour, sleep: Callable[[float], Awaitable[None]] | None = None, **more: Any
) -> tuple[LineAnswer, ModelLine, list[Request]]:
    with ChatServer(behaviour) as server:
        line = line_to(server.url)
        line.sleep = sleep or line.sleep
        return asyncio.run(line.ask([user("Hello")], **more)), line, server.requests


@contextmanager
def answering(content: bytes, asked: list[bytes] | None = None) -> Iterator[str]:
    """The address of something that answers this, whatever it is ``asked``."""

    class Answering(StreamRequestHandler):
        def handle(self) -> None:
            came = self.request.recv(65_536)
            if asked is not None:
                asked.append(came)
            self.wfile.write(content)

    with ThreadingTCPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


class TestAsking:
    def test_what_a_rate_limit_turns_away_is_asked_again_after_longer_and_longer_waits(self) -> None:
        waited: list[float] = []

        async def sleep(seconds: float) -> None:
            waited.append(seconds)

        answer, line, requests = ask([*[rate_limited()] * 3, says("Hello")], sleep)
        assert (answer.text, line.rate_limited, len(requests)) == ("Hello", 3, 4)
        assert waited == sorted({*waited})
        assert len(waited) == 3

    def test_a_rate_limit_that_does_not_end_is_an_error(self) -> None:
        with ChatServer(rate_limited()) as server:
            line = line_to(server.url)
            with pytest.raises(ProviderError) as refused:
                asyncio.run(line.ask([user("Hello")]))
        assert (refused.value.kind, line.rate_limited, line.answers) == ("rate limit", len(server.requests), [])

    def test_any_other_failure_is_a_finding_and_not_asked_again(self) -> None:
        with ChatServer([fails(500), says("Hello")]) as server:
            with pytest.raises(ProviderError):
                asyncio.run(line_to(server.url).ask([user("Hello")]))
            assert len(server.requests) == 1

    def test_a_parameter_is_changed_for_one_call_alone(self) -> None:
        with ChatServer(says("Hello")) as server:
            line = line_to(server.url, temperature=0.5)
            for changed in ({"temperature": 1.0}, None, {"max_tokens": 8}):
                asyncio.run(line.ask([user("Hello")], changed=changed, seed=3))
            bodies = [request.body for request in server.requests]
        assert [body["temperature"] for body in bodies] == [1.0, 0.5, 0.5]
        assert [body.get("max_tokens") for body in bodies] == [None, None, 8]
        assert [body["seed"] for body in bodies] == [3] * 3
        assert len(line.answers) == 3

    def test_one_client_is_made_for_the_same_parameters(self) -> None:
        line = unasked()
        assert line.client({"a": 1, "b": 2}) is line.client({"b": 2, "a": 1}) is not line.client({})


class TestAnAnswer:
    def test_its_text_has_no_blanks_around_it(self) -> None:
        assert ask(says("\n ready "))[0].text == "ready"
        assert ask(calls(("x", {})))[0].text == ""

    def test_thoughts_in_the_text_stay_in_the_raw_one(self) -> None:
        answer, *_ = ask(says("<think>Hm</think>ready"))
        assert (answer.text, answer.raw, answer.thoughts) == ("ready", "<think>Hm</think>ready", "")

    def test_thoughts_beside_the_text_are_kept_apart(self) -> None:
        answer, *_ = ask(says("ready", reasoning_content="Hm"))
        assert (answer.raw, answer.thoughts) == ("ready", "Hm")

    def test_the_last_headers_about_rates_are_kept(self) -> None:
        first, second = ({"X-RateLimit-Limit-Requests": number, "X-Other": "1"} for number in ("60", "50"))
        with ChatServer([replace(says("ready"), headers=first), replace(says("ready"), headers=second)]) as server:
            line = line_to(server.url)
            for _ in range(2):
                asyncio.run(line.ask([user("Hello")]))
        assert line.headers == {"x-ratelimit-limit-requests": "50"}


class TestWhatTheModelIsFor:
    def test_the_first_side_names_the_option(self) -> None:
        both = unasked("agent one", "user")
        assert (both.side, both.option) == ("agent one and user", "--tau-agent-llm-args")
        assert unasked("judge").option == "--tau-judge-llm-args"

    def test_an_answer_is_bounded_by_the_parameter_that_the_run_uses(self) -> None:
        assert unasked().bound_parameter(8) == {"max_tokens": 8}
        assert unasked(max_completion_tokens=100).bound_parameter(8) == {"max_completion_tokens": 8}

    def test_the_address_is_the_parameters_or_that_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_BASE", raising=False)
        monkeypatch.setenv("OPENAI_BASE_URL", "http://here/v1")
        assert unasked(api_base="http://there/v1", base_url="x").base == "http://there/v1"
        assert unasked(base_url="http://there/v1").base == "http://there/v1"
        assert unasked().base == "http://here/v1"
        assert unasked(model="anthropic/patient").base == ""
        monkeypatch.delenv("OPENAI_BASE_URL")
        assert unasked().base == ""


class TestTheModelsThatAServerLists:
    def listed(self, *models: Any) -> dict[str, int | None]:
        with ChatServer(says("ready"), models) as server:
            return line_to(f"{server.url}/").listed_models()

    def test_each_has_the_window_that_is_told(self) -> None:
        told: list[dict[str, Any]] = [{"max_model_len": 4096}, {"meta": {"n_ctx": 8192}}, {}, {"context_length": True}]
        told += [{"context_window": "8k"}, {"max_model_len": 0, "context_length": 512}, {"meta": 7}]
        found = self.listed(*({"id": str(number), **one} for number, one in enumerate(told)))
        assert list(found.values()) == [4096, 8192, None, None, None, 512, None]

    def test_what_has_no_id_is_none(self) -> None:
        assert self.listed({"name": "x"}, {"id": "patient"}) == {"patient": None}

    @pytest.mark.parametrize("url", [NOWHERE, "", "file:///etc", "ftp://127.0.0.1/v1"])
    def test_where_no_server_answers_there_are_none(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.delenv(name, raising=False)
        assert line_to(url).listed_models() == {}

    def test_what_is_no_server_of_models_lists_none(self) -> None:
        assert line_to(f"{NOWHERE} x").listed_models() == {}
        for answer in (b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000):
            with answering(answer) as url:
                assert line_to(url).listed_models() == {}

    def test_no_redirect_is_followed_which_would_take_the_key_along(self) -> None:
        with ChatServer(says("ready"), [{"id": "patient"}]) as elsewhere:
            moved = f"HTTP/1.0 302 Found\r\nLocation: {elsewhere.url}/models\r\nContent-Length: 0\r\n\r\n"
            with answering(moved.encode()) as url:
                assert line_to(url).listed_models() == {}

    def test_each_provider_is_told_its_own_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-anthropic")
        asked: list[bytes] = []
        with answering(b"HTTP/1.0 404 Not Found\r\n\r\n", asked) as url:
            for model in ("openai/patient", "patient", "anthropic/patient", "hosted_vllm/patient"):
                assert unasked(model=model, api_base=url).listed_models() == {}
            assert unasked(api_base=url, api_key="sk-given").listed_models() == {}
        keys = [re.findall(rb"Bearer ([\w-]+)", one) for one in asked]
        assert keys == [*[[b"sk-of-openai"]] * 2, [b"sk-of-anthropic"], [b"none"], [b"sk-given"]]

    def test_a_server_that_lists_none_has_none(self) -> None:
        with ChatServer(says("ready")) as server:
            assert line_to(server.url).listed_models() == {}


def test_what_a_check_asks_for_is_sent_along() -> None:
    tool = {"type": "function", "function": {"name": "x", "parameters": {"type": "object", "properties": {}}}}
    *_, (request,) = ask(says("{}"), tools=[tool], response_format={"type": "json_object"})
    assert (request.tools, request.body["response_format"]) == (["x"], {"type": "json_object"})
    assert request.messages == [{"role": "user", "content": "Hello"}]
