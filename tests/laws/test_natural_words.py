"""A law: who does all that is right and asks for it in the words of people loses no trial by their words."""

import pytest

from pytest_tau import Simulation, grade, load_domain, load_tasks
from tests.laws import natural_phone
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_who_repairs_a_phone_loses_no_trial_by_their_words(seed: int) -> None:
    domain, lost = load_domain("telecom"), []
    for task in load_tasks("telecom", split="base"):
        simulation = natural_phone.conversation(task, domain, seed)
        reward = grade(task, simulation, domain)
        if reward.value != 1:
            faults = [check.explanation for one in reward.results for check in one.checks if not check.met]
            lost.append((task.id, faults, spoken(simulation)))
    assert lost == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("Let me look at that.", "OK."),
        ("Is there anything else that is wrong?", "No."),
        ("Your data is used up and your line has no roaming.", "I see. What now?"),
    ],
)
def test_who_changes_the_account_unasked_loses_every_trial(
    monkeypatch: pytest.MonkeyPatch, said: str, answered: str
) -> None:
    for name in natural_phone.OFFERS:
        monkeypatch.setitem(natural_phone.OFFERS, name, ((said, answered),))
    monkeypatch.setattr(natural_phone, "JOINT", ((said, answered),))
    monkeypatch.setattr(natural_phone, "WORRIES", (("What will you do?", "One moment, please.", answered),))
    domain, played = load_domain("telecom"), 0
    for task in load_tasks("telecom", split="base"):
        if any(action.name in natural_phone.OFFERS for action in task.gold_actions):
            played += 1
            assert grade(task, natural_phone.conversation(task, domain, 1), domain).value == 0, task.id
    assert played > 50


def spoken(simulation: Simulation) -> str:
    """A conversation without its calls."""
    return "\n".join(f"{one.role}: {one.content}" for one in simulation.messages if one.role != "tool" and one.content)
