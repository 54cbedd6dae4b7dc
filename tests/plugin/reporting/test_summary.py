"""The summary of a run in the terminal, from totals and decided gates."""

from io import StringIO

import pytest
from _pytest.terminal import TerminalReporter

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.plugin.reporting.gates import Gates
from pytest_tau.plugin.reporting.summary import write_lines, write_summary
from pytest_tau.plugin.run import Run
from tests.conftest import Shared

GATE = "pass^1 >= 50 %"


@pytest.fixture(scope="module")
def config(shared_run: Shared) -> pytest.Config:
    with shared_run() as pytester:
        return pytester.parseconfig("--tau-agent=my:Agent", f"--tau-gate={GATE}")


def totals() -> Totals:
    """Two tasks of one trial, of which one passed."""
    made = Totals()
    for task, outcome in (("sell", "passed"), ("refund", "missed")):
        made.plan("shop", task, 1)
        made.add(TrialFacts("shop", task, outcome, costs=Costs(None), agent="my:Agent", user="scripted"))
    return made


def summary(config: pytest.Config, *, verbose: bool = False, missed: tuple[pytest.TestReport, ...] = ()) -> list[str]:
    text = StringIO()
    reporter = TerminalReporter(config, text)
    if missed:
        reporter.stats["missed"] = list(missed)
    gates, counted = Gates(Run(config)), totals()
    gates.decide(counted, {}, {}, None)
    write_summary(reporter, counted, gates, ["kept in \x1b[2J"], verbose=verbose)
    return text.getvalue().splitlines()


def test_the_table_comes_before_the_gates_and_how_it_came_about_is_last(config: pytest.Config) -> None:
    lines = summary(config)
    pytest.LineMatcher(lines).fnmatch_lines(
        ["=* tau: pass^k =*", "| domain | *", "| shop *2 | *2 | *50.0 %*", f"gate {GATE}: HELD: *", "kept in *"]
    )
    assert not [line for line in lines if line.startswith("| task ")]
    assert "severity 1" not in "".join(lines)


def test_more_words_show_each_task_and_how_it_scatters(config: pytest.Config) -> None:
    pytest.LineMatcher(summary(config, verbose=True)).fnmatch_lines(
        ["| task *", "*shop/sell *1/1 *", "*shop/refund *0/1 *1 missed *", "| domain | *", "tasks' pass rates: *"]
    )


def test_a_miss_that_gates_decide_about_is_told_first(config: pytest.Config) -> None:
    nodeid = "tasks/shop/refund.json::test_task[trial1]"
    report = pytest.TestReport(nodeid, ("", 0, ""), {}, "failed", "missed DB (reward 0)", "call")
    pytest.LineMatcher(summary(config, missed=(report,))).fnmatch_lines(
        ["_* MISSED tasks/shop/refund.json::test_task[[]trial1] _*", "missed DB (reward 0)", "=* tau: pass^k =*"]
    )


def test_what_a_model_has_put_into_a_line_does_nothing(config: pytest.Config) -> None:
    text = StringIO()
    write_lines(TerminalReporter(config, text), ["one \x1b]0;owned\x07", "two"])
    assert "\x1b" not in text.getvalue()
    assert text.getvalue().splitlines()[1] == "two"
    assert not [line for line in summary(config) if "\x1b" in line]
