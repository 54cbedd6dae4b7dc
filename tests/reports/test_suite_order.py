"""The order of a suite, kept in a run's folder."""

from pathlib import Path

import pytest

from pytest_tau.reports.suite_order import in_order, keep_order, order_of
from tests.journal.written import record

TESTS = ["tau/mock/b.json::test_task[", "tau/mock/ä.json::test_task["]


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    assert order_of(tmp_path) == []
    keep_order(tmp_path, TESTS)
    assert order_of(tmp_path) == TESTS


@pytest.mark.parametrize("text", ["{}", "[", "9" * 5000, "[" * 100_000])
def test_what_somebody_has_edited_is_no_order(tmp_path: Path, text: str) -> None:
    (tmp_path / "order.json").write_text(text, encoding="utf-8")
    assert order_of(tmp_path) == []


def test_trials_stand_as_their_tests_and_unknown_ones_last() -> None:
    trials = [record(trial, nodeid=f"{test}trial{trial}]") for test in [*reversed(TESTS), "x::t["] for trial in (2, 1)]
    found = [one.nodeid for one in in_order(reversed(trials), TESTS)]
    assert found == [f"{test}trial{trial}]" for test in [*TESTS, "x::t["] for trial in (1, 2)]
