"""The suites of long episodes: their number and length, what an oracle earns, milestones in those written by hand."""

import pytest

from pytest_tau import Task, grade, load_domain, simulate
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import EvaluationCriteria
from tau_workshop.compose.long import Length, turns_of
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


@pytest.mark.parametrize("name", SUITES)
def test_the_range_of_changes_is_used(name: str) -> None:
    sizes = {tag for task in suite(name) for tag in task.tags if tag.startswith("writes_")}
    assert {"writes_6", "writes_8", "writes_10", "writes_15"} <= sizes


MESSAGES, STATE = {"said"}, {"record", "count", "assertion"}


@pytest.mark.parametrize("name", SUITES)
def test_those_written_by_hand_have_milestones_of_all_three_kinds(name: str) -> None:
    for task in suite(name):
        if "written" not in task.tags:
            continue
        assert task.evaluation_criteria is not None
        milestones, minefields = task.evaluation_criteria.milestones or [], task.evaluation_criteria.minefields
        kinds = {one.when.check for one in milestones}
        assert kinds & STATE, task.id
        assert kinds - STATE - MESSAGES, task.id  # of the trajectory
        assert kinds & MESSAGES, task.id
        assert any(one.after for one in milestones), task.id
        assert minefields, task.id


@pytest.mark.parametrize("name", SUITES)
def test_their_stations_have_names_for_people(name: str) -> None:
    domain = load_domain(name.removesuffix("_long"))
    tools = {spec.name for side in ("assistant", "user") for spec in domain.environment().tool_specs(side)}
    for task in suite(name):
        if "written" in task.tags:
            criteria = task.evaluation_criteria or EvaluationCriteria()
            for point in [*(criteria.milestones or []), *(criteria.minefields or [])]:
                assert not any(tool in point.id for tool in tools), (task.id, point.id)
                assert not any(character.isdigit() for character in point.id), (task.id, point.id)


def check(task: Task, name: str) -> None:
    domain = load_domain(name.removesuffix("_long"))
    played = simulate(task, domain)
    reward = grade(task, played, domain)
    assert (reward.value, reward.progress) == (1.0, 1.0), task.id
    assert LENGTH.turns[0] <= turns_of(played) <= LENGTH.turns[1], task.id
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


@pytest.mark.parametrize("name", SUITES[:2])
def test_who_calls_again_is_the_same_and_asks_for_nothing_that_is_closed(name: str) -> None:
    for task in suite(name):
        number = len(task.episodes or []) + 1
        calls = [task.in_episode(one) for one in range(1, number + 1)]
        people: dict[str, list[Task]] = {}
        for key, call in zip(task.id.split(".then."), calls, strict=False):
            people.setdefault(key.partition(".")[0], []).append(call)
        for same in people.values() if "composed" in task.tags else ():
            assert len({call.user_scenario.persona for call in same}) == 1, task.id
            openings = [call.user_scenario.instructions.reason_for_call for call in same]  # type: ignore[union-attr]
            assert len({opening.partition(".")[0] for opening in openings}) == len(openings), task.id
            changed = [records_of(call) for call in same]
            assert sum(map(len, changed)) == len(set().union(*changed)), task.id


def records_of(call: Task) -> set[str]:
    writes = load_domain(call.domain_name or "").environment().writes
    made = [step.arguments for step in call.gold_actions if writes(step.name, step.requestor)]
    return {str(one[name]) for one in made for name in ("order_id", "reservation_id") if name in one}


def test_a_phone_is_in_one_place_and_one_hand_in_all_calls() -> None:
    for task in suite("telecom_long"):
        if "written" in task.tags:
            continue
        scenarios = [task.user_scenario, *(visit.user_scenario for visit in task.episodes or [])]
        assert len({one.persona for one in scenarios}) == 1, task.id
        known = {one.instructions.known_info for one in scenarios if isinstance(one.instructions, Instructions)}
        assert len(known) == 1, task.id
