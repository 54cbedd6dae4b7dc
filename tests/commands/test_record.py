"""``pytest-tau record``: both sides typed, as a list of lines, become a task that can be solved."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tau_workshop.cli.record import _facts

GOOD = (
    "I would like the task about the plants to be ticked off, please.",
    "",
    "/tools",
    "/policy",
    "/get_users",
    '/update_task_status {"task_id": "task_9", "status": "completed"}',
    "/update_task_status {",
    "/update_task_status [1]",
    "/no_such_tool",
    "Shall I mark task_1 as completed?",
    "Yes. I am user_1.",
    '/update_task_status {"task_id": "task_1", "status": "completed"}',
    "Done.",
    "/end",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(monkeypatch: pytest.MonkeyPatch, *lines: str, task: str = "tick_off") -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    return main(["record", "mock", task])


def test_becomes_a_task_that_the_oracle_passes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(monkeypatch, *GOOD) == 0
    out = capsys.readouterr().out
    assert "the oracle passes it" in out
    assert '/create_task {"user_id": "…"' in out
    assert "You look after a shared to-do list." in out
    assert "there is no tool no_such_tool" in out
    task = json.loads((folder / "tasks/mock/tick_off.json").read_text(encoding="utf-8"))
    assert [action["name"] for action in task["evaluation_criteria"]["actions"]] == ["get_users", "update_task_status"]
    assert task["user_scenario"]["instructions"]["reason_for_call"] == GOOD[0]
    assert "I am user_1" in task["user_scenario"]["instructions"]["known_info"]


def test_a_letter_in_another_encoding_costs_nothing_that_was_typed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.BytesIO(b"What is on my list?\n/get_users\nCaf\xe9, two things.\nThanks\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(typed, encoding="utf-8"))
    assert main(["record", "mock", "my_list"]) == 0
    assert (folder / "tasks/mock/my_list.json").is_file()
    assert main(["schema"]) == 0  # from where stdin was read before


def test_a_conversation_that_only_reads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record(monkeypatch, "What is on my list?", "/get_users", "Two things.") == 0
    task = json.loads((folder / "tasks/mock/tick_off.json").read_text(encoding="utf-8"))
    checks = task["evaluation_criteria"]["trajectory"]
    assert [check["check"] for check in checks] == ["called", "not_called"]


def test_the_customer_calls_their_own_tools(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = ("/tools", "/check_notifications", "/get_users", "I have looked into my inbox.", "Thanks, goodbye.")
    assert record(monkeypatch, "Please see to my inbox.", "Look into it, please.", *theirs) == 0
    out = capsys.readouterr().out
    assert "/check_notifications {}" in out
    assert "there is no tool get_users" in out
    task = json.loads((folder / "tasks/mock/tick_off.json").read_text(encoding="utf-8"))
    [action] = task["evaluation_criteria"]["actions"]
    assert (action["name"], action["requestor"]) == ("check_notifications", "user")


@pytest.mark.parametrize(
    ("lines", "task", "sentence"),
    [
        ((), "x", "nothing was recorded"),
        (("Hello", "Hi", "/end"), "x", "nothing was recorded"),
        (GOOD, "../x", "'../x' is not a task id"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_makes_no_task(
    lines: tuple[str, ...],
    task: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert record(monkeypatch, *lines, task=task) == 2
    assert sentence in capsys.readouterr().err


def test_a_task_of_that_name_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tasks/mock").mkdir(parents=True)
    (folder / "tasks/mock/tick_off.json").write_text("mine", encoding="utf-8")
    assert record(monkeypatch, *GOOD) == 2
    out, err = capsys.readouterr()
    assert "already exists" in err
    assert "customer>" not in out  # nobody types a conversation for nothing
    assert (folder / "tasks/mock/tick_off.json").read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_written_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tasks").write_text("a file in the place of the folder", encoding="utf-8")
    assert record(monkeypatch, *GOOD) == 2
    out, err = capsys.readouterr()
    assert "tick_off.json cannot be written" in err
    assert '"id": "tick_off"' in out


def test_who_agrees_or_thanks_has_told_no_fact() -> None:
    assert _facts("Yes please. Thanks a lot!") == ""
    assert _facts("Yes, go ahead. My number is 555 0101.") == "My number is 555 0101."
    assert _facts("No, that's all, thank you. Have a nice day!") == ""
    assert _facts("I confirm that the order is #W1.") == "I confirm that the order is #W1."
