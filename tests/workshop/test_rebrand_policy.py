"""Ghosts: a domain under other values, and the stub that knows the old ones by heart."""

import json
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.cli import main
from pytest_tau.environment.domain import find_domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import split_ids
from pytest_tau.environment.values import declared_values
from pytest_tau.errors import SettingsError, TauError
from pytest_tau.schema.scenario import Instructions
from tau_workshop.audit.suite import audit_task
from tau_workshop.parts import load_workshop_part
from tau_workshop.policy.book import with_rules
from tau_workshop.rebrand_policy import draw_values, rebrand_policy, write_ghost
from tau_workshop.rebrand_worlds import gold_of, plays
from tests.builders import whole
from tests.docs.markdown import ROOT, files

GHOSTS = ["airline", "insurance", "retail", "telecom"]


def folder_of(name: str) -> Path:
    return builtin_folder("domains", name).resolve()


@pytest.mark.parametrize("name", GHOSTS)
def test_every_value_is_another_one_of_its_choices_and_the_seed_decides(name: str) -> None:
    declared = declared_values(folder_of(name))
    one, again, other = (draw_values(declared, seed) for seed in (1, 1, 2))
    assert one == again != other
    assert set(one) == set(declared)
    assert all(one[value] in declared[value].choices and one[value] != declared[value].value for value in one)


@pytest.mark.parametrize("name", GHOSTS)
def test_the_built_in_ghosts_are_those_of_the_first_seed(name: str, tmp_path: Path) -> None:
    source, target = folder_of(name), tmp_path / "domains" / f"{name}_ghost"
    write_ghost(source, target, draw_values(declared_values(source), 1))
    there = folder_of(f"{name}_ghost")
    files = sorted(path.relative_to(target) for path in target.rglob("*.*"))
    assert files == sorted(path.relative_to(there) for path in there.rglob("*.*") if "__pycache__" not in path.parts)
    assert [file for file in files if (target / file).read_bytes() != (there / file).read_bytes()] == []


@pytest.mark.parametrize("name", GHOSTS)
def test_each_changed_value_has_a_task_and_pairs_are_in_both_suites(name: str) -> None:
    tasks, declared = whole(f"{name}_ghost"), declared_values(folder_of(f"{name}_ghost"))
    tags = {tag for task in tasks for tag in task.tags}
    assert {f"value_{value}" for value in declared} <= tags
    originals = {task.id: task for task in whole(name)}
    paired = split_ids(builtin_folder("tasks", f"{name}_ghost") / "composed.json", "paired")
    assert paired is not None
    assert len(paired) >= 20
    assert set(paired) == set(split_ids(builtin_folder("tasks", name) / "composed.json", "paired") or ())
    ghosts = {task.id: task for task in tasks}
    assert all(gold_of(ghosts[one]) != gold_of(originals[one]) for one in paired)


@pytest.mark.parametrize("name", GHOSTS)
def test_tasks_of_ghosts_say_which_rules_they_rest_on(name: str) -> None:
    domain = load_domain(f"{name}_ghost")
    for task in whole(f"{name}_ghost"):
        assert task.rules
        assert task.rules == with_rules(task.model_copy(update={"rules": None}), domain).rules
        assert domain.rules.by_id.keys() >= set(task.rules)


def test_a_stub_is_caught_for_the_value_and_not_for_another_card() -> None:
    tasks = [task for task in whole("airline_ghost") if "value_cancel_hours" in task.tags]
    assert len(tasks) == 3
    assert all("cancel_reservation" in str(gold_of(task)) for task in tasks)


@pytest.mark.parametrize(("hours", "days"), [(12, []), (24, ["within a day"]), (48, ["within two days"])])
def test_a_reason_for_no_names_no_other_time(hours: int, days: list[str], tmp_path: Path) -> None:
    target = tmp_path / "domains" / f"airline_{hours}"
    write_ghost(folder_of("airline"), target, {"cancel_hours": hours})
    part = load_workshop_part(target, "atoms.refused_cancelling")
    assert part is not None
    named = [one for one in part.NO_GROUND.any_of if isinstance(one, str) and ("hours" in one or "day" in one)]
    assert set(days) <= set(named) <= {part.NO_GROUND.any_of[0], *part.HOURS, *days, "hours ago"}


def test_who_asks_for_a_value_tells_of_nothing_else() -> None:
    known = [task.user_scenario.instructions for task in whole("airline_ghost") if task.id.startswith("ask.")]
    assert len(known) == 3
    assert not any("new trip" in str(one.known_info) for one in known if isinstance(one, Instructions))


@pytest.mark.slow
def test_a_value_that_no_task_would_show_stays_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 20 % of a loss in advance: no claim comes to the most that would be paid, whatever that is.
    asked = ("--seed", "11", "--n", "6", "-o", str(tmp_path))
    assert main(["rebrand", "insurance", "--policy", *asked]) == 0
    said = capsys.readouterr().out
    assert "advance_most stays 3500: no task would show another value here" in said
    assert ", of which 0 have" not in said
    assert declared_values(tmp_path / "domains" / "insurance_ghost_11")["advance_most"].value == 3500


@pytest.mark.parametrize("name", GHOSTS)
def test_ghosts_audit_as_their_originals(name: str) -> None:
    originals = {task.id: task for task in whole(name)}
    ghost = next(task for task in whole(f"{name}_ghost") if task.id in originals)
    for task, domain in [(ghost, f"{name}_ghost"), (originals[ghost.id], name)]:
        found = audit_task(task, load_domain(domain), number=3, seed=1)
        assert (found.findings, found.trivial) == ([], [])
        assert found.mutation.killed == found.mutation.made > 0


def test_an_agent_that_goes_by_the_old_policy_misses_the_pairs() -> None:
    domain, originals = load_domain("telecom_ghost"), {task.id: task for task in whole("telecom")}
    for task in whole("telecom_ghost")[:6]:
        old = originals[task.id].evaluation_criteria
        assert plays(task, task, domain)
        assert not plays(task.model_copy(update={"evaluation_criteria": old}), task, domain)


@pytest.mark.slow
def test_a_ghost_by_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = str(tmp_path)
    assert main(["rebrand", "telecom", "--policy", "--seed", "7", "--n", "4", "-o", where]) == 0
    told = capsys.readouterr().out
    assert "telecom_ghost_7: 5 tasks, of which 4 have a pair" in told
    assert "an agent that still goes by 2" in told
    tasks = json.loads((tmp_path / "tasks" / "telecom_ghost_7" / "composed.json").read_text("utf-8"))
    assert {task["domain"] for task in tasks} == {"telecom_ghost_7"}
    assert main(["check", str(tmp_path / "domains" / "telecom_ghost_7")]) == 0
    with pytest.raises(SettingsError, match="already exists"):
        rebrand_policy("telecom", tmp_path, seed=7)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The library of the pages, with a declared value, in a project that is not the current folder."""
    found = {**files(ROOT / "docs" / "write_a_domain.md"), **files(ROOT / "docs" / "compose_tasks.md")}
    code = "VALUES = values_of(__package__)\n\n\nclass LibraryTools"
    edits = {
        "domains/library/tools.py": [
            ("Toolkit, tool", "Toolkit, tool, values_of"),
            ("class LibraryTools", code),
            ("db: LibraryDB", "db: LibraryDB\n    values = VALUES"),
            ("days=14", 'days=VALUES["days"]'),
        ],
        "workshop/domains/library/atoms.py": [
            ("LONGER = ", "from .tools import VALUES\n\nLONGER = "),
            ("days=14", 'days=VALUES["days"]'),
        ],
        "domains/library/policy.md": [("14 days", "{days} days")],
    }
    found["domains/library/values.toml"] = "[days]\nvalue = 14\nrange = [7, 28, 7]\n"
    for path, text in found.items():
        for old, new in edits.get(path, []):
            text = text.replace(old, new, 1)
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path / "domains" / "library"


def test_a_ghost_of_an_own_domain_stands_beside_it(library: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="has to stand beside it: -o"):
        rebrand_policy(library, tmp_path / "mine", seed=1)
    ghost = rebrand_policy(library, tmp_path, seed=1)
    assert list(ghost.caught) == ["days"]
    assert (ghost.domain.folder / "values.toml").read_text("utf-8").startswith('base = "library"\n')
    assert main(["check", str(ghost.domain.folder)]) == 0


def test_what_cannot_be_changed_is_said(tmp_path: Path) -> None:
    with pytest.raises(TauError, match="no value has a range or choices"):
        rebrand_policy("mock", tmp_path, seed=1)
    with pytest.raises(SettingsError, match="cannot be the name of a domain"):
        rebrand_policy("retail", tmp_path, seed=1, called="My Shop")
    with pytest.raises(SettingsError, match="there is a built-in domain 'retail', and yours would take its place"):
        rebrand_policy("retail", tmp_path, seed=1, called="retail")
    assert find_domain("telecom_ghost").name == "telecom_ghost"
