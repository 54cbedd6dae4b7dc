"""``pytest-tau import``: tasks out of a log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.workshop.import_.logs import cancelling, log, shop

OPENING = "Hello there, I want to get rid of a rug that I ordered by mistake."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shop(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(*arguments: str) -> int:
    return main(["import", *arguments, "-o", "tasks/shop"])


def tasks(project: Path) -> dict[str, dict[str, object]]:
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in (project / "tasks/shop").glob("*.json")}


def test_a_log(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(
        project / "log.jsonl",
        cancelling("O7", opening=OPENING),
        cancelling("O8", opening="Can you undo my purchase of a carpet?"),
    )
    assert imported("log.jsonl", "--no-redact") == 0
    assert set(tasks(project)) == {"conversation-O7", "conversation-O8"}
    out = capsys.readouterr().out
    assert "4 of 4 calls reproduced (100.0%)" in out
    assert "2 conversations read, 0 not; 2 tasks written" in out


def test_nightly_duplicates_are_skipped_and_what_is_alike_is_one_task(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = log(
        project / "log.jsonl",
        cancelling("O7", opening=OPENING),
        cancelling("O8", opening="Hi, I want to get rid of the rug I ordered by mistake yesterday."),
    )
    assert imported(str(file), "--no-redact") == 0
    [task] = tasks(project).values()
    assert "Weight 2." in json.dumps(task)
    assert imported(str(file), "--no-redact") == 0
    assert len(tasks(project)) == 1
    assert "2 conversations known already, and left out" in capsys.readouterr().out


def test_what_went_wrong_wants_an_author(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING, reward=0.0))
    assert imported("log.jsonl", "--no-redact") == 0
    assert "it went wrong; say what should have been with --expect, or give --draft" in capsys.readouterr().out
    assert imported("log.jsonl#conversation-O7", "--no-redact", "--expect", "not cancel_order") == 0
    assert list(tasks(project)) == ["conversation-O7"]


def test_what_cannot_be_read_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "log.jsonl").write_text('{"odd": 1}\n' + json.dumps(cancelling("O7", opening=OPENING)), encoding="utf-8")
    assert imported("log.jsonl", "--no-redact") == 1
    captured = capsys.readouterr()
    assert "not read: log.jsonl:1: of no known format" in captured.err
    assert "1 conversation read, 1 not; 1 task written" in captured.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["log.jsonl#x"], "has no conversation 'x'; it has conversation-O7, conversation-O8"),
        (["log.jsonl", "--expect", "refuses"], "--expect is about one conversation"),
        (["log.jsonl", "--from-turn", "3"], "--from-turn is about one conversation"),
        (["log.jsonl", "--expect", "refuses", "--draft"], "give one of them"),
        (["log.jsonl#conversation-O7", "--expect", "launch"], "has no tool 'launch'"),
    ],
)
def test_what_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    log(project / "log.jsonl", cancelling("O7", opening=OPENING), cancelling("O8", opening="Undo it, please, now."))
    assert imported(*arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_reader_of_the_project(project: Path) -> None:
    """The hook in conftest.py reads a format of the project's own."""
    (project / "conftest.py").write_text(
        "from pytest_tau.recordings import Conversation\n"
        "from pytest_tau.schema.messages import UserMessage\n\n"
        "def pytest_tau_read_conversations(path):\n"
        "    if path.suffix == '.txt':\n"
        "        lines = path.read_text().splitlines()\n"
        "        return [Conversation('own', [UserMessage(content=line) for line in lines])]\n",
        encoding="utf-8",
    )
    (project / "log.txt").write_text("I want my money back for the rug.\n", encoding="utf-8")
    assert imported("log.txt", "--no-redact", "--draft") == 0
    assert list(tasks(project)) == ["own"]
