"""Which trials count, in which order they stand, and what is taken over of an earlier run."""

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.reporting.controller import Controller
from pytest_tau.plugin.run import Run
from pytest_tau.schema.record import Outcome
from tests.plugin.inner import journal
from tests.plugin.reporting.controlled import AGENT, FAILED, MISSED, NONE, OK, PASSED, controlled, finished, report
from tests.reports.runs import record


def test_tasks_stand_in_the_order_of_the_suite_whichever_came_first(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    trials = [record(task) for task in "abc"]
    known.plan([trial.nodeid for trial in trials])
    for trial in reversed(trials):
        known.receive(report(trial.nodeid, trial))
    finished(known, OK)
    assert [task_id for _, task_id in known.totals.tasks] == ["a", "b", "c"]


def test_trials_that_never_reported_are_planned(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--tau-gate=pass^1 >= 0.3")
    known.plan([f"tasks/mock/{task}.json::test_task[trial{trial}]" for task in ("a", "b") for trial in (1, 2)])
    known.receive(report(PASSED.nodeid, PASSED))
    assert finished(known, OK) == FAILED
    assert (known.totals.done(), known.totals.planned()) == (1, 4)
    assert set(known.totals.tasks) == {("mock", "a"), ("mock", "b")}


COUNT = "tau/mock/count_my_tasks.json::test_task[trial1]"


def crash(nodeid: str) -> Any:
    """xdist's report of a test that took its worker down."""
    made = report(nodeid, when="???", outcome="failed")
    made.node, made.longrepr = (
        SimpleNamespace(gateway=SimpleNamespace(id="gw0"), workerinput={}),
        "worker 'gw0' crashed",
    )
    return made


def test_a_worker_that_took_a_trial_down_costs_that_trial(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([COUNT])
    for _ in range(2):  # some ways of --dist give it to the next worker, and the next
        assert known.receive(crash(COUNT)) == "infra_error"
        assert known.totals.outcomes() == {"infra_error": 1}
        (kept,) = journal(pytester.path)
        assert (kept.nodeid, kept.domain, kept.task_id, kept.trial) == (COUNT, "mock", "count_my_tasks", 1)
        assert (kept.outcome, kept.note) == (Outcome.INFRA_ERROR, "worker 'gw0' crashed")
    assert known.receive(crash("test_it.py::test_it[a-trial1]")) is None  # some other project's parameter


def test_where_tests_are_told_apart_by_their_files_so_is_such_a_trial(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    first, second = (f"test_a.py::test_same[a-trial{number}]" for number in (1, 2))
    known.plan([first, second])
    known.receive(report(first, record("a").model_copy(update={"nodeid": first, "file_in_row": True})))
    assert known.receive(crash(second)) == "infra_error"
    assert list(known.totals.tasks) == [("mock, test_a.py::test_same", "a")]


def test_a_trial_that_no_worker_was_left_to_run_again_is_counted(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([COUNT])
    assert known.seen.is_bystander(COUNT, crash(COUNT))
    assert finished(known, OK) == FAILED
    assert known.totals.outcomes() == {"infra_error": 1}
    assert [kept.nodeid for kept in journal(pytester.path)] == [COUNT]


def resumed(pytester: pytest.Pytester, done: list[str]) -> Controller:
    """The controller of a run that goes on with the latest one, of which these tests are done."""
    run = Run(pytester.parseconfig(AGENT, "--tau-resume"))
    run.done = frozenset(done)
    run.__dict__["folder"] = (pytester.path / ".tau/latest").resolve()
    return Controller(run)


def test_a_resumed_run_counts_what_was_done_once(pytester: pytest.Pytester) -> None:
    first = controlled(pytester)
    first.plan([PASSED.nodeid, MISSED.nodeid])
    for trial in (PASSED, MISSED):
        first.receive(report(trial.nodeid, trial))
    finished(first, FAILED)
    again = resumed(pytester, [PASSED.nodeid, MISSED.nodeid])
    again.plan([])
    again.plan([])
    assert again.totals.outcomes() == {"passed": 1, "missed": 1}
    assert finished(again, NONE) == FAILED  # there is a miss, and no test ran


def test_what_a_resumed_run_does_not_play_again_counts_as_it_had_ended(pytester: pytest.Pytester) -> None:
    """It was played and paid for, and a table made of the journal has it as well."""
    lost = record("lost", outcome=Outcome.INFRA_ERROR)
    first = controlled(pytester)
    first.plan([PASSED.nodeid, lost.nodeid])
    for trial in (PASSED, lost):
        first.receive(report(trial.nodeid, trial))
    finished(first, FAILED)
    again = resumed(pytester, [PASSED.nodeid])
    again.plan([PASSED.nodeid])  # -k leaves the other one out
    finished(again, NONE)
    assert again.totals.outcomes() == first.totals.outcomes() == {"passed": 1, "infra_error": 1}
    assert (again.totals.done(), again.totals.planned(), again.totals.replays()) == (2, 2, 0)
    assert again.totals.cost() == first.totals.cost() == 0.02
