"""The composed files of our suites are what the commands of the docs make, and their tasks make sense.

A quarter of each is composed again: a command makes its tasks one after the other, so those are its first.
"""

import json
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.environment import Environment, State
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import REWORDED, SPLITS, read_splits
from pytest_tau.schema.calls import Action
from pytest_tau.schema.scenario import Instructions
from tau_workshop.compose.suite import CORE, HARD
from tests.builders import workshop_part
from tests.docs.markdown import PAGES

_COMMAND = re.compile(r"^\$ (pytest-tau generate .*(?:--suite|-o) tasks/(\w+)(?:/\S+)?)\n(tasks/.*)$", re.MULTILINE)
FAST = ("telecom", "telecom_long")
WITH_SPLITS = ("retail", "airline", "insurance", "telecom")
SLOW = ("retail", "retail_desk", "retail_long", "airline", "airline_long", "insurance")
SUITES = [*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@dataclass(frozen=True)
class Command:
    """A command of the docs that makes a file of a suite, and the line that it prints."""

    words: list[str]
    said: str

    @property
    def file(self) -> Path:
        """Within the folder of all suites."""
        target = Path(self.words[-1]).relative_to("tasks")
        return target if target.suffix else target / "composed.json"

    def halves(self) -> list[list[Any]]:
        """The tasks of the frozen file: two parts that share no customer, and one where it has no splits."""
        tasks = json.loads((builtin_folder("tasks", self.file.parent.name) / self.file.name).read_text("utf-8"))
        first = len(tasks) if "-o" in self.words else (len(tasks) + 1) // 2
        return [tasks[:first], tasks[first:]]


def commands(suite: str) -> list[Command]:
    """The commands of the docs that make a suite, in their order."""
    found = [hit for page in PAGES for hit in _COMMAND.findall(page.read_text(encoding="utf-8"))]
    return [Command(shlex.split(command)[1:], said) for command, name, said in found if name == suite]


@pytest.mark.parametrize("suite", SUITES)
def test_the_commands_of_the_docs_make_the_frozen_suite(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = builtin_folder("tasks", suite)
    made = {command.file.name for command in commands(suite)}
    folder = tmp_path / "tasks" / suite
    shutil.copytree(frozen, folder, ignore=shutil.ignore_patterns(*made, SPLITS, REWORDED))
    monkeypatch.chdir(tmp_path)
    assert made
    for command in commands(suite):
        halves = command.halves()
        at = command.words.index("--n") + 1
        assert int(command.words[at]) == sum(map(len, halves))
        # Telecom shares its faults out among all tasks, so fewer tasks would not be its first ones.
        few = len(halves[0]) + len(halves[1]) if suite == "telecom" else max(2, int(command.words[at]) // 4)
        assert main([*command.words[:at], str(few), *command.words[at + 1 :]]) == 0
        again = json.loads((folder / command.file.name).read_text(encoding="utf-8"))
        one = few if "-o" in command.words else (few + 1) // 2
        assert [json.dumps(task) for task in again] == [
            json.dumps(task) for task in [*halves[0][:one], *halves[1][: few - one]]
        ]
        shutil.copy(frozen / command.file.name, folder)


@pytest.mark.parametrize("suite", WITH_SPLITS)
def test_splits_are_made_of_the_halves_of_its_files(suite: str) -> None:
    frozen = builtin_folder("tasks", suite)
    splits = read_splits(frozen / "x.json") or {}
    halves = [command.halves() for command in commands(suite)]
    composed = [task for parts in halves for half in parts for task in half]
    assert splits["train"] == [task["id"] for train, _ in halves for task in train]
    assert splits["test"] == [task["id"] for _, test in halves for task in test]
    assert splits["hard"] == [task["id"] for task in composed if HARD & set(task["tags"])]
    assert sorted(splits["base"]) == sorted(task.id for task in load_tasks(suite, split="base"))
    assert len(splits["core"]) == CORE
    assert set(splits["core"]) <= {*splits["base"]} - {*splits["test"]}
    sizes = ", ".join(f"{name} {len(splits[name])}" for name in ("core", "base", "hard", "train", "test"))
    assert commands(suite)[-1].said == f"{commands(suite)[-1].words[-1]}: {sizes}"


@pytest.mark.parametrize("suite", ["retail", "airline", "telecom"])
def test_every_paraphrase_is_one_of_a_task(suite: str) -> None:
    words = json.loads((builtin_folder("tasks", suite) / REWORDED).read_text(encoding="utf-8"))
    assert words.keys() <= {task.id for task in load_tasks(suite)}


@pytest.mark.parametrize("suite", ["airline", "airline_long"])
def test_nobody_books_a_trip_for_days_on_which_they_are_on_another(suite: str) -> None:
    tables = load_domain("airline").environment().dump()["agent"]
    booked = 0
    for task in load_tasks(suite):
        calls = [step.arguments for step in task.gold_actions if step.name == "book_reservation"]
        for call in calls if "composed" in task.tags else ():
            booked += 1
            going, days = names(call), sorted(leg["date"] for leg in call["flights"])
            for number in tables["users"][call["user_id"]]["reservations"]:
                trip = tables["reservations"][number]
                other = sorted(leg["date"] for leg in trip["flights"])
                apart = other[-1] < days[0] or days[-1] < other[0]
                assert apart or not going & names(trip), (task.id, number)
    assert booked >= 10


def names(trip: dict[str, list[dict[str, str]]]) -> set[str]:
    return {f"{one['first_name']} {one['last_name']}" for one in trip["passengers"]}


@pytest.mark.parametrize("suite", ["retail", "airline", "insurance"])
def test_who_hears_all_wishes_at_once_may_fulfil_those_for_a_record_in_any_order(suite: str) -> None:
    domain, swapped = load_domain(suite), 0
    for task in load_tasks(suite):
        if not {"at_once", "same_record"} <= set(task.tags):
            continue
        env = domain.environment(task)
        writes = [step for step in task.gold_actions if env.writes(step.name) or step.requestor == "user"]
        gold = state_after(writes, env)
        for first, second in combinations(writes, 2):
            if first.name == second.name or not set(map(str, first.arguments.values())) & {
                str(second.arguments.get(name)) for name in ("order_id", "reservation_id", "policy_id", "claim_id")
            }:
                continue
            others = [step for step in writes if step is not second]
            at = next(place for place, step in enumerate(others) if step is first)
            end = state_after([*others[:at], second, *others[at:]], domain.environment(task))
            swapped += end is not None
            assert end in (None, gold), (task.id, str(first), str(second))
    assert swapped or suite == "insurance"


def state_after(steps: Sequence[Action], env: Environment) -> State | None:
    """The state after these calls; None where one of them fails, as none can follow a cancellation."""
    failed = [step for step in steps if env.call(step.name, step.arguments, step.requestor).error]
    return None if failed else env.state()


@pytest.mark.parametrize(("suite", "number"), [("retail", r"#W\d{7}"), ("airline", r"\b(?=[A-Z]*\d)[A-Z0-9]{6}\b")])
def test_who_says_a_number_does_not_say_that_they_have_none(suite: str, number: str) -> None:
    hidden = [task for task in load_tasks(suite, split="base") if "ids_hidden" in task.tags]
    assert len(hidden) > 20
    for task in hidden:
        told = task.user_scenario.instructions
        assert isinstance(told, Instructions)
        said = " ".join([told.reason_for_call, *(moment.say for moment in told.later or [])])
        assert not re.search(number, said), task.id


@pytest.mark.parametrize("suite", ["retail", "airline", "insurance"])
def test_a_family_names_the_seed_of_its_suite(suite: str) -> None:
    words = commands(suite)[0].words
    family = workshop_part(builtin_folder("domains", suite), "atoms").family
    assert family.seed == int(words[words.index("--seed") + 1])
