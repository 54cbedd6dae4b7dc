"""What a run says of itself: who was to play, what was chosen, and what ended it early."""

import sys

import pytest
from _pytest.terminal import TerminalReporter

from pytest_tau.manifest import load_manifest
from pytest_tau.schema.record import Outcome
from tests.journal.written import spooled
from tests.plugin.reporting.controlled import MISSED, OK, PASSED, controlled, finished, report
from tests.reports.runs import record


def test_who_was_to_play_is_told_where_every_trial_broke_off(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid])
    broken = record("a", 1, Outcome.ERROR).model_copy(update={"simulation": None})
    known.receive(report(broken.nodeid, broken, outcome="failed"))
    facts = dict(known.about.facts())
    assert (facts["agent"], facts["user"]) == ("mine:Agent", "scripted")


def test_a_suite_of_another_name_than_its_domain_is_told_with_its_split(pytester: pytest.Pytester) -> None:
    suite = pytester.path / "tasks/ours"
    suite.mkdir(parents=True)
    (suite / "all.json").write_text("[]")
    (suite / "split_tasks.json").write_text('{"base": ["a", "b"], "core": ["a"]}')
    known = controlled(pytester, "--tau-domain=ours,retail_long")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    facts = dict(known.about.facts())
    assert facts["suites"] == "ours (of this project, split core: 1 of 2 tasks), retail_long (built in)"
    assert facts["domains"] == "mock"
    known = controlled(pytester, "--tau-domain=mock")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    facts = dict(known.about.facts())
    assert (facts["domains"], facts.get("suites")) == ("mock (built in)", None)


@pytest.mark.parametrize(
    ("args", "status", "stop", "why"),
    [
        (["--maxfail=1"], 1, {"failed": "stopping after 1 failures"}, "early by --maxfail=1"),
        (["--maxfail=1"], 2, {"stopped": "stopping after 1 failures"}, "early by --maxfail=1"),
        (["--maxfail=2"], 2, {"stopped": "another plugin"}, "early (another plugin)"),
        ([], 2, {"stopped": "Test failed, continuing"}, "early (Test failed, continuing)"),
        ([], 2, {}, "early by an interrupt"),
        ([], 3, {}, "early by an internal error"),
    ],
)
def test_a_run_says_what_ended_it_early(
    pytester: pytest.Pytester, args: list[str], status: int, stop: dict[str, str], why: str
) -> None:
    known = controlled(pytester, *args)
    known.plan([PASSED.nodeid, MISSED.nodeid])
    known.receive(report(MISSED.nodeid, MISSED, outcome="failed"))
    finished(known, status, **stop)  # type: ignore[arg-type]
    assert dict(known.about.facts())["ended"] == f"{why} after 1 of 2 trials"
    noted = load_manifest(pytester.path / ".tau/latest")
    assert noted.about["ended"] == f"{why} after 1 of 2 trials"
    assert "ended" not in noted.as_resumed(1).about


def test_a_run_that_came_to_its_end_says_nothing_of_it(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--maxfail=1")
    known.plan([MISSED.nodeid])
    known.receive(report(MISSED.nodeid, MISSED, outcome="failed"))
    finished(known, 1, failed="stopping after 1 failures")
    assert "ended" not in dict(known.about.facts())


def test_what_was_chosen_is_noted_for_the_reports(pytester: pytest.Pytester) -> None:
    chosen = ["--tau-data=public", "--tau-tasks=3", "--tau-agent=b=noop"]
    known = controlled(pytester, *chosen)
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    finished(known, OK)
    about = load_manifest(next((pytester.path / ".tau").glob("2*"))).about
    assert "evaluated" not in about  # somebody's own agent may ask a model
    assert about["agents"] == "Agent: mine:Agent, b: noop"
    assert (about["tasks"], about["parity"]) == ("the first 3", "on")


def test_several_numbers_are_ids_of_tasks(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--tau-tasks=1,2")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    finished(known, OK)
    assert load_manifest(next((pytester.path / ".tau").glob("2*"))).about["tasks"] == "1, 2"


@pytest.mark.parametrize("cut_off", [False, True])
def test_conversations_that_are_in_the_journal_and_not_in_the_table_are_told(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], cut_off: bool
) -> None:
    """Those that were played ahead, where a run was stopped; of an interrupted one it is said how to go on."""
    known = controlled(pytester, "--maxfail=1")
    known.plan([PASSED.nodeid, MISSED.nodeid])
    known.is_cut_off = known.is_interrupted = cut_off
    known.receive(report(PASSED.nodeid, PASSED))
    spooled(next((pytester.path / ".tau").glob("2*")), "main", PASSED, MISSED)
    finished(known, 1, failed="stopping after 1 failures")
    known.summarize(TerminalReporter(known._run.config, sys.stdout))
    told = "(!) 1 more conversation had ended before the run did: files made of the journal have it"
    said = capsys.readouterr().out
    assert ((told in said), ("Interrupted: 2 of 2 trials are kept" in said)) == (not cut_off, cut_off)


def test_of_a_test_in_python_it_is_not_known_what_such_a_conversation_counts_as(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    nodeid = "test_mine.py::test_it[a-trial2]"
    known = controlled(pytester, "--maxfail=1")
    known.plan([PASSED.nodeid, nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    spooled(next((pytester.path / ".tau").glob("2*")), "main", PASSED, MISSED.model_copy(update={"nodeid": nodeid}))
    finished(known, 1, failed="stopping after 1 failures")
    known.summarize(TerminalReporter(known._run.config, sys.stdout))
    told = "(!) 1 more conversation had ended before the run did: this table has not got it; --tau-resume gives it to"
    assert told in capsys.readouterr().out
