"""The code that pages show is run, and does what it is shown for; test_hookspecs.py runs that of the hooks."""

from __future__ import annotations

import pytest

from pytest_tau import load_journal
from tests.plugin.parts import mock_play

from .markdown import ROOT, blocks


def test_the_test_with_a_marker(pytester: pytest.Pytester) -> None:
    (code,) = [block for block in _python("docs/pytest.md") if "pytest.mark.tau" in block]
    pytester.makepyfile(code)
    pytester.runpytest().assert_outcomes(passed=4)


def test_reading_a_journal(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    mock_play(pytester)
    capsys.readouterr()
    (code,) = [block for block in _python("docs/pytest.md") if "load_journal" in block]
    exec(code, {})  # noqa: S102 (the page's own code is what is tested)
    printed = capsys.readouterr().out.splitlines()
    assert "add_a_task 1 passed" in printed
    assert "add_a_task 1.0 -> 1.0" in printed


def test_the_agent_of_the_readme(pytester: pytest.Pytester) -> None:
    (code,) = [block for block in _python("README.md") if "class MyAgent" in block]
    pytester.makeconftest(code)
    pytester.runpytest("--tau-domain=retail", "--tau-tasks=cancel_order_by_mistake")
    (trial,) = load_journal()
    assert trial.simulation is not None
    assert (trial.outcome.value, trial.simulation.agent) == ("missed", "conftest:MyAgent")
    assert (trial.simulation.termination_reason.value, trial.simulation.errors) == ("user_stop", 0)


def _python(page: str) -> list[str]:
    return blocks((ROOT / page).read_text(encoding="utf-8"), "python")
