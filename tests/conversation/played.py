"""Conversations of the mock domain, played by lists of replies."""

from typing import Any

from pytest_tau import Simulation, Task, simulate
from tests.builders import Lines, mock, task

STOP = "Thanks ###STOP###"


def run(agent: Any, user: Any = (STOP,), played: Task | None = None, **options: Any) -> Simulation:
    """Play the mock domain; lists of replies become players."""
    players = [Lines(p) if isinstance(p, (list, tuple)) else p for p in (agent, user)]
    return simulate(played or task(), mock(), *players, **options)


def contents(sim: Simulation) -> list[str | None]:
    return [message.content for message in sim.messages]
