"""The code that docstrings and pages show is run, and does what it is shown for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.plugin import hookspecs
from tests.plugin.inner import example

from .markdown import ROOT, blocks

MOCK_TASKS = 6


def run_mock(pytester: pytest.Pytester, conftest: str, *arguments: str) -> pytest.RunResult:
    """A run of the built-in domain mock with this conftest."""
    pytester.makeini("[pytest]")
    pytester.makeconftest(conftest)
    return pytester.runpytest("--tau-domain", "mock", *arguments)


def test_register_domains(pytester: pytest.Pytester) -> None:
    code = example("pytest_tau_register_domains")
    code = code.replace("/srv/eval/domains/shop", str(builtin_folder("domains", "mock")))
    code = code.replace("/srv/eval/tasks/shop", str(builtin_folder("tasks", "mock")))
    pytester.makeconftest(code)
    pytester.runpytest("--tau-domain", "shop").assert_outcomes(passed=MOCK_TASKS)


def test_modify_tasks(pytester: pytest.Pytester) -> None:
    suite = pytester.mkdir("tasks") / "mock"
    suite.mkdir()
    text = (builtin_folder("tasks", "mock") / "add_a_task.json").read_text(encoding="utf-8")
    (suite / "quick.json").write_text(text, encoding="utf-8")
    slow = re.sub(r'"write"', '"slow"', text.replace('"id": "add_a_task"', '"id": "slow_one"'))
    (suite / "slow.json").write_text(slow, encoding="utf-8")
    result = run_mock(pytester, example("pytest_tau_modify_tasks"), "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tasks/mock/quick.json::*"])


def test_make_agent(pytester: pytest.Pytester) -> None:
    result = run_mock(pytester, example("pytest_tau_make_agent"))
    result.assert_outcomes(failed=MOCK_TASKS)
    result.stdout.fnmatch_lines(["*agent from pytest_tau_make_agent*", "agent: conftest:MyAgent *"])


def test_make_user(pytester: pytest.Pytester) -> None:
    result = run_mock(pytester, example("pytest_tau_make_user"))
    result.stdout.fnmatch_lines(["*user: conftest:Impatient"])
    assert {trial.simulation.steps for trial in load_journal() if trial.simulation} == {1}


def test_grade(pytester: pytest.Pytester) -> None:
    run_mock(pytester, example("pytest_tau_grade")).assert_outcomes(passed=MOCK_TASKS)
    results = [trial.reward.result("SHORT") for trial in load_journal() if trial.reward]
    assert [result.value for result in results if result] == [1.0] * MOCK_TASKS


def test_classify_error(pytester: pytest.Pytester) -> None:
    failing = """
class QuotaExceeded(Exception):
    pass


class Agent:
    def __init__(self, context):
        pass

    def reply(self, messages):
        raise QuotaExceeded("for today")


def pytest_tau_make_agent(item):
    return Agent
"""
    run_mock(pytester, example("pytest_tau_classify_error") + failing)
    assert {trial.outcome.value for trial in load_journal()} == {"infra_error"}


def test_trial_finished(pytester: pytest.Pytester) -> None:
    run_mock(pytester, example("pytest_tau_trial_finished"), "--tau-k", "2")
    lines = Path("trials.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 * MOCK_TASKS
    assert "add_a_task 2 passed" in lines


def test_summary(pytester: pytest.Pytester) -> None:
    result = run_mock(pytester, example("pytest_tau_summary"))
    result.stdout.fnmatch_lines([f"{MOCK_TASKS} trials went to the data warehouse"])


def test_perturbations(pytester: pytest.Pytester) -> None:
    run_mock(pytester, example("pytest_tau_perturbations"), "--tau-perturb=shouted")
    assert {trial.variant and trial.variant.label for trial in load_journal()} == {None, "shouted"}


def test_every_hook_has_an_example_that_is_run_here() -> None:
    specs = {name for name in vars(hookspecs) if name.startswith("pytest_tau_")}
    assert {f"pytest_tau_{name.removeprefix('test_')}" for name in globals() if name.startswith("test_")} >= specs


def test_the_test_with_a_marker(pytester: pytest.Pytester) -> None:
    (code,) = [block for block in _python("docs/pytest.md") if "pytest.mark.tau" in block]
    pytester.makepyfile(code)
    pytester.runpytest().assert_outcomes(passed=4)


def test_reading_a_journal(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    run_mock(pytester, "")
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
