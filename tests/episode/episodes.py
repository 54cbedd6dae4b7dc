"""Episodes for tests: short ones, further ones, and what of their records says how they went."""

from typing import Any

from pytest_tau import Episode, Simulation
from tests.builders import Lines, mock, task

STOP = "Thanks ###STOP###"


def some_lines(user: Any = ("Hi", STOP), **options: Any) -> Episode:
    """An episode of the mock domain whose customer says these lines."""
    return Episode(task(), mock(), (lambda context: Lines(user)) if isinstance(user, tuple) else user, **options)


def acted(episode: Episode, actions: list[Any]) -> Episode:
    """The episode after these actions."""
    for action in actions:
        episode.step(action)
    return episode


def record(simulation: Simulation) -> dict[str, Any]:
    """All of a record that is not about the moment it was played."""
    dumped = simulation.model_dump(exclude={"id", "start_time", "end_time", "duration", "agent"})
    for message in dumped["messages"]:
        message["timestamp"] = message["generation_time_seconds"] = None
    return dumped
