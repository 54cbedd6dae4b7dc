"""Tests with parameters are about the same tasks: of them all, each counts once."""

import pytest

from pytest_tau.metrics.gate import parse_gate
from pytest_tau.metrics.task_results import results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.terminal import summary_table
from tests.metrics.held import evaluate


def played(*rows: str) -> Totals:
    """Six tasks, of which two pass, in each of some rows."""
    totals = Totals()
    for row in rows:
        for number in range(6):
            totals.plan(row, f"t{number}", 1)
            totals.add(TrialFacts(row, f"t{number}", "passed" if number < 2 else "missed"))
    return totals


FOUR = [f"mock, test_it, {style}" for style in "abcd"]


def test_the_curve_of_all_rows_is_no_surer_than_that_of_one() -> None:
    [all_rows], [one] = played(*FOUR).pass_hat(), played("mock").pass_hat()
    assert (all_rows.value, all_rows.low, all_rows.high, all_rows.tasks) == (one.value, one.low, one.high, 6)


def test_the_table_counts_them_once_and_their_trials_each() -> None:
    last = summary_table(played(*FOUR))[-1]
    assert [cell.strip() for cell in last.split("|")[1:4]] == ["all", "6", "24"]


@pytest.mark.parametrize("bound", ["lower(pass^1) >= 0.1", "upper(pass^1) <= 0.7"])
def test_a_gate_on_an_end_of_the_interval_holds_for_all_as_for_one(bound: str) -> None:
    many, one = (evaluate(parse_gate(bound), results_of(totals)) for totals in (played(*FOUR), played("mock")))
    assert many.state is one.state
    assert many.explanation.partition(", 95 %")[2] == one.explanation.partition(", 95 %")[2] != ""


def test_a_mean_over_unequal_rows_is_one_over_tasks() -> None:
    totals = played("mock, test_it, a")
    totals.plan("mock, test_it, b", "t0", 1)
    totals.add(TrialFacts("mock, test_it, b", "t0", "missed"))
    [found] = totals.pass_hat()
    assert (found.tasks, found.value) == (6, 0.25)  # a half, one and four times nothing
    assert totals.number_of_tasks() == 6
