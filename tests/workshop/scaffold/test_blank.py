"""A domain from nothing, and a task to fill in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.workshop.scaffold.sources import begin


def test_from_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain = begin()
    out = capsys.readouterr().out
    assert "shop: no findings" in out
    assert "  pytest --tau-domain shop --tau-k 4" in out
    assert [tool.name for tool in domain.environment().tool_specs()] == [
        "get_ticket", "update_ticket", "close_ticket", "transfer_to_human_agents",
    ]  # fmt: skip
    assert {path.name for path in folder.iterdir()} >= {
        *("conftest.py", "pytest.ini", ".github", "domains", "tasks", "AGENTS.md")
    }


def test_a_task_to_fill_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin()
    assert main(["new", "task", "shop", "lost_lamp"]) == 0
    assert "Replace every …" in capsys.readouterr().out
    task = json.loads((folder / "tasks/shop/lost_lamp.json").read_text(encoding="utf-8"))
    assert task["evaluation_criteria"]["actions"][0]["arguments"] == {"ticket_id": "…"}
    assert main(["check", "domains/shop"]) == 1
    assert (
        "task 'lost_lamp': evaluation_criteria.actions[0] fails: Error: Ticket … not found" in capsys.readouterr().out
    )
