"""A trial's way from the process that ran it to the one that prints."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import JournalWriter
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.plugin.collecting.slot import Slot
from pytest_tau.plugin.playing.records import line_of
from pytest_tau.plugin.playing.trial import Finished
from pytest_tau.plugin.workers.transport import TRIAL, put, take
from tests.builders import asks, finished, mock, says, task
from tests.plugin.inner import mock_run, workers


class Spy:
    """A plugin that sees what is on the reports, when they are made and in the end."""

    def __init__(self) -> None:
        self.made: list[tuple[str, str]] = []
        self.kept: list[Any] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        self.made.append((report.when, type(getattr(report, TRIAL, None)).__name__))
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        self.kept += [one for group in terminalreporter.stats.values() for one in group if hasattr(one, TRIAL)]


def test_a_report_carries_one_string_only_while_it_is_wanted_and_a_line_each_is_a_miss_where_asked_for(
    pytester: pytest.Pytester,
) -> None:
    spy = Spy()
    result = mock_run(pytester, "--tau-agent=noop", "--tau-tasks=complete_a_task", "--tb=line", plugins=[spy])
    assert spy.made == [("setup", "NoneType"), ("call", "str"), ("teardown", "NoneType")]
    assert spy.kept == []
    miss = "*complete_a_task.json:1: missed DB, ENV_ASSERTION (reward 0, ended by user_stop)"
    result.stdout.fnmatch_lines(["*= FAILURES =*", miss, "*= short test summary info =*"], consecutive=True)


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_on_ci_the_summary_has_a_line_for_a_miss_and_the_failures_all_of_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, run: Callable[..., pytest.RunResult]
) -> None:
    monkeypatch.setenv("CI", "true")
    arguments = ("--tau-domain=mock", "--tau-agent=noop", "--tau-tasks=complete_a_task", "--junitxml=junit.xml")
    result = run(pytester, *arguments)
    # The heading says which trial it is.
    result.stdout.fnmatch_lines(["*___ mock/complete_a_task, trial 1 ___*"])
    text = result.stdout.str()
    miss = "missed DB, ENV_ASSERTION (reward 0, ended by user_stop)"
    result.stdout.fnmatch_lines(
        [f"FAILED tau/mock/complete_a_task.json::test_task?trial1? - {miss}", "*= tau: pass^k =*"], consecutive=True
    )
    result.assert_outcomes(failed=1)
    assert text.count("Run exactly this trial again") == 1
    junit = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert f'message="{miss}"' in junit
    assert "Run exactly this trial again" in junit


def test_line_breaks_of_every_kind_stay_inside_their_line(tmp_path: Path) -> None:
    odd = "a\nb\r\nc\u2028d\u0085e\x1ef"
    slot = Slot(task(), mock(), 1)
    lines = [line_of(text, slot, Finished(finished([says(text), asks("Bye.")]), None)) for text in (odd, "Hi.")]
    report = pytest.TestReport("a", ("a", 0, "a"), {}, "passed", None, "call")
    journal = JournalWriter(tmp_path)
    journal.open()
    for line in lines:
        put(report, TRIAL, line)
        journal.append(take(report, TRIAL) or "")
    journal.close()
    first, second = load_journal(tmp_path)
    assert first.simulation is not None
    assert first.simulation.messages[0].content == odd
    assert second.simulation is not None
    assert second.simulation.messages[0].content == "Hi."


def test_the_cost_of_attempts_that_were_played_again_counts() -> None:
    attempt = {"agent_cost": 0.5, "user_cost": 0.25, "steps": 4}
    simulation = {**attempt, "user_findings": [], "discarded": [{**attempt, "user_findings": [{"rule": "x"}]}]}
    content = {"domain": "mock", "task_id": "t", "outcome": "passed", "simulation": simulation}
    found = TrialFacts.of(content)
    assert (found.costs.total, found.customer.reruns, found.customer.broken, found.steps) == (1.5, 1, (), 4)
