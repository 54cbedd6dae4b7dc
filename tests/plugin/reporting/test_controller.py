"""The controller, fed with reports as pytest makes them: totals, journal and exit status, without a test being run."""

import pytest

from pytest_tau import load_journal
from pytest_tau.plugin.reporting import controller
from pytest_tau.plugin.workers.transport import TRIAL
from pytest_tau.schema.record import Outcome
from tests.plugin.reporting.controlled import FAILED, MISSED, NONE, OK, PASSED, controlled, finished, report
from tests.reports.runs import record


def test_each_trial_is_counted_kept_and_forgotten(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid, MISSED.nodeid, "test_it.py::test_other"])
    made = report(PASSED.nodeid, PASSED)
    assert known.receive(made) == "passed"
    assert TRIAL not in vars(made)  # pytest keeps its reports to the end
    assert known.receive(report(MISSED.nodeid, MISSED, outcome="failed")) == "missed"
    assert known.receive(report(MISSED.nodeid, when="teardown", outcome="failed")) is None
    assert known.receive(report("test_it.py::test_other", outcome="failed")) is None
    assert (known.totals.done(), known.totals.planned()) == (2, 2)
    assert known.totals.outcomes() == {"passed": 1, "missed": 1}
    assert finished(known, FAILED) == FAILED
    assert [(kept.task_id, kept.trial) for kept in load_journal(pytester.path / ".tau")] == [("a", 1), ("a", 2)]
    assert (pytester.path / ".tau/latest/manifest.json").is_file()


@pytest.mark.parametrize(
    ("outcome", "args", "before", "status"),
    [
        (Outcome.PASSED, (), OK, OK),
        (Outcome.MISSED, (), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-miss-as=xfail",), OK, FAILED),  # a miss is one, however pytest counts it
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), FAILED, OK),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0", "--tau-miss-as=xfail"), OK, OK),
        (Outcome.MISSED, ("--tau-gate=pass^1 > 0",), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0", "--collect-only"), FAILED, FAILED),
        (Outcome.UNGRADED, (), OK, OK),
        (Outcome.INFRA_ERROR, (), FAILED, FAILED),
        (Outcome.ERROR, (), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERRUPTED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.INTERNAL_ERROR),
    ],
)
def test_the_exit_status(
    pytester: pytest.Pytester, outcome: Outcome, args: tuple[str, ...], before: int, status: int
) -> None:
    known = controlled(pytester, *args)
    trial = record("a", 1, outcome)
    known.plan([trial.nodeid])
    known.receive(report(trial.nodeid, trial))
    assert finished(known, before) == status


@pytest.mark.parametrize(("begun", "status"), [((1, 2), OK), ((1,), FAILED), ((), FAILED)])
def test_a_run_whose_workers_died_before_its_tests_began_is_no_success(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, begun: tuple[int, ...], status: int
) -> None:
    """Xdist gives up after so many deaths of workers at their start, and counts no failure."""
    monkeypatch.setattr(controller, "has_workers", lambda config: True)
    known, trials = controlled(pytester), {number: record("a", number) for number in (1, 2)}
    known.plan([trial.nodeid for trial in trials.values()])
    for number in begun:
        known.begin_test(trials[number].nodeid)
        known.receive(report(trials[number].nodeid, trials[number]))
    assert finished(known, OK) == status
    told = [f"Exit status 1: {count} did not begin" in "".join(known._why_red()) for count in ("1 trial", "2 trials")]
    assert told == [len(begun) == 1, not begun]


def test_a_run_that_selected_nothing_collected_nothing(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([])
    assert finished(known, NONE) == NONE
    assert not (pytester.path / ".tau").exists()


def test_a_failure_that_is_no_miss_and_a_run_that_was_stopped_hold_no_gate(pytester: pytest.Pytester) -> None:
    for options in ({"only_misses": False}, {"stopped": "stopping after 1 failures"}):
        known = controlled(pytester, "--tau-gate=pass^1 >= 0")
        known.plan([PASSED.nodeid])
        known.receive(report(PASSED.nodeid, PASSED))
        assert finished(known, OK, **options) == FAILED


def test_what_was_not_run_is_no_success(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid, MISSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    known.totals.not_run["the budget of 5 USD is used up"] += 1
    assert finished(known, OK) == FAILED


def test_a_folder_that_cannot_be_is_told_before_any_trial(pytester: pytest.Pytester) -> None:
    pytester.makefile(".txt", file="not a folder")
    known = controlled(pytester, "--tau-results=file.txt/below")
    with pytest.raises(pytest.UsageError, match=r"below: results cannot be kept there \(.*\); see --tau-results$"):
        known.open_journal()
