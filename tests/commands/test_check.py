"""``pytest-tau check``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.environment.folders import builtin_root
from tests.workshop.broken_projects import mock_project


def test_check_of_a_domain_without_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mock"]) == 0
    assert capsys.readouterr().out.endswith("mock: no faults\n")


def test_check_counts_the_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "domains" / "shop"
    folder.mkdir(parents=True)
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "it has no domain.py" in out
    assert f"{tmp_path / 'tasks' / 'shop'}: no tasks yet" in out
    assert out.endswith("shop: 2 faults\n")


def test_check_looks_at_the_projects_own_tasks_of_a_built_in_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    broken = tmp_path / "tasks" / "mock" / "broken.json"
    broken.parent.mkdir(parents=True)
    assert main(["check", "mock"]) == 1
    assert "tasks/mock: no tasks yet; put task files (*.json) there" in capsys.readouterr().out
    broken.write_text("{")
    assert main(["check", "mock"]) == 1
    assert "broken.json: not valid JSON" in capsys.readouterr().out


def test_check_of_an_unknown_domain_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "retial"]) == 2
    assert "there is no domain 'retial' (did you mean 'retail'?): built in are" in capsys.readouterr().err


def test_tasks_can_lie_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    suite = builtin_root("tasks") / "mock" / "add_a_task.json"
    assert main(["check", str(builtin_root("domains") / "mock"), "--tasks", str(suite)]) == 0
    assert "no faults" in capsys.readouterr().out


def test_the_folder_that_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mock_project(tmp_path) / "domains" / "mock"
    (tmp_path / "tasks" / "other").mkdir()
    (tmp_path / "tasks" / "other" / "broken.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(folder)
    assert main(["check", "."]) == 0
    assert capsys.readouterr().out == ".: no faults\n"


def test_tasks_that_are_not_there_are_no_suite_without_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mock", "--tasks", "typo.json"]) == 2
    assert "typo.json: there is no such file or folder of tasks" in capsys.readouterr().err


@pytest.mark.slow
def test_a_long_suite_says_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = json.loads((builtin_root("tasks") / "mock" / "add_a_task.json").read_text(encoding="utf-8"))
    [task] = task if isinstance(task, list) else [task]
    suite = tmp_path / "many.json"
    suite.write_text(json.dumps([{**task, "id": f"add_{number}"} for number in range(501)]), encoding="utf-8")
    assert main(["check", "mock", "--tasks", str(suite)]) == 0
    told = capsys.readouterr()
    assert told.err == "500 of 501 tasks looked at\n"
    assert "no faults" in told.out
