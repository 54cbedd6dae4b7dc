"""The order of a suite, kept in a run's folder."""

import json
from pathlib import Path

import pytest

from pytest_tau.reports.suite_order import in_order, keep_plan, plan_of
from tests.journal.written import record

TESTS = ["tau/mock/b.json::test_task[", "tau/mock/ä.json::test_task["]


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    assert plan_of(tmp_path) == {}
    keep_plan(tmp_path, dict.fromkeys(TESTS, 2))
    assert list(plan_of(tmp_path).items()) == [(test, 2) for test in TESTS]


def test_of_an_older_run_the_order_alone_is_known(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(json.dumps(TESTS), encoding="utf-8")
    assert list(plan_of(tmp_path).items()) == [(test, 0) for test in TESTS]


@pytest.mark.parametrize("text", ['{"a": "2"}', "[", "9" * 5000, "[" * 100_000])
def test_what_somebody_has_edited_is_no_order(tmp_path: Path, text: str) -> None:
    (tmp_path / "order.json").write_text(text, encoding="utf-8")
    assert plan_of(tmp_path) == {}


def test_trials_stand_as_their_tests_and_unknown_ones_last() -> None:
    trials = [record(trial, nodeid=f"{test}trial{trial}]") for test in [*reversed(TESTS), "x::t["] for trial in (2, 1)]
    found = [one.nodeid for one in in_order(reversed(trials), TESTS)]
    assert found == [f"{test}trial{trial}]" for test in [*TESTS, "x::t["] for trial in (1, 2)]
