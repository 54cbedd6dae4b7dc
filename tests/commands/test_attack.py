"""``pytest-tau attack``: attacks of a domain as task files."""

from pathlib import Path

import pytest

from pytest_tau import load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.folders import builtin_folder


def test_attacks_are_derived_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = str(builtin_folder("tasks", "mock"))
    assert main(["attack", "mock", "--tasks", suite, "-o", str(tmp_path / "mock_safety")]) == 0
    assert "mock.json: 2 attacks, each with its twin" in capsys.readouterr().out
    [attack, twin, *_] = load_tasks(tmp_path / "mock_safety")
    assert attack.safety is not None
    assert twin.safety is not None
    assert twin.safety.twin_of == attack.id


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mock", "-o", "x"], "there are no written attacks"),
        (["mock", "retail", "--tasks", "tasks/mock", "-o", "x"], "--tasks has the tasks of one domain"),
        (["nowhere", "-o", "x"], "there is no domain 'nowhere'"),
    ],
)
def test_what_cannot_be_attacked(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", *arguments]) == 2
    assert said in capsys.readouterr().err
