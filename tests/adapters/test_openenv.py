"""The environment of OpenEnv, with the real package: its server on loopback, and its client."""

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip(
    "openenv.core", reason="OpenEnv is not installed; it wants versions of its own, so try it in a venv of its own"
)

import uvicorn
from openenv.core.env_server.types import State

from pytest_tau.adapters import openenv
from pytest_tau.adapters.openenv import TauAction, TauCall, TauClient, TauEnvironment
from pytest_tau.agents.names import named_agent
from pytest_tau.environment.domain import load_domain
from pytest_tau.errors import SettingsError
from tests.builders import agent_context, core, mock

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


@contextmanager
def served(domain: str) -> Iterator[str]:
    """A server on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(getattr(openenv, domain), factory=True, host="127.0.0.1", port=port, log_level="error")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served("mock") as found:
        yield found


def test_an_agent_that_knows_the_way_earns_the_reward(address: str) -> None:
    domain = load_domain("mock")
    with TauClient(base_url=address).sync() as env:
        for played in core("mock"):
            result = env.reset(task_id=played.id, episode_id="e")
            assert result.observation.tools
            tools = domain.environment().tool_specs()
            oracle: Any = named_agent("oracle")(played, domain)(agent_context(tools=tuple(tools)))
            while not result.done:
                move = oracle.reply([])
                calls = [TauCall(name=call.name, arguments=call.arguments) for call in move.tool_calls or []]
                result = env.step(TauAction(calls=calls) if calls else TauAction(text=move.text))
            assert result.reward == 1.0
            state: State = env.state()
            assert (state.task_id, state.termination, state.episode_id) == (played.id, "user_stop", "e")


def test_a_random_policy_plays_100_episodes(address: str) -> None:
    rng = random.Random(1)
    with TauClient(base_url=address).sync() as env:
        for seed in range(100):
            result = env.reset(seed=seed)
            names = [tool["function"]["name"] for tool in result.observation.tools]
            while not result.done:
                call = f'Action:\n{{"name": "{rng.choice(names)}", "arguments": {{}}}}'
                result = env.step(TauAction(written=rng.choice(["Anything else?", "Done.", call])))
            assert result.reward in (0.0, 1.0)


def test_what_cannot_be_done() -> None:
    with pytest.raises(AttributeError, match="no built-in domain is called 'bakery'"):
        _ = openenv.bakery
    env = TauEnvironment(mock())
    with pytest.raises(SettingsError, match=r"call reset\(\) before step"):
        env.step(TauAction(text="Hm"))
    assert env.state.domain == "mock"
    with pytest.raises(SettingsError, match="there is no task 'x'"):
        env.reset(task_id="x")
    env.reset(seed=1)
    with pytest.raises(SettingsError, match="exactly one of text, calls and written"):
        env.step(TauAction())
