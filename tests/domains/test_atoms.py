"""What the customers of retail and airline can want: composed, proven, played, and told in words that are theirs.

That the oracle passes each frozen task is seen where the suites are played: tasks/ is among the test paths.
"""

import json
import re
from functools import cache

import pytest

from pytest_tau import Domain, Task, generate, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import read_splits
from tau_workshop.compose import ComposeOptions, Family
from tau_workshop.compose.building import build
from tau_workshop.compose.plans import Plan, Planner
from tau_workshop.compose.suite import compose_tasks
from tests.builders import whole, workshop_part

each = pytest.mark.parametrize("name", ["retail", "airline"])


@cache
def domain(name: str) -> Domain:
    return load_domain(builtin_folder("domains", name))


@cache
def some(name: str) -> list[Task]:
    return compose_tasks(family(name), domain(name), 3, 5)


@cache
def frozen(name: str) -> dict[str, Task]:
    return {task.id: task for task in load_tasks(builtin_folder("tasks", name), split="base")}


def splits(name: str) -> dict[str, list[str]]:
    found = read_splits(builtin_folder("tasks", name) / "composed.json")
    assert found is not None
    return found


@cache
def family(name: str) -> Family:
    found = workshop_part(builtin_folder("domains", name), "atoms").family
    assert isinstance(found, Family)
    return found


def plans(name: str, number: int, options: ComposeOptions | None = None) -> tuple[Planner, list[Plan]]:
    planner = Planner(family(name), domain(name), 1, options or ComposeOptions())
    return planner, [plan for plan, _ in zip(planner.plans(), range(number), strict=False)]


@pytest.mark.slow
@each
def test_the_same_seed_gives_the_same_tasks(name: str) -> None:
    some(name)
    domain(name).memo.pop("customers", None)  # made anew, not taken from the first time
    again = generate(builtin_folder("domains", name), 1, 5)
    assert [task.model_dump_json() for task in again] == [task.model_dump_json() for task in some(name)[:1]]


@each
@pytest.mark.parametrize(("agent", "passing"), [("oracle", 3), ("noop", 0)])
def test_composed_tasks_played(name: str, agent: str, passing: int) -> None:
    passed = sum(bool(grade(task, simulate(task, domain(name), agent), domain(name)).passed) for task in some(name))
    assert passed == passing


@pytest.mark.slow
@each
def test_many_plans_differ_in_customers_and_in_words(name: str) -> None:
    planner, made = plans(name, 40)
    openings = set()
    for plan in made:
        instructions = build(plan, family(name), name, planner.changes).task.user_scenario.instructions
        openings.add(json.dumps(instructions if isinstance(instructions, str) else instructions.reason_for_call))
    assert len({plan.key for plan in made}) == 40
    assert len(openings) >= 39
    assert len({plan.customer.key for plan in made}) >= 30
    writes = [sum(planner.writes(one.atom) for one in plan.wishes if one.mind != "withdrawn") for plan in made]
    assert set(writes) >= set(range(5))
    assert sum(number >= 3 for number in writes) >= 10


@pytest.mark.slow
@each
def test_two_parts_have_no_customer_and_no_wording_in_common(name: str) -> None:
    first, second = (plans(name, 8, ComposeOptions(part=part))[1] for part in (0, 1))
    assert not {plan.customer.key for plan in first} & {plan.customer.key for plan in second}
    assert not {plan.persona.text for plan in first} & {plan.persona.text for plan in second}
    assert {one.wording for plan in first for one in plan.wishes} <= {0, 2, 4}
    assert {one.wording for plan in second for one in plan.wishes} <= {1, 3, 5}


@each
@pytest.mark.parametrize(("options", "tags"), [
    (ComposeOptions(writes=(4, 5)), {"writes_4", "writes_5"}),
    (ComposeOptions(refusals="mixed"), {"mixed"}),
    (ComposeOptions(refusals="only"), {"writes_0"}),
    (ComposeOptions(ids="hidden", writes=(1, 1), refusals="none"), {"ids_hidden"}),
    (ComposeOptions(told="in_turn", writes=(2, 2)), {"in_turn"}),
    (ComposeOptions(mind="withdrawn", writes=(1, 2)), {"withdrawn"}),
    (ComposeOptions(mind="revised", writes=(1, 2)), {"revised"}),
    (ComposeOptions(demands=("false_belief",)), {"false_belief"}),
    (ComposeOptions(demands=("abstract",)), {"abstract"}),
    (ComposeOptions(persona="unsure"), {"persona_unsure"}),
    (ComposeOptions(same_record=True, writes=(2, 3)), {"same_record"}),
])  # fmt: skip
def test_every_option_is_a_tag(name: str, options: ComposeOptions, tags: set[str]) -> None:
    planner, made = plans(name, 3, options)
    for plan in made:
        task = build(plan, family(name), name, planner.changes).task
        assert set(task.tags) & tags, task.tags


@pytest.mark.slow
@each
@pytest.mark.parametrize(
    "options",
    [ComposeOptions(mind="revised"), ComposeOptions(mind="withdrawn"), ComposeOptions(writes=(4, 6))],
    ids=str,
)
def test_what_an_option_asks_for_proves(name: str, options: ComposeOptions) -> None:
    assert len(compose_tasks(family(name), domain(name), 2, 1, options)) == 2


@each
def test_every_kind_of_wish_is_in_four_wordings_and_belongs_to_many(name: str) -> None:
    intents: dict[str, set[str]] = {}
    for customer in family(name).everybody(domain(name))[::20]:
        for atom in customer.atoms():
            assert len(set(atom.says)) == len(atom.says) >= 4, atom.intent
            assert len(atom.withdraws) in (0, *range(4, 8)), atom.intent
            intents.setdefault(atom.intent, set()).add(customer.key)
    assert len(intents) >= 45


@each
def test_the_frozen_suite_is_large_and_as_hard_as_the_public_one(name: str) -> None:
    assert len(frozen(name)) == len(whole(name)) >= 140
    assert 1 <= len(splits(name)["core"]) <= 30
    composed = [task for task in frozen(name).values() if "composed" in task.tags]
    writes = [int(tag.removeprefix("writes_")) for task in composed for tag in task.tags if tag.startswith("writes_")]
    assert sum(number >= 3 for number in writes) >= len(frozen(name)) / 4
    assert sum(writes) / len(frozen(name)) >= 1.5
    assert set(writes) == set(range(7))


@each
def test_train_and_test_have_no_record_and_no_opening_in_common(name: str) -> None:
    train, test = ([frozen(name)[task_id] for task_id in splits(name)[split]] for split in ("train", "test"))
    assert len(train) == len(test) >= 60
    record = {"retail": r"#W\d{7}", "airline": r"'reservation_id': '(?!NEW)[A-Z0-9]{6}'"}[name]
    for pattern in (r"[a-z]+_[a-z]+_\d{4}\b", record, r"'persona': '[^']*'", r"'reason_for_call': ['\"][^.!]*[.!]"):
        first, second = (
            set(re.findall(pattern, str([task.model_dump(exclude={"reworded"}) for task in half])))
            for half in (train, test)
        )
        assert first
        assert not first & second


@each
def test_the_frozen_suite_names_parts_of_the_policy(name: str) -> None:
    for task in frozen(name).values():
        headings = set(re.findall(r"^#+ (.+)$", domain(name).policy_for(task=task), re.MULTILINE))
        assert task.description is not None
        for named in (task.description.relevant_policies or "").split("; "):
            assert set(named.partition(" (")[0].split(": ")) <= headings
