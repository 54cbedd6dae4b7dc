"""``pytest-tau show``: a domain, or one of its tasks."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.shared import shared


def test_a_domain_with_its_tools_and_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "mock"]) == 0
    out = capsys.readouterr().out
    assert "- agent write   create_task(user_id, title, description): Add a task to a user's list" in out
    assert "- customer read    check_notifications(): " in out
    assert "- add_a_task (1 write): " in out
    assert "You look after a shared to-do list." in out


def test_a_task_with_its_scenario_gold_path_and_criteria(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "mock", "add_a_task"]) == 0
    out = capsys.readouterr().out
    assert '- assistant: create_task(user_id="user_1"' in out
    assert "Reason for call:" in out
    assert '"reward_basis": [' in out


def test_a_task_with_what_came_before_it_and_with_later_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {"initialization_data": {"agent_data": {"tasks": {"task_1": {"title": "Water the ferns"}}}}}
    later = [{"user_scenario": {"instructions": "You call once more."}}]
    made = {"id": "one", "user_scenario": {"instructions": "You call."}, "initial_state": before, "episodes": later}
    (tmp_path / "tasks" / "mock").mkdir(parents=True)
    (tmp_path / "tasks" / "mock" / "one.json").write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["show", "mock", "one"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# one\n\n## Before the conversation\n")
    assert "Water the ferns" in out
    assert "## Scenario of conversation 2\n\nInstructions:\n  You call once more.\n" in out


def test_a_task_that_is_not_there_is_guessed_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "mock", "ad_a_task"]) == 2
    assert "there is no task 'ad_a_task' (did you mean 'add_a_task'?)" in capsys.readouterr().err
    assert main(["show", "mock", "zzz"]) == 2
    assert "there is no task 'zzz'; there are 6" in capsys.readouterr().err


def test_the_public_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "mock", "--data", str(shared("tau2"))]) == 0
    assert "# mock" in capsys.readouterr().out
