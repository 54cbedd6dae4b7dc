"""Which rules the tasks of our domains guard, as the audit reports it, and that the task files say what books say."""

import json
from pathlib import Path
from shutil import copy

import pytest

from pytest_tau import load_domain
from pytest_tau.cli import main
from pytest_tau.environment.folders import builtin_root
from pytest_tau.environment.tasks import read_json
from tau_workshop.check import check
from tau_workshop.policy.book import find_book
from tau_workshop.policy.coverage import as_data, cover, render, tasks_of
from tau_workshop.policy.filling import filled, suite_paths
from tau_workshop.policy.page import page
from tests.builders import whole

DOMAINS = ["retail", "airline", "telecom", "insurance", "mock"]
LEAST = 0.95


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_our_policies_are_guarded(name: str) -> None:
    domain = load_domain(name)
    found = cover(domain, tasks_of(domain, builtin_root("tasks")))
    assert found.share >= LEAST, [one.rule.id for one in found.of("open")]
    assert not found.unknown
    assert all(one.rule.named or one.unguarded for one in found.rules), "a rule without a name says why none guards it"


@pytest.mark.parametrize("name", DOMAINS)
def test_a_book_is_about_rules_of_its_policy(name: str) -> None:
    domain = load_domain(name)
    book = find_book(domain)
    assert book is not None
    assert {clause.rule for clause in book.clauses} <= domain.rules.by_id.keys()


@pytest.mark.parametrize("each", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_task_files_have_the_rules_of_the_book_and_nothing_else(each: int) -> None:
    for path in list(suite_paths())[::each]:
        assert_filled(path)


def assert_filled(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert filled(text, str(path)) == text
    content = read_json(path)
    tasks = content if isinstance(content, list) else [content]
    without = [{key: value for key, value in task.items() if key != "rules"} for task in tasks]
    bare = json.dumps(without if isinstance(content, list) else without[0], indent=2, ensure_ascii=False) + "\n"
    again = json.loads(filled(bare, str(path)))
    assert (again if isinstance(again, list) else [again]) == tasks


def test_the_report_names_what_is_open_and_what_is_free() -> None:
    mock = load_domain("mock")
    found = cover(mock, [task.model_copy(update={"rules": ["known-users", "no-such"]}) for task in whole("mock")[:2]])
    said = "\n".join(render(found))
    assert "mock: 1 of 2 rules that a task can guard are guarded (50.0 %), by 2 tasks" in said
    assert "never-deleted" in said.partition("No task guards:")[2]
    assert "There is no rule 'no-such', which 2 tasks name" in said
    alone = "\n".join(render(cover(mock, [whole("mock")[0], whole("mock")[1].model_copy(update={"rules": ["x"]})])))
    assert "\n1 task rests on no rule: " in alone
    assert ", by 0 of 2 tasks; " in alone
    assert "There is no rule 'x', which 1 task names: " in alone
    data = as_data(found)
    assert {one["id"]: one["state"] for one in data["rules"]}["known-users"] == "guarded"
    shown = page(found)
    assert 'class="line open"' in shown
    assert "<script" not in shown


def test_the_check_names_rules_that_are_not_there(tmp_path: Path) -> None:
    task = read_json(builtin_root("tasks") / "mock" / "task_for_a_stranger.json")
    task["evaluation_criteria"]["trajectory"][0]["rules"] = ["never-deleted"]
    (tmp_path / "one.json").write_text(json.dumps({**task, "rules": ["known-userz"]}), encoding="utf-8")
    [fault] = list(check(builtin_root("domains") / "mock", tmp_path))
    assert fault.endswith("rules: there is no rule 'known-userz' (did you mean 'known-users'?)")


def test_the_verb_writes_files_and_fails_under(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html, data = tmp_path / "policy.html", tmp_path / "policy.json"
    command = ["audit", "mock", "--policy", "--prove", "4", "--html", str(html), "--json", str(data)]
    assert main([*command, "--fail-under", "100"]) == 0
    assert "precision 100.0 %, recall 100.0 %" in capsys.readouterr().out
    assert json.loads(data.read_text(encoding="utf-8"))["share"] == 1.0
    assert "guarded" in html.read_text(encoding="utf-8")
    assert main(["audit", "mock", "--policy", "--tasks", "tasks/retail", "--fail-under", "50"]) == 1
    one = tmp_path / "one.json"
    one.write_text((builtin_root("tasks") / "mock" / "delete_a_task.json").read_text("utf-8"), "utf-8")
    assert main(["audit", "mock", "--policy", "--tasks", str(one), "--fail-under", "60"]) == 1
    assert "Failed: 50.0 % of the rules are guarded, below 60 % (--fail-under)." in capsys.readouterr().out


def test_a_suite_may_have_tasks_of_several_domains(tmp_path: Path) -> None:
    one, other = (read_json(builtin_root("tasks") / "mock" / f"{name}_a_task.json") for name in ("delete", "complete"))
    other["domain"] = "shop"
    both = tmp_path / "both"
    both.mkdir()
    (both / "both.json").write_text(json.dumps([other, one]), encoding="utf-8")
    assert [task.id for task in tasks_of(load_domain("mock"), tmp_path)] == ["delete_a_task"]


def test_the_verb_counts_the_tasks_of_the_domain_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rules of the section on safety have the same names in every domain, so others' tasks would seem to guard them."""
    one, other = (read_json(builtin_root("tasks") / "mock" / f"{name}_a_task.json") for name in ("delete", "complete"))
    other["domain"] = "shop"
    (tmp_path / "both.json").write_text(json.dumps([other, one]), encoding="utf-8")
    assert main(["audit", "mock", "--policy", "--tasks", str(tmp_path / "both.json")]) == 0
    assert "(50.0 %), by 1 task;" in capsys.readouterr().out


def test_where_no_task_was_claimed_there_is_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "mock", "--policy", "--prove", "3"]) == 0
    assert "0 of 0 claims that a task rests on a rule; precision" in capsys.readouterr().out


def test_the_verb_counts_the_tasks_of_a_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("delete_a_task", "complete_a_task"):
        copy(builtin_root("tasks") / "mock" / f"{name}.json", tmp_path)
    (tmp_path / "split_tasks.json").write_text('{"core": ["delete_a_task"]}', encoding="utf-8")
    for options, number in ([], 2), (["--split", "core"], 1):
        assert (
            main(["audit", "mock", "--policy", "--tasks", str(tmp_path), "--json", str(tmp_path / "found"), *options])
            == 0
        )
        assert read_json(tmp_path / "found")["tasks"] == number
    assert main(["audit", "mock", "--policy", "--tasks", str(tmp_path), "--split", "nonsense"]) == 2
    assert "there is no split 'nonsense'; it has core" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--split", "core"], "tasks/mock: there is no split 'core'"),
        (["--endings"], "--policy counts the rules that tasks guard: leave out --endings"),
        (["--mutants", "24"], "leave out --mutants"),
        (["--mutants", "0"], "leave out --mutants"),
        (["--perturb", "all"], "leave out --perturb"),
        (["--data", "/nowhere"], "leave out --data"),
        (["--prove", "-1"], "--prove must not be negative, and is -1"),
    ],
)
def test_the_verb_refuses_what_is_not_about_the_policy(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "mock", "--policy", *options]) == 2
    assert problem in capsys.readouterr().err
