"""Calls that go straight to a provider: which do, and that litellm would make the same calls and read the same."""

import asyncio
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau.llm import backend, direct, own_models
from pytest_tau.llm.answers import Response
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.direct import Routes
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.replies import ProviderAnswered
from pytest_tau.llm.retry import ProviderError, RetryPolicy
from tests.llm.server import Answer, ChatServer, calls, cut, fails, rate_limited, raw_call, says

if find_spec("litellm") is None:  # importing it takes seconds, in each worker
    pytest.skip("litellm is not installed: pytest-tau[llm]", allow_module_level=True)
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Grüße"}]
TOOL = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}}}
KEY = "sk-test-straight"


@pytest.fixture(params=["own", "direct", "litellm"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(backend._MODEL_LOOP.routes, "_found", {})
    if request.param != "own":
        monkeypatch.setattr(own_models, "is_own", lambda model: False)
    if request.param == "litellm":
        monkeypatch.setattr(direct, "_PROVIDER", "nobody's")
    return str(request.param)


def ask(server: ChatServer, model: str = "openai/test", attempts: int = 1, **parameters: Any) -> ModelReply:
    given = {"api_base": server.url, "api_key": KEY, **parameters}

    async def at_once(seconds: float) -> None:
        """Wait for nobody."""

    client = LiteLLMClient(model, given, retry=RetryPolicy(attempts=attempts), sleep=at_once)
    return asyncio.run(client.complete(CHAT, tools=[TOOL], seed=7))


def test_the_same_request_is_made(way: str) -> None:
    with ChatServer(says("ok")) as server:
        ask(server, temperature=0.5, max_tokens=50)
        (request,) = server.requests
    body = {name: value for name, value in request.body.items() if value not in (False, {})}
    assert body == {
        "model": "test", "messages": CHAT, "tools": [TOOL], "seed": 7, "temperature": 0.5, "max_tokens": 50,
    }  # fmt: skip
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "answer",
    [
        says("Schön, that is done."),
        calls(("look", {"at": "x", "n": [1, {"y": None}]}), ("look", {})),
        says("Both", calls=[raw_call("look", "{}")], finish="length"),
        says(None, calls=[raw_call("look", '{"at"')]),
        says(None, finish="content_filter"),
        says("Think", reasoning_content="well"),
    ],
)
def test_the_reply_is_read_alike(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for provider in ("openai", "nobody's"):
        monkeypatch.setattr(direct, "_PROVIDER", provider)
        monkeypatch.setattr(backend._MODEL_LOOP.routes, "_found", {})
        with ChatServer(answer) as server:
            reply = ask(server)
        found.append((reply.content, reply.tool_calls, reply.usage, reply.finish_reason, reply.problem))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fails(401, "Bad key."), r"refused \(HTTP 401\): .*Bad key.*check the API key"),
        (fails(404, "No such model."), r"unknown model \(HTTP 404\): .*No such model.*check the model's name"),
        (fails(400, "maximum context length is 8"), r"context window \(HTTP 400\)"),
        (fails(429, "Out.", code="insufficient_quota"), r"quota \(HTTP 429\): .*no credit left"),
        (fails(503, "Busy."), r"server \(HTTP 503\): .*Busy"),
        (Answer(b"<html>gateway</html>", 502), r"server \(HTTP 502\)"),
    ],
)
def test_a_refusal_is_told_alike(way: str, answer: Answer, said: str) -> None:
    with ChatServer(answer) as server, pytest.raises(ProviderError, match=said) as caught:
        ask(server)
    assert KEY not in str(caught.value)


def test_a_bad_moment_passes(way: str) -> None:
    with ChatServer([rate_limited("1"), cut(), fails(500), says("at last")]) as server:
        assert ask(server, attempts=4).content == "at last"


def test_nobody_there(way: str) -> None:
    with ChatServer(says("ok")) as server:
        pass
    with pytest.raises(ProviderError, match="connection"):
        ask(server)


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = backend.load()
    for name in ("callbacks", "success_callback"):
        monkeypatch.setattr(module, name, list(getattr(module, name)))
    return module


def route(model: str = "openai/test", **request: Any) -> Any:
    async def find() -> Any:
        routes = Routes()
        try:
            given = {"model": model, "messages": [], "timeout": 1.0, "api_key": KEY, **request}
            return routes.of(given, backend.load, backend.lacking)
        finally:
            await routes.close()

    return asyncio.run(find())


HERE = {"api_base": "http://127.0.0.1:1/v1"}


@pytest.mark.parametrize("name", ["test", "gpt-4.1"])
def test_an_openai_model_at_an_address_goes_straight(name: str) -> None:
    found = route(f"openai/{name}", **HERE, temperature=0.0, tools=[TOOL])
    assert (found.url, found.model) == ("http://127.0.0.1:1/v1/chat/completions", name)


@pytest.mark.parametrize(
    ("model", "request_"),
    [
        ("anthropic/claude-sonnet-4", HERE),
        ("ollama/llama3", HERE),
        ("openai/o3-mini", {**HERE, "max_tokens": 5}),  # litellm gives it max_completion_tokens
        ("openai/test", {**HERE, "extra_headers": {"x": "y"}}),
        ("openai/test", {**HERE, "api_version": "2024"}),
        ("no provider is known for this", HERE),
    ],
)
def test_what_litellm_has_to_translate_goes_through_it(model: str, request_: dict[str, Any]) -> None:
    assert route(model, **request_) is None


def test_without_an_address_or_with_callbacks_litellm_makes_the_call(
    litellm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    assert route() is None
    monkeypatch.setenv("OPENAI_API_BASE", HERE["api_base"])
    assert route() is not None
    litellm.success_callback.append("langfuse")
    assert route() is None


def test_a_response_reads_as_objects_and_stays_json() -> None:
    found = Response({"choices": [{"message": {"content": [{"text": "a"}], "tool_calls": [{"function": {"x": 1}}]}}]})
    message = found.choices[0].message
    assert isinstance(message.content[0], dict)
    assert message.tool_calls[0].function.x == 1
    assert found.usage is None


@pytest.mark.parametrize("cached", [0, 600])
def test_the_cost_is_that_of_litellm(litellm: Any, cached: int) -> None:
    usage = {
        "prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050,
        "prompt_tokens_details": {"cached_tokens": cached},
    }  # fmt: skip
    response = litellm.ModelResponse(model="gpt-4.1", usage=usage)
    theirs = litellm.completion_cost(response, model="openai/gpt-4.1")
    assert backend.known_cost(Response({"usage": usage}), "openai/gpt-4.1") == pytest.approx(theirs)
    assert backend.known_cost(Response({"usage": usage}), "openai/nobody-knows") is None
    assert backend.known_cost(Response({}), "openai/gpt-4.1") is None


def test_a_proxy_in_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked() -> Response:
        routes, request = Routes(), {"model": "openai/test", "messages": CHAT, "api_base": "http://nobody.invalid/v1"}
        try:
            route = routes.of({**request, "api_key": KEY}, backend.load, backend.lacking)
            assert route is not None
            return await route.send(request)
        finally:
            await routes.close()

    with ChatServer(says("")) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        # A proxy is asked for a whole address, and this one knows none.
        with pytest.raises(ProviderAnswered, match=r"there is no http://nobody\.invalid/v1/chat/completions"):
            asyncio.run(asked())
