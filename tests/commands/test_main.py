"""``python -m pytest_tau.cli`` is the command ``pytest-tau``."""

import runpy
import sys

import pytest

NAME = "pytest_tau.cli.__main__"


@pytest.fixture(autouse=True)
def _not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, NAME, raising=False)


@pytest.mark.parametrize(("arguments", "status"), [(["check", "mock"], 0), (["check", "retial"], 2)])
def test_it_runs_the_command_and_ends_with_its_status(
    arguments: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest-tau", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(NAME, run_name="__main__")
    assert ended.value.code == status
    told = capsys.readouterr()
    assert ("no faults" in told.out, "no domain 'retial'" in told.err) == (status == 0, status == 2)


def test_importing_it_runs_nothing() -> None:
    assert runpy.run_module(NAME, run_name="imported")["main"]
