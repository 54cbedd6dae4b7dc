"""docs/statistics.md: what its programs print is what the page shows."""

import subprocess
import sys

import pytest

from pytest_tau.cli import main

from .markdown import ROOT, blocks

PAGE = ROOT / "docs" / "statistics.md"
PYTHON = '$ python -c "\n'


def programs() -> list[tuple[str, str]]:
    """The programs of the page, with their output."""
    found = [block for block in blocks(PAGE.read_text(encoding="utf-8"), "console") if block.startswith(PYTHON)]
    split = [block.removeprefix(PYTHON).partition('\n"\n') for block in found]
    return [(program, output) for program, _, output in split]


@pytest.mark.parametrize("number", range(len(programs())))
def test_a_program_prints_what_the_page_shows(number: int) -> None:
    program, output = programs()[number]
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == output.split()


def test_the_plan_is_the_one_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [
        block for block in blocks(PAGE.read_text(encoding="utf-8"), "console") if block.startswith("$ pytest-tau plan")
    ]
    command, _, output = block.removeprefix("$ pytest-tau ").partition("\n")
    assert main(command.split()) == 0
    assert capsys.readouterr().out.split() == output.split()
