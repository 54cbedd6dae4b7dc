"""The composed files of our suites are what the commands of the docs print, and their tasks make sense."""

import json
import re
import shlex
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.environment import Environment, State
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import REWORDED, SPLITS, read_splits
from pytest_tau.schema.calls import Action
from pytest_tau.schema.scenario import Instructions
from tests.docs.markdown import PAGES

_COMMAND = re.compile(r"^\$ (pytest-tau generate .*(?:--suite|-o) tasks/(\w+)(?:/\S+)?)\n(tasks/.*)$", re.MULTILINE)
MADE = ("core", "base", "hard", "train", "test")
FAST = ("telecom", "telecom_long")
SUITES = [*FAST, *(pytest.param(name, marks=pytest.mark.slow)
                   for name in ("retail", "airline", "insurance", "retail_long", "airline_long"))]  # fmt: skip


def commands(suite: str) -> list[tuple[str, str]]:
    """The commands of the docs that make a suite, in their order, each with the line that it prints."""
    found = [hit for page in PAGES for hit in _COMMAND.findall(page.read_text(encoding="utf-8"))]
    return [(command, said) for command, name, said in found if name == suite]


def file_of(command: str) -> str:
    target = Path(command.split()[-1])
    return target.name if target.suffix else "composed.json"


@pytest.mark.parametrize("suite", SUITES)
def test_the_commands_of_the_docs_make_the_frozen_suite(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frozen = builtin_folder("tasks", suite)
    made = {file_of(command) for command, _ in commands(suite)}
    folder = tmp_path / "tasks" / suite
    shutil.copytree(frozen, folder, ignore=shutil.ignore_patterns(*made, SPLITS, REWORDED))
    others = {name: ids for name, ids in (read_splits(frozen / "x.json") or {}).items() if name not in MADE}
    if others:  # which no command makes, and each keeps
        (folder / SPLITS).write_text(json.dumps(others), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert made
    for command, said in commands(suite):
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out.strip() == said, command
    for name in made | ({SPLITS} if (frozen / SPLITS).is_file() else set()):
        assert (folder / name).read_bytes() == (frozen / name).read_bytes(), name


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
