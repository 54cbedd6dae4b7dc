"""Asks a server on loopback through LiteLLMClient, by litellm's real HTTP path."""

import asyncio
from typing import Any

import pytest

from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.pricing import Prices
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.retry import ProviderError

from .server import (
    Behaviour,
    ChatServer,
)

KEY = "sk-test-4f1c0ffee5ecret"
OTHER_KEY = "another-s3cret-of-the-machine"
HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "get_user", "parameters": {"type": "object", "properties": {}}}}
PRICES = Prices.parse({"openai/test": {"input": 2.0, "output": 10.0}})


async def no_wait(seconds: float) -> None:
    """Waits of the retries, at once."""


def client(server: ChatServer, *, model: str = "openai/test", **more: Any) -> LiteLLMClient:
    parameters = {"api_base": server.url, "api_key": KEY, **more.pop("parameters", {})}
    return LiteLLMClient(model, parameters, sleep=no_wait, **more)


def ask(behaviour: Behaviour, **more: Any) -> ModelReply:
    with ChatServer(behaviour) as server:
        return asyncio.run(client(server, **more).complete(HELLO, tools=[TOOL]))


def fail(behaviour: Behaviour, **more: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(behaviour, **more)
    return caught.value
