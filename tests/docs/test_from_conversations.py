"""The page's example, followed to the letter: from a log of another framework to a red, then green test."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.recordings import read_conversations

from .markdown import ROOT, Session, blocks, files, sessions, table

PAGE = ROOT / "docs" / "from_conversations.md"


def _session(part: str) -> Session:
    (found,) = [session for session in sessions(PAGE) if part in session.command]
    return found


def test_from_a_log_to_a_red_and_a_green_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(pytester.path)
    monkeypatch.syspath_prepend(pytester.path)
    for path, body in files(PAGE).items():
        (pytester.path / path).write_text(body, encoding="utf-8")
    for part in ("new domain", "import log.json"):
        session = _session(part)
        assert main(shlex.split(session.command)[1:]) == 0
        assert session.missing(capsys.readouterr().out) is None
    assert main(["check", "domains/shop"]) == 0
    written = [file.read_text(encoding="utf-8") for file in pytester.path.rglob("*/shop/*") if file.is_file()]
    assert "ada.young" not in "".join(written)
    assert "Guess:" in "".join(written)
    for part, status in (("Hasty", 1), ("Careful", 0)):
        session = _session(part)
        result = pytester.runpytest(*shlex.split(session.command)[1:])
        assert result.ret == status
        assert session.missing(result.stdout.str()) is None


def test_the_form_for_anything_else_is_read(tmp_path: Path) -> None:
    [form] = [block for block in blocks(PAGE.read_text(encoding="utf-8"), "json") if '"conversation"' in block]
    file = tmp_path / "log.json"
    file.write_text(form, encoding="utf-8")
    [read] = read_conversations(file)
    assert (read.id, len(read.messages)) == ("c1", 8)
    assert json.loads(form)["id"] == "c1"


def test_every_expectation_of_the_table_is_understood() -> None:
    from tau_workshop.import_.expect import read_expectation

    kinds = [read_expectation(row[0].strip("`")).kind for row in table(PAGE, "`--expect`")]
    assert kinds == ["not", "calls", "refuses", "tells"]
