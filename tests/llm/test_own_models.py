"""What is said of models of one's own without litellm is what litellm says of them."""

import asyncio
import subprocess
import sys
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import pytest

from pytest_tau.llm import backend, own_models, private
from pytest_tau.llm.client import LiteLLMClient
from tests.llm.server import ChatServer, says

if find_spec("litellm") is None:
    pytest.skip("litellm is not installed: pytest-tau[llm]", allow_module_level=True)

OWN = [
    "agent",
    "qwen15",
    "llama3.1:8b",
    "Qwen/Qwen3-8B-AWQ",
    "hf.co/unsloth/SmolLM2-135M",
    "my model",
    "ministral",
    "x",
]
NOT_OWN = [
    *("gpt-4.1", "openai/gpt-4.1", "openai/o3-mini", "openai/my-gpt", "openai/deepseek-chat", "hosted_vllm/agent"),
    *("ollama/llama3", "claude-sonnet-4-5", "openai/claude-sonnet-4-5", "openai/ft:mine"),
]
VALUES: dict[str, Any] = {
    "frequency_penalty": 0.1, "logit_bias": {"1": 2}, "logprobs": True, "max_completion_tokens": 5, "max_tokens": 5,
    "n": 2, "parallel_tool_calls": False, "presence_penalty": 0.1, "response_format": {"type": "json_object"},
    "seed": 1, "stop": ["x"], "temperature": 0.0, "tool_choice": "required", "top_logprobs": 2, "top_p": 0.5,
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """litellm, asked of every model."""
    monkeypatch.setattr(own_models, "is_own", lambda model: False)
    return backend.load()


@pytest.mark.parametrize("name", OWN)
def test_litellm_knows_nothing_of_them(name: str, asked: Any) -> None:
    model = f"openai/{name}"
    for known in (backend.sees, backend.takes_schema, backend.wants_marks, backend.wants_thoughts):
        known.cache_clear()
    assert backend.sees(model) is None
    assert (backend.takes_schema(model), backend.thinks(model), backend.wants_marks(model)) == (False, False, False)
    assert (backend.wants_thoughts(model), backend.known_price(model)) == (False, None)
    assert asked.get_llm_provider(model, api_base="http://127.0.0.1:1/v1")[:2] == (name, "openai")


@pytest.mark.parametrize("name", OWN)
def test_litellm_sends_them_what_was_given(name: str, asked: Any) -> None:
    assert VALUES.keys() == own_models.PLAIN
    for two in combinations(VALUES, 2):
        given = {one: VALUES[one] for one in two}
        assert private.as_sent(asked, name, "openai", given) == given
    assert backend.unsupported_parameters(f"openai/{name}", VALUES) == frozenset()


def test_which_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(own_models.is_own(f"openai/{name}") for name in OWN)
    assert not any(map(own_models.is_own, [*OWN, *NOT_OWN]))
    monkeypatch.setitem(backend.load().model_cost, "qwen15", {"input_cost_per_token": 1e-6})
    assert not own_models.is_own("openai/qwen15")  # somebody has told litellm of it


def test_parameters_that_only_litellm_knows_are_its_own() -> None:
    assert own_models.is_sent_as_given("openai/agent", ["seed", "api_base", "model"])
    assert not own_models.is_sent_as_given("openai/agent", ["seed", "reasoning_effort"])


def test_where_litellm_has_no_list_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_models, "_PRICES", "nowhere.json")
    assert own_models._is_listed.__wrapped__("agent")


def test_a_call_of_such_a_model_imports_no_litellm() -> None:
    program = """
import asyncio, sys
from pytest_tau.llm.client import LiteLLMClient
client = LiteLLMClient("openai/agent", {"api_base": sys.argv[1], "api_key": "none", "temperature": 0.0})
reply = asyncio.run(client.complete([{"role": "user", "content": "hi"}], seed=3))
print(reply.content, reply.cost, "litellm" in sys.modules)
"""
    with ChatServer(says("Hello.")) as server:
        done = subprocess.run([sys.executable, "-c", program, server.url], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Hello.", "None", "False"]


def test_without_litellm_they_are_the_only_ones_that_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"litellm"}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in missing else find_spec(name))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    own = {"model": "openai/unheard-of"}
    assert "set OPENAI_BASE_URL" in (backend.lacking(own) or "")
    assert "set OPENAI_API_KEY" in (backend.lacking({**own, "api_base": "http://localhost"}) or "")
    assert backend.lacking({**own, "api_base": "http://localhost", "api_key": "x"}) is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert backend.lacking(own) is None
    for model in ("openai/gpt-4.1", "claude-sonnet-4-5", "unheard-of"):
        assert backend.lacking({"model": model}) == backend.INSTALL
    with ChatServer(says("Hello.")) as server:
        client = LiteLLMClient("openai/unheard-of", {"api_base": server.url, "api_key": "none"})
        assert asyncio.run(client.complete([{"role": "user", "content": "hi"}])).content == "Hello."
    missing.add("aiohttp")
    assert backend.lacking({"model": "openai/unheard-of"}) == backend.INSTALL


def test_the_reply_is_the_same_with_litellm_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    replies, sent = [], []
    for is_own in (own_models.is_own, lambda model: False):
        monkeypatch.setattr(own_models, "is_own", is_own)
        monkeypatch.setattr(backend._MODEL_LOOP.routes, "_found", {})
        with ChatServer(says("Hello.")) as server:
            client = LiteLLMClient("openai/agent", {"api_base": server.url, "api_key": "none"}, max_tokens=9)
            reply = asyncio.run(client.complete([{"role": "user", "content": "hi"}], tools=VALUES["tools"], seed=3))
        replies.append((reply.content, reply.usage, reply.cost, reply.parameters["max_tokens"]))
        sent += [request.body for request in server.requests]
    assert replies[0] == replies[1]
    assert sent[0] == sent[1]
