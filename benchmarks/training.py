"""Training: do forks go on alike, is the right turn blamed, do splits and other names share nothing, do adapters hold.

python benchmarks/run.py training, or python -m benchmarks.training [forks|blame|dataset|rebrand|adapters ...]

``adapters`` plays a random policy through those adapters whose package is installed, so run it in each of their venvs.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pytest_tau import Domain, Episode, Task, grade, load_domain, load_tasks, simulate
from pytest_tau.agents.faulty import KINDS, Mistake, mistaken_oracle
from pytest_tau.diagnosis.blame import point_of_no_return
from pytest_tau.evaluation.criteria.assertions import assertions
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.schema.messages import AssistantMessage, ToolCall
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.transcript import calls_made
from tau_workshop.audit.suite import audit_task
from tau_workshop.rebrand import rebrand, shared_grams

TRIALS, EPISODES, MADE = 200, 100, 240
SUITES = ("retail", "telecom")
SEEDS = 4


def share(what: str, found: int, of: int, limit: float) -> None:
    """Print a line: how many of how many, and the share that is wanted at least."""
    ratio = found / of if of else 0.0
    print(f"{what:<58} {found:>6} of {of:<6} {ratio:>6.1%}  limit {limit:.0%}  {'ok' if ratio >= limit else 'UNDER'}")


def none(what: str, found: int, note: str = "") -> None:
    """Print a line: how many there are of what there should be none."""
    print(f"{what:<58} {found:>6}  limit 0  {'OVER' if found else 'ok'}  {note}".rstrip())


def told(episode: Episode) -> list[dict[str, Any]]:
    """All of a conversation that is not about the moment it was held."""
    moment = {"timestamp", "generation_time_seconds"}
    return [message.model_dump(exclude=moment) for message in episode.messages]


def forks() -> None:
    """Fork every trial at every turn, and let the fork go on with the same actions."""
    equal = turns = trials = 0
    for task, domain, seed in [(t, d, s) for s in range(9) for name in SUITES for t, d in suite(name)][:TRIALS]:
        actions: list[AssistantMessage] = []
        episode = begun(task, domain, seed)
        player, _ = mistaken_oracle(task, domain, episode.context, kinds=KINDS)
        waiting = [episode.fork()]
        while not episode.done:
            actions.append(player.reply(episode.observation.messages))
            episode.step(actions[-1])
            waiting.append(episode.fork())
        trials += 1
        for turn, fork in enumerate(waiting):
            for action in actions[turn:]:
                fork.step(action)
            turns += 1
            equal += told(fork) == told(episode) and fork.info["reward"] == episode.info["reward"]
    share(f"forks at every turn of {trials} trials that end alike", equal, turns, 1.0)


def suite(name: str) -> list[tuple[Task, Domain]]:
    """The tasks that a run plays without further options, each with its domain."""
    domain = load_domain(name)
    return [(task, domain) for task in load_tasks(name, split="core")]


def begun(task: Task, domain: Domain, seed: int) -> Episode:
    """An episode whose agent is to move."""
    episode = Episode(task, domain, seed=seed)
    episode.reset()
    return episode


def blame() -> None:
    """Compare the point of no return with where the mistake was planted, and what the policy says."""
    right = 0
    found = [miss for name in SUITES for task, domain in suite(name) for miss in misses(task, domain)]
    for task, domain, simulation, reward, mistake in found:
        blamed = point_of_no_return(task, simulation, domain, reward=reward)
        right += blamed is not None and blamed.turn == lost_at(task, domain, simulation, reward, mistake)
    share("planted mistakes for which blame names the right turn", right, len(found), 0.98)


def misses(task: Task, domain: Domain) -> Iterator[tuple[Task, Domain, Simulation, Reward, Mistake]]:
    """Trials that a mistake lost."""
    for seed in range(SEEDS):
        made: list[Mistake | None] = []

        def faulty(context: Any, made: list[Mistake | None] = made) -> Any:
            player, mistake = mistaken_oracle(task, domain, context, kinds=KINDS)
            made.append(mistake)
            return player

        simulation = simulate(task, domain, faulty, seed=seed)
        reward = grade(task, simulation, domain)
        if not reward.passed and made[0] is not None:
            yield task, domain, simulation, reward, made[0]


def lost_at(task: Task, domain: Domain, simulation: Simulation, reward: Reward, mistake: Mistake) -> int:
    """Where a trial was lost, told without playing on.

    The first turn that a check of the policy names, or the mistaken call, where the rest of the gold path then leads
    elsewhere; else the agent's last word, up to which everything could have been put right.
    """
    turns = [one.turn for one in reward.violations if one.turn is not None]
    env, done = domain.environment(task), []
    for turn, call, _ in calls_made(simulation.messages):
        if not env.call(call.name, call.arguments, call.requestor).error:
            done.append((call.name, call.arguments))
        if call.id != f"oracle_{mistake.action_id}":
            continue
        rest = env.copy()
        for step in task.gold_actions:
            if (step.name, step.arguments) not in done:
                rest.call(step.name, step.arguments, step.requestor)
        criteria = task.evaluation_criteria
        by_state = criteria is not None and "DB" in criteria.reward_basis
        met = rest.state() == gold_state(task, domain) if by_state else assertions(task, rest, in_basis=True).value
        if not met:
            turns.append(turn)
    words = [at for at, message in enumerate(simulation.messages) if isinstance(message, AssistantMessage)]
    return min(turns, default=max(words))


def dataset() -> None:
    """Make a data set and look at what its splits have in common."""
    from tau_workshop.dataset.writing import write_dataset

    with tempfile.TemporaryDirectory() as folder:
        summary = write_dataset("retail", Path(folder), n=MADE, seed=1)
    common = sum(sum(found.values()) for found in summary.leaks.values())
    rows: Counter[str] = Counter()
    for (name, _), number in summary.rows.items():
        rows[name] += number
    note = ", ".join(f"{name} {number}" for name, number in rows.items())
    none("customers, records and wordings in two splits", common, f"{MADE} conversations; {note}")


def rebranding() -> None:
    """Write retail under other names, and audit both."""
    with tempfile.TemporaryDirectory() as folder:
        domain, tasks = rebrand("retail", Path(folder), seed=3)
        original = load_domain("retail")
        none("5-grams of names in common with a rebranded retail", len(shared_grams(original, domain)))
        known = {task.id: task for task in load_tasks("retail")}
        pairs = list(zip(load_tasks("retail"), tasks, strict=True))
        chosen = random.Random(1).sample(pairs, min(len(pairs), EPISODES))
        same = sum(
            bool(audit_task(before, original).findings) == bool(audit_task(after, domain).findings)
            for before, after in chosen
            if before.id in known
        )
        share("tasks whose audit is that of the original", same, len(chosen), 1.0)


def adapters() -> None:
    """Play a random policy through each adapter that can be imported."""
    played = {"gymnasium": _gymnasium, "verifiers": _verifiers, "openenv": _openenv}
    for name, play in played.items():
        if importlib.util.find_spec(name) is None:
            print(f"{name}: not installed here")
        else:
            share(f"random episodes through {name} that come to an end", play(), EPISODES, 1.0)


def _gymnasium() -> int:
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    import pytest_tau.adapters.gymnasium  # noqa: F401 (registers)

    env = gymnasium.make("tau/retail-v0")
    check_env(gymnasium.make("tau/retail-v0").unwrapped, skip_render_check=True)
    print("gymnasium's check_env: passed")
    ended = 0
    for seed in range(EPISODES):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            over = terminated or truncated
        ended += over
    return ended


def _drawn(rng: random.Random, names: list[str]) -> str | ToolCall:
    """What a random policy does."""
    return ToolCall(name=rng.choice(names), arguments={}) if rng.random() < 0.5 else rng.choice(["Done.", "And then?"])


def _verifiers() -> int:
    import asyncio
    from contextlib import asynccontextmanager
    from types import SimpleNamespace

    from pytest_tau.adapters.verifiers import TauEnvConfig, TauTasksetConfig, TauVerifiersEnv

    env = TauVerifiersEnv(TauEnvConfig(taskset=TauTasksetConfig(id="pytest_tau_verifiers", domain="retail")))
    rng, rows, ended = random.Random(1), list(env.taskset), 0
    names = [tool.name for tool in load_domain("retail").environment().tool_specs()]
    for number in range(EPISODES):
        rewards: dict[str, float] = {}
        trace = SimpleNamespace(
            record_reward=lambda name, value, weight=1.0, rewards=rewards: rewards.update({name: value}),
            record_metric=lambda name, value: None,
        )

        async def turn(seen: str) -> Any:
            action = _drawn(rng, names)
            text = action if isinstance(action, str) else json.dumps({"name": action.name, "arguments": {}})
            return SimpleNamespace(terminated=False, last_reply=text)

        @asynccontextmanager
        async def interaction(task: Any, trace: Any = trace, turn: Callable[[str], Any] = turn) -> Any:
            yield SimpleNamespace(turn=turn, trace=trace)

        player = SimpleNamespace(player=SimpleNamespace(interaction=interaction))
        asyncio.run(env.run(rows[number % len(rows)], player))
        ended += "passed" in rewards
    return ended


def _openenv() -> int:
    import socket
    import threading
    import time

    import uvicorn

    from pytest_tau.adapters.openenv import TauAction, TauCall, TauClient, make_app

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_app("retail"), host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    rng, ended = random.Random(1), 0
    with TauClient(base_url=f"http://127.0.0.1:{port}").sync() as env:
        for seed in range(EPISODES):
            result = env.reset(seed=seed)
            names = [tool["function"]["name"] for tool in result.observation.tools]
            while not result.done:
                action = _drawn(rng, names)
                text = action if isinstance(action, str) else None
                calls = None if isinstance(action, str) else [TauCall(name=action.name)]
                result = env.step(TauAction(text=text, calls=calls))
            ended += env.state().termination is not None
    server.should_exit = True
    thread.join(10)
    return ended


PARTS: dict[str, Callable[[], None]] = {
    "forks": forks,
    "blame": blame,
    "dataset": dataset,
    "rebrand": rebranding,
    "adapters": adapters,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[], metavar="PART", help=", ".join(PARTS))
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
