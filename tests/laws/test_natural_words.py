"""A law: who does all that is right and asks for it in the words of people loses no trial by their words."""

import pytest

from pytest_tau import Simulation, grade, load_domain, load_tasks
from tests.laws.natural import conversation

SUITES = [
    *((name, "core", seed) for name in ("retail", "airline") for seed in (1, 2)),
    *(pytest.param(name, None, seed, marks=pytest.mark.slow) for name in ("retail", "airline") for seed in range(3, 7)),
]


@pytest.mark.parametrize(("suite", "split", "seed"), SUITES)
def test_right_agents_lose_no_trial_by_their_words(suite: str, split: str | None, seed: int) -> None:
    domain, played, lost = load_domain(suite), 0, []
    for task in load_tasks(suite, split=split):
        simulation = conversation(task, domain, seed)
        if simulation is None:
            continue
        played += 1
        reward = grade(task, simulation, domain)
        if reward.value != 1:
            faults = [check.explanation for one in reward.results for check in one.checks if not check.met]
            lost.append((task.id, faults, spoken(simulation)))
    assert played > 10
    assert lost == []


def spoken(simulation: Simulation) -> str:
    """A conversation without its calls."""
    return "\n".join(f"{one.role}: {one.content}" for one in simulation.messages if one.role != "tool" and one.content)
