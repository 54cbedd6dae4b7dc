"""What retail's customers can want: composed, proven, played, and told in words that are theirs alone."""

import json
import re
from functools import cache

import pytest

from pytest_tau import Domain, Task, generate, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.domain import load_part
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import read_splits, task_problems
from pytest_tau.generation.compose import Family, Knobs
from pytest_tau.generation.compose.building import build
from pytest_tau.generation.compose.plans import Planner


@cache
def retail() -> Domain:
    return load_domain(builtin_folder("domains", "retail"))


@cache
def some() -> list[Task]:
    return generate(builtin_folder("domains", "retail"), 8, 5)


@cache
def frozen() -> dict[str, Task]:
    return {task.id: task for task in load_tasks(builtin_folder("tasks", "retail"), split="base")}


def splits() -> dict[str, list[str]]:
    found = read_splits(builtin_folder("tasks", "retail") / "composed.json")
    assert found is not None
    return found


def family() -> Family:
    found = load_part(builtin_folder("domains", "retail"), "atoms").family
    assert isinstance(found, Family)
    return found


def test_the_same_seed_gives_the_same_tasks() -> None:
    again = generate(builtin_folder("domains", "retail"), 3, 5)
    assert [task.model_dump_json() for task in again] == [task.model_dump_json() for task in some()[:3]]
    assert generate(builtin_folder("domains", "retail"), 3, 6) != again


@pytest.mark.parametrize(("agent", "passing"), [("oracle", 8), ("noop", 0)])
def test_composed_tasks_played(agent: str, passing: int) -> None:
    passed = sum(bool(grade(task, simulate(task, retail(), agent), retail()).passed) for task in some())
    assert passed == passing


def test_hundreds_of_plans_differ_in_customers_and_in_words() -> None:
    planner = Planner(family(), retail(), 1)
    plans = [plan for plan, _ in zip(planner.plans(), range(80), strict=False)]
    openings = set()
    for plan in plans:
        instructions = build(plan, family(), "retail", planner.changes).task.user_scenario.instructions
        openings.add(json.dumps(instructions if isinstance(instructions, str) else instructions.reason_for_call))
    assert len({plan.key for plan in plans}) == 80
    assert len(openings) >= 79
    assert len({plan.customer.key for plan in plans}) >= 60
    writes = [sum(planner.writes(one.atom) for one in plan.wishes if one.mind != "withdrawn") for plan in plans]
    assert set(writes) >= set(range(5))
    assert sum(number >= 3 for number in writes) >= 20


def test_two_parts_have_no_customer_and_no_wording_in_common() -> None:
    first, second = (
        [plan for plan, _ in zip(Planner(family(), retail(), 1, Knobs(part=part)).plans(), range(30), strict=False)]
        for part in (0, 1)
    )
    assert not {plan.customer.key for plan in first} & {plan.customer.key for plan in second}
    assert not {plan.persona.text for plan in first} & {plan.persona.text for plan in second}
    assert {one.wording for plan in first for one in plan.wishes} <= {0, 2, 4}
    assert {one.wording for plan in second for one in plan.wishes} <= {1, 3, 5}


@pytest.mark.parametrize(("knobs", "tags"), [
    (Knobs(writes=(4, 5)), {"writes_4", "writes_5"}),
    (Knobs(refusals="mixed"), {"mixed"}),
    (Knobs(refusals="only"), {"writes_0"}),
    (Knobs(ids="hidden", writes=(1, 1), refusals="none"), {"ids_hidden"}),
    (Knobs(told="in_turn", writes=(2, 2)), {"in_turn"}),
    (Knobs(mind="withdrawn", writes=(1, 2)), {"withdrawn"}),
    (Knobs(mind="revised", writes=(1, 2)), {"revised"}),
    (Knobs(demands=("false_belief",)), {"false_belief"}),
    (Knobs(demands=("abstract",)), {"abstract"}),
    (Knobs(persona="unsure"), {"persona_unsure"}),
    (Knobs(same_record=True, writes=(2, 3)), {"same_record"}),
])  # fmt: skip
def test_every_knob_is_a_tag(knobs: Knobs, tags: set[str]) -> None:
    for task in generate(builtin_folder("domains", "retail"), 2, 1, knobs):
        assert set(task.tags) & tags, task.tags


def test_the_frozen_suite_is_large_and_as_hard_as_the_public_one() -> None:
    assert len(frozen()) == len(load_tasks(builtin_folder("tasks", "retail"))) >= 150
    assert 1 <= len(splits()["core"]) <= 30
    composed = [task for task in frozen().values() if "composed" in task.tags]
    writes = [int(tag.removeprefix("writes_")) for task in composed for tag in task.tags if tag.startswith("writes_")]
    assert sum(number >= 3 for number in writes) >= len(frozen()) / 4
    assert sum(writes) / len(frozen()) >= 1.5
    assert set(writes) == set(range(7))


def test_train_and_test_have_no_record_and_no_opening_in_common() -> None:
    train, test = ([frozen()[task_id] for task_id in splits()[name]] for name in ("train", "test"))
    assert len(train) == len(test) == 80
    for pattern in (r"[a-z]+_[a-z]+_\d{4}\b", r"#W\d{7}", r"'persona': '[^']*'", r"'reason_for_call': ['\"][^.!]*[.!]"):
        first, second = (set(re.findall(pattern, str([task.model_dump() for task in half]))) for half in (train, test))
        assert first
        assert not first & second


@pytest.mark.parametrize(("agent", "passing"), [("oracle", 1), ("noop", 0)])
def test_the_frozen_suite_played_through(agent: str, passing: int) -> None:
    found = {bool(grade(task, simulate(task, retail(), agent), retail()).passed) for task in frozen().values()}
    assert found == {bool(passing)}


def test_the_frozen_suite_fits_the_domain_and_its_policy() -> None:
    headings = set(re.findall(r"^#+ (.+)$", retail().policy, re.MULTILINE))
    for task in frozen().values():
        assert list(task_problems(task, retail())) == []
        assert task.description is not None
        for named in (task.description.relevant_policies or "").split("; "):
            assert set(named.split(": ")) <= headings
