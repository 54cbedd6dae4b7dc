"""The taskset and the environment of verifiers, with the real package; the model's side is played here."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

vf = pytest.importorskip(
    "verifiers.v1", reason="verifiers is not installed; it wants versions of its own, so try it in a venv of its own"
)

from verifiers.v1.utils.loaders import environment_class, load_taskset  # noqa: E402

from pytest_tau.adapters.verifiers import TauEnvConfig, TauTasksetConfig, TauVerifiersEnv  # noqa: E402
from pytest_tau.agents.names import named_agent  # noqa: E402
from tests.builders import agent_context, core, mock  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


class Trace:
    """What an environment records on."""

    def __init__(self) -> None:
        self.rewards: dict[str, float] = {}
        self.metrics: dict[str, float] = {}

    def record_reward(self, name: str, value: float, weight: float = 1.0) -> None:
        self.rewards[name] = value * weight

    def record_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value


def agents(answers: Callable[[str], str]) -> Any:
    """The seat of the model, with this policy on it."""

    @asynccontextmanager
    async def interaction(task: Any) -> AsyncIterator[Any]:
        async def turn(told: str) -> Any:
            return SimpleNamespace(terminated=False, last_reply=answers(told))

        yield SimpleNamespace(turn=turn, trace=traces[-1])

    traces = [Trace()]
    return SimpleNamespace(player=SimpleNamespace(interaction=interaction), trace=traces[-1])


@pytest.fixture(scope="module")
def env() -> Any:
    config = TauEnvConfig(taskset=TauTasksetConfig(id="pytest_tau_verifiers", domain="mock"), progress=0.5)
    return TauVerifiersEnv(config)


def test_it_is_found_by_its_name() -> None:
    assert environment_class("pytest_tau_verifiers") is TauVerifiersEnv
    taskset = load_taskset(TauTasksetConfig(id="pytest_tau_verifiers", domain="mock"))
    rows = list(taskset)
    assert [row.data.task_id for row in rows] == [played.id for played in core("mock")]
    assert mock().policy in rows[0].data.system_prompt
    assert "create_task" in rows[0].data.system_prompt


def test_an_agent_that_knows_the_way_earns_the_reward(env: Any) -> None:
    for row in env.taskset:
        played = env.taskset.known[row.data.task_id]
        oracle: Any = named_agent("oracle")(played, mock())(
            agent_context(tools=tuple(mock().environment().tool_specs()))
        )

        def answer(told: str, oracle: Any = oracle) -> str:
            move = oracle.reply([])
            made = [call.model_dump_json(include={"name", "arguments"}) for call in move.tool_calls or []]
            return f"Action:\n{made[0]}" if made else str(move.text)

        seat = agents(answer)
        asyncio.run(env.run(row, seat))
        assert seat.trace.rewards == {"passed": 1.0, "progress": 0.5}
        assert seat.trace.metrics["violations"] == 0.0


def test_a_random_policy_plays_100_episodes(env: Any) -> None:
    rng, rows = random.Random(1), list(env.taskset)
    names = [spec.name for spec in mock().environment().tool_specs()]
    for number in range(100):
        seat = agents(
            lambda told: rng.choice(
                ["Done.", "What else?", f'Action: {{"name": "{rng.choice(names)}", "arguments": {{}}}}']
            )
        )
        asyncio.run(env.run(rows[number % len(rows)], seat))
        assert seat.trace.rewards["passed"] in (0.0, 1.0)
        assert seat.trace.metrics["steps"] > 0
