"""A chat-completions server for the options about models; what needs it is skipped where litellm is missing."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec

import pytest

from pytest_tau.llm.client import LiteLLMClient
from tests.llm.server import Behaviour, ChatServer, says
from tests.options.models import KEY, NOBODY, Serve


@pytest.fixture(scope="session")
def _litellm() -> None:
    """litellm with all that a call imports: runs of pytest within our process forget what they import first."""
    if find_spec("litellm") is None:
        pytest.skip("litellm is not installed: pytest-tau[llm]")
    import asyncio

    import pytest_tau.users.llm  # noqa: F401

    with ChatServer(says("Hello.")) as server:
        for more in ({}, {"extra_body": {"a": "parameter that only litellm knows"}}):
            client = LiteLLMClient("openai/agent", {"api_base": server.url, "api_key": KEY, **more})
            asyncio.run(client.complete([{"role": "user", "content": "Hello"}]))


@pytest.fixture
def serve(_litellm: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts the server that models called openai/… are asked on."""
    with ExitStack() as servers:

        def start(behaviour: Behaviour) -> ChatServer:
            server = servers.enter_context(ChatServer(behaviour))
            monkeypatch.setenv("OPENAI_API_BASE", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            return server

        yield start


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Takes server and key away."""

    def take() -> None:
        monkeypatch.setenv("OPENAI_API_BASE", NOBODY)
        monkeypatch.delenv("OPENAI_API_KEY")

    return take
