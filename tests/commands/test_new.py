"""``pytest-tau new``: files and names; its sources are in tests/workshop/scaffold."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.environment.documents.library import write_library
from tests.workshop.import_.logs import cancelling, log


def test_a_domain_and_a_task_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "project"
    assert main(["new", "domain", "shop", "-o", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "pytest-tau check domains/shop" in out
    assert {path.name for path in (folder / "domains" / "shop").iterdir()} >= {"domain.py", "policy.md", "db.json"}
    assert list((folder / "tasks" / "shop").glob("*.json"))
    assert main(["new", "task", "shop", "lost_lamp", "-o", str(folder)]) == 0
    made = json.loads((folder / "tasks" / "shop" / "lost_lamp.json").read_text(encoding="utf-8"))
    assert made["id"] == "lost_lamp"


@pytest.mark.parametrize("name", ["shop", "retail"])
def test_the_command_that_comes_next_finds_the_task(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of a built-in domain, of which there is no folder here, and in another folder."""
    if name == "shop":
        assert main(["new", "domain", name, "-o", str(tmp_path)]) == 0
    assert main(["new", "task", name, "lost_lamp", "-o", str(tmp_path)]) == 0
    command = capsys.readouterr().out.rpartition("then: pytest-tau ")[2].split()
    assert main(command) == 1
    assert "task 'lost_lamp'" in capsys.readouterr().out


def test_a_task_of_a_domain_with_documents_begins_with_its_own_tools(tmp_path: Path) -> None:
    write_library(tmp_path / "domains" / "shop")
    assert main(["new", "task", "shop", "lost_lamp", "-o", str(tmp_path)]) == 0
    made = json.loads((tmp_path / "tasks" / "shop" / "lost_lamp.json").read_text(encoding="utf-8"))
    assert [action["name"] for action in made["evaluation_criteria"]["actions"]] == ["three", "cancel"]


@pytest.mark.parametrize("name", ["Shop", "1shop", "my-shop", "../shop"])
def test_a_name_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["new", "domain", name, "-o", str(tmp_path)]) == 2
    assert f"{name!r} is not a domain name" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_sources_exclude_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["new", "domain", "shop", "--from-sqlite", "a.db", "--from-openapi", "b.json"])
    assert "not allowed with" in capsys.readouterr().err


def test_a_domain_from_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It passes its check, with the tasks of the log."""
    monkeypatch.chdir(tmp_path)
    openings = ["I want to get rid of a rug.", "Undo my purchase, please, it was a mistake."]
    log(tmp_path / "log.jsonl", *(cancelling(f"O{n}", opening=text) for n, text in enumerate(openings, start=5)))
    assert main(["new", "domain", "shop", "--from-conversations", "log.jsonl"]) == 0
    assert "values replaced" in capsys.readouterr().err
    assert main(["check", "domains/shop"]) == 0
    written = "".join(file.read_text(encoding="utf-8") for file in Path().rglob("*/shop/*.json"))
    assert "zoe@example.com" not in written
    assert "person1@example.com" in written


def test_a_domain_from_a_conversation_that_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing runs yet, and what makes a task of it is said."""
    monkeypatch.chdir(tmp_path)
    log(tmp_path / "log.jsonl", cancelling("O5", opening="I want to get rid of a rug.", reward=0))
    assert main(["new", "domain", "shop", "--from-conversations", "log.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "runs already" not in out
    assert "It has no task yet. Say of a conversation what should have been, and it is one:" in out
    assert "pytest-tau import LOG#ID -o tasks/shop --expect …" in out
