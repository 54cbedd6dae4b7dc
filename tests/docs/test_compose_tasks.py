"""The page about composed tasks, followed to the letter in the library of the tutorial."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.cli import main
from tau_workshop.cli.generate import add

from .markdown import ROOT, files, sessions, table

PAGE = ROOT / "docs" / "compose_tasks.md"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """The library with the atoms of the page."""
    for path, body in {**files(ROOT / "docs" / "write_a_domain.md"), **files(PAGE)}.items():
        target = pytester.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(body, encoding="utf-8")
    return pytester.path


@pytest.mark.parametrize("command", [s.command for s in sessions(PAGE) if "library" in s.command])
def test_a_command_prints_what_the_page_shows(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    (session,) = [one for one in sessions(PAGE) if one.command == command]
    status = main(shlex.split(command)[1:])
    printed = capsys.readouterr()
    assert session.missing(printed.out + printed.err) is None
    assert status == (2 if "40" in command else 0)


def test_the_composed_tasks_play(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "library", "--n", "2", "--seed", "1", "--suite", "tasks/library"]) == 0
    domain = load_domain("library")
    for task in load_tasks("library", split="base"):
        assert grade(task, simulate(task, domain), domain).passed
    assert main(["check", "domains/library"]) == 0


def test_every_option_is_in_the_table() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    add(parser)
    options = {option for action in parser._actions for option in action.option_strings if option.startswith("--")}
    listed = " ".join(row[0] for row in table(PAGE, "option"))
    assert {option for option in options if option not in listed} == {"--help", "--n", "--seed", "--output", "--suite"}
