"""Episodes: steps a second with scripted players, forks at every turn, and the memory of a thousand that are alive."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

from benchmarks.measuring import Result
from pytest_tau import Domain, Episode, Task, load_domain, load_tasks
from pytest_tau.agents.oracle import Oracle

STEPS_A_SECOND, FORK_MS, LIVE_MB = 2000.0, 1.0, 200.0
ROUNDS, LIVE = 5, 1000


def started(task: Task, domain: Domain, **options: Any) -> tuple[Episode, Oracle]:
    """An episode whose agent is to move, and the oracle for it."""
    episode = Episode(task, domain, **options)
    episode.reset()
    return episode, Oracle(task, episode.context)


def stepped(episode: Episode, agent: Oracle) -> Iterator[Episode]:
    """The episode after every step, to its end."""
    while not episode.done:
        episode.step(agent.reply(episode.observation.messages))
        yield episode


def main() -> None:
    """Print a line for each number."""
    domain, tasks = load_domain("retail"), load_tasks("retail", split="core")
    for what, options in (("without their grades", {"reward": lambda before, after: 0.0}), ("graded", {})):
        rates = []
        for _ in range(ROUNDS):
            began = time.process_time()
            steps = sum(1 for task in tasks for _ in stepped(*started(task, domain, **options)))
            rates.append(steps / (time.process_time() - began))
        note = f"best of {ROUNDS} rounds of {steps} steps, episodes begun anew, {max(rates):.0f} a second"
        print(Result(f"a step of an episode, {what}", 1e3 / max(rates), 1e3 / STEPS_A_SECOND, "ms", note))

    forks = []
    for task in tasks:
        for episode in stepped(*started(task, domain)):
            began = time.process_time()
            episode.fork()
            forks.append(time.process_time() - began)
    note = f"{len(forks)} forks, slowest {1e3 * max(forks):.2f} ms"
    print(Result("a fork of an episode, mean", 1e3 * sum(forks) / len(forks), FORK_MS, "ms", note))

    tracemalloc.start()
    alive = []
    for number in range(LIVE):
        episode, agent = started(tasks[number % len(tasks)], domain)
        for _ in range(number % 12):
            next(stepped(episode, agent), None)
        alive.append(episode)
    used = tracemalloc.get_traced_memory()[0] / 1e6
    print(Result(f"{len(alive)} live episodes at turns 0 to 11", used, LIVE_MB, "MB", "traced by tracemalloc"))


if __name__ == "__main__":
    main()
