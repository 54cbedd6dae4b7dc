"""The environment of Gymnasium, with the real package."""

import asyncio
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed (pip install 'pytest-tau[gymnasium]')")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from pytest_tau.adapters.gymnasium import TauEnv  # noqa: E402
from pytest_tau.agents.names import named_agent  # noqa: E402
from pytest_tau.conversation.limits import Limits  # noqa: E402
from pytest_tau.conversation.protocols import UserContext  # noqa: E402
from pytest_tau.errors import SettingsError  # noqa: E402
from tests.builders import core, mock, task  # noqa: E402


def test_gymnasium_finds_no_fault_in_it() -> None:
    check_env(gymnasium.make("tau/retail-v0").unwrapped)
    assert "tau/mock-v0" in gymnasium.registry


def test_a_random_policy_plays_100_episodes() -> None:
    env: Any = gymnasium.make("tau/mock-v0")
    for seed in range(100):
        observation, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            assert observation in env.observation_space
            action = env.action_space.sample()
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        assert reward == info["reward"].value
        assert info["termination"]


def test_an_agent_that_knows_the_way_earns_the_reward() -> None:
    env = TauEnv("mock", render_mode="ansi")
    for played in core("mock"):
        env.reset(options={"task": played.id})
        assert env.episode is not None
        oracle = named_agent("oracle")(played, env.domain)(env.episode.context)
        reward = 0.0
        while not env.episode.done:
            move = oracle.reply(env.episode.observation.messages)
            calls = [call.model_dump_json(include={"name", "arguments"}) for call in move.tool_calls or []]
            _, reward, *_ = env.step(f"Action:\n{calls[0]}" if calls else move.text)
        assert reward == 1.0
    assert (env.render() or "").startswith("assistant: ")
    env.close()


def test_what_a_limit_ends_is_truncated() -> None:
    env = TauEnv(mock(), [task()], limits=Limits(max_steps=2))
    env.reset(seed=1)
    assert env.step("Could you tell me more?")[2:4] == (False, True)


def test_beginning_anew_ends_what_the_customer_before_was_run_on() -> None:
    class Caller:
        def __init__(self, context: UserContext) -> None:
            """Wants nothing."""

        async def reply(self, messages: Any) -> str:
            loops.append(asyncio.get_running_loop())
            return "Hm."

    loops: list[asyncio.AbstractEventLoop] = []
    env = TauEnv(mock(), [task()], user=Caller)
    for seed in range(2):
        env.reset(seed=seed)
    assert [loop.is_closed() for loop in loops] == [True, False]
    env.close()
    assert loops[-1].is_closed()


def test_what_cannot_be_done() -> None:
    env = TauEnv(mock(), [task()])
    with pytest.raises(SettingsError, match=r"call reset\(\) before step"):
        env.step("Hm")
    with pytest.raises(SettingsError, match="there is no task 'x' in this environment"):
        env.reset(options={"task": "x"})
    assert env.render() is None
