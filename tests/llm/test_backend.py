"""When litellm is imported, what that prints, and what is said where it is missing."""

import asyncio
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.llm import backend
from pytest_tau.llm.client import LiteLLMClient


@pytest.mark.slow
@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")
def test_litellm_is_imported_at_the_first_call_and_leaves_quietly() -> None:
    script = """
import asyncio, sys, warnings
from pytest_tau.llm.client import LiteLLMClient
from tests.llm.server import ChatServer, rate_limited, says

async def no_wait(seconds): pass
with ChatServer([rate_limited(), says("ok")]) as server:
    client = LiteLLMClient("openai/gpt-4.1", {"api_base": server.url, "api_key": "sk-test"}, sleep=no_wait)
    assert "litellm" not in sys.modules
    for _ in range(2):
        assert asyncio.run(client.complete([{"role": "user", "content": "Hello"}])).content == "ok"
assert "litellm" in sys.modules
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_litellm_nothing_is_known_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    model = LiteLLMClient("openai/gpt-4.1", {"temperature": 0})
    assert (model.price(), model.unsupported_parameters()) == (None, [])


def test_without_litellm_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    model = LiteLLMClient("openai/test")
    with pytest.raises(SettingsError, match=r"pip install 'pytest-tau\[llm\]'"):
        asyncio.run(model.complete([{"role": "user", "content": "Hello"}]))


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")
def test_whoever_serves_a_model_cannot_change_the_tools_of_other_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm = backend.load()
    tools = [{"type": "function", "function": {"name": "get_user", "parameters": {"type": "object"}}}]

    async def acompletion(self: Any, *args: Any, **given: Any) -> Any:
        given["optional_params"]["tools"][0]["function"]["parameters"]["additionalProperties"] = False
        given["model_response"].choices[0].message.content = "ok"
        return given["model_response"]

    provider = type("Provider", (litellm.CustomLLM,), {"acompletion": acompletion})()
    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "ours", "custom_handler": provider}])
    for name in ("provider_list", "_custom_providers"):
        monkeypatch.setattr(litellm, name, list(getattr(litellm, name)))
    litellm.utils.custom_llm_setup()
    asked = LiteLLMClient("ours/model").complete([{"role": "user", "content": "Hello"}], tools=tools)
    assert asyncio.run(asked).content == "ok"
    assert tools[0]["function"] == {"name": "get_user", "parameters": {"type": "object"}}
