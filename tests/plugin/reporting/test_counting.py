"""Which trials count, in which order they stand, and what is taken over of an earlier run."""

from types import SimpleNamespace

import pytest

from pytest_tau.plugin.reporting.controller import Controller
from pytest_tau.plugin.run import Run
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


def test_a_worker_that_took_a_trial_down_costs_that_trial(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    nodeid = "tau/mock/count_my_tasks.json::test_task[trial1]"
    known.plan([nodeid])
    crashed = report(nodeid, when="???", outcome="failed")
    crashed.node = SimpleNamespace(gateway=SimpleNamespace(id="gw0"), workerinput={})
    assert known.receive(crashed) == "infra_error"
    assert known.totals.outcomes() == {"infra_error": 1}
    assert known.receive(crashed) == "infra_error"  # some ways of --dist give it to the next worker, and the next
    assert known.totals.outcomes() == {"infra_error": 1}
    other = report("test_it.py::test_it[a-trial1]", when="???", outcome="failed")
    other.node = crashed.node
    assert known.receive(other) is None  # some other project's parameter


def test_a_resumed_run_counts_what_was_done_once(pytester: pytest.Pytester) -> None:
    first = controlled(pytester)
    first.plan([PASSED.nodeid, MISSED.nodeid])
    for trial in (PASSED, MISSED):
        first.receive(report(trial.nodeid, trial))
    finished(first, FAILED)
    run = Run(pytester.parseconfig(AGENT, "--tau-resume"))
    run.done = frozenset([PASSED.nodeid, MISSED.nodeid])
    run.__dict__["folder"] = (pytester.path / ".tau/latest").resolve()
    again = Controller(run)
    again.plan([])
    again.plan([])
    assert again.totals.outcomes() == {"passed": 1, "missed": 1}
    assert finished(again, NONE) == FAILED  # there is a miss, and no test ran
