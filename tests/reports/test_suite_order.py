"""Trials in the order of their suite."""

from pytest_tau.reports.suite_order import in_order
from tests.journal.written import record

TESTS = ["tau/mock/b.json::test_task[", "tau/mock/ä.json::test_task["]


def test_trials_stand_as_their_tests_and_unknown_ones_last() -> None:
    trials = [record(trial, nodeid=f"{test}trial{trial}]") for test in [*reversed(TESTS), "x::t["] for trial in (2, 1)]
    found = [one.nodeid for one in in_order(reversed(trials), TESTS)]
    assert found == [f"{test}trial{trial}]" for test in [*TESTS, "x::t["] for trial in (1, 2)]
