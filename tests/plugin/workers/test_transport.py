"""A trial's way from the process that ran it to the one that prints."""

from collections.abc import Callable

import pytest

from pytest_tau.metrics.totals import TrialFacts
from pytest_tau.plugin.workers.transport import TRIAL
from tests.plugin.inner import journal, mock_run, task, workers, write


def test_a_report_carries_one_string_and_only_while_it_is_wanted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        spy=f"""
        import pytest

        kinds = []

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            kinds.append((report.when, type(getattr(report, "{TRIAL}", None)).__name__))
            return report

        def pytest_terminal_summary(terminalreporter):
            kept = [r for group in terminalreporter.stats.values() for r in group if hasattr(r, "{TRIAL}")]
            terminalreporter.write_line(f"made {{kinds}}, kept {{len(kept)}}")
    """
    )
    pytester.syspathinsert()
    result = mock_run(pytester, "--tau-tasks=1", "-p", "spy")
    result.stdout.fnmatch_lines(["made [[]('setup', 'NoneType'), ('call', 'str'), ('teardown', 'NoneType')[]], kept 0"])


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
        [f"FAILED tau/mock/complete_a_task.json::test_task?trial1? - {miss}", "*1 failed*"], consecutive=True
    )
    assert text.count("Run exactly this trial again") == 1
    junit = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert f'message="{miss}"' in junit
    assert "Run exactly this trial again" in junit


def test_one_line_a_failure_where_that_is_asked_for(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=noop", "--tau-tasks=complete_a_task", "--tb=line")
    miss = "*complete_a_task.json:1: missed DB, ENV_ASSERTION (reward 0, ended by user_stop)"
    result.stdout.fnmatch_lines(["*= FAILURES =*", miss, "*= tau: pass^k =*"], consecutive=True)


def test_line_breaks_of_every_kind_stay_inside_their_line(pytester: pytest.Pytester) -> None:
    odd = "a\nb\r\nc\u2028d\u0085e\x1ef"
    scenario = {"instructions": odd}
    write(pytester.path, "tasks/mock/one.json", task(user_scenario=scenario))
    mock_run(pytester).assert_outcomes(passed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.messages[1].content == odd


def test_the_cost_of_attempts_that_were_played_again_counts() -> None:
    attempt = {"agent_cost": 0.5, "user_cost": 0.25, "steps": 4}
    simulation = {**attempt, "user_findings": [], "discarded": [{**attempt, "user_findings": [{"rule": "x"}]}]}
    content = {"domain": "mock", "task_id": "t", "outcome": "passed", "simulation": simulation}
    found = TrialFacts.of(content)
    assert (found.costs.total, found.reruns, found.broken, found.steps) == (1.5, 1, (), 4)
