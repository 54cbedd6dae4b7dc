"""The suites of long episodes: their number and length, and what an oracle earns, whole and cut off."""

import json
from pathlib import Path

import pytest

from pytest_tau import Task, grade, load_domain, simulate
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.generation.compose.long import Length, turns_of
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import whole

SUITES = ("retail_long", "airline_long", "telecom_long")
LENGTH = Length()


def suite(name: str) -> list[Task]:
    return whole(name)


@pytest.mark.parametrize("name", SUITES)
def test_there_are_thirty_of_six_to_fifteen_changes(name: str) -> None:
    tasks = suite(name)
    writes = load_domain(name.removesuffix("_long")).environment().writes
    assert len(tasks) >= 30
    for task in tasks:
        changes = sum(writes(step.name, step.requestor) for step in task.gold_actions)
        assert LENGTH.writes[0] <= changes <= LENGTH.writes[1], task.id


@pytest.mark.parametrize("name", SUITES)
def test_ten_are_written_by_hand(name: str) -> None:
    assert sum("written" in task.tags for task in suite(name)) >= 10


def check(task: Task, name: str) -> None:
    domain = load_domain(name.removesuffix("_long"))
    played = simulate(task, domain)
    reward = grade(task, played, domain)
    assert (reward.value, reward.progress) == (1.0, 1.0), task.id
    assert LENGTH.turns[0] <= turns_of(played) <= LENGTH.turns[1], task.id
    if task.evaluation_criteria and task.evaluation_criteria.milestones:
        return
    writes = domain.environment().writes
    spoken = [one for one in played.messages if not isinstance(one, ToolMessage)]
    names = {call.id: call.name for one in spoken for call in one.tool_calls or []}
    results = [(at, one) for at, one in enumerate(played.messages) if isinstance(one, ToolMessage)]
    made = [at for at, one in results if writes(names[one.id], one.requestor)]
    half = len(made) // 2
    cut = {"messages": played.messages[: made[half - 1] + 1], "termination_reason": Termination.MAX_STEPS}
    reward = grade(task, played.model_copy(update=cut), domain)
    assert (reward.value, reward.progress) == (0.0, half / len(made)), task.id
    again = Simulation.model_validate_json(played.model_dump_json())
    assert grade(task, again, domain).stations == grade(task, played, domain).stations


@pytest.mark.parametrize("name", SUITES)
def test_an_oracle_solves_them_and_gets_as_far_as_it_goes(name: str) -> None:
    tasks = suite(name)
    for task in [*tasks[:1], *[one for one in tasks if "written" in one.tags][-2:]]:
        check(task, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUITES)
def test_so_does_every_second_task(name: str) -> None:
    for task in suite(name)[::2]:
        check(task, name)


def test_some_have_several_conversations_interruptions_and_facts_told_once() -> None:
    tags = {tag for name in SUITES for task in suite(name) for tag in task.tags}
    assert {"two_customers", "interrupted", "facts_told_once", "correction", "abandoned", "dependent"} <= tags


@pytest.mark.parametrize("name", SUITES)
def test_the_composed_ones_are_as_they_are_generated(name: str) -> None:
    path = Path(builtin_folder("tasks", name)) / "composed.json"
    assert len(json.loads(path.read_text(encoding="utf-8"))) >= 20
