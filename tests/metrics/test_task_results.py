"""The tasks of a run as gates look at them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.task_results import TaskResult, results_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, Measures, TrialFacts


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_trials_without_a_verdict_count_for_or_against_and_no_others(passed: int, missed: int, missing: int) -> None:
    graded = passed + missed
    task = TaskResult("d", "a", passed, graded, graded + missing)
    assert task.missing == missing
    assert task.counts() == (passed, graded + missing)
    assert task.counts(missing_pass=True) == (passed + missing, graded + missing)


def test_a_task_is_named_with_its_domain() -> None:
    assert TaskResult("retail", "a/b", 0, 0, 1).key == "retail/a/b"


def test_results_of_a_run() -> None:
    totals = Totals()
    totals.plan("d", "a", 3)
    for outcome in ("passed", "missed"):
        totals.add(TrialFacts("d", "a", outcome, costs=Costs(0.5)))
    totals.add(TrialFacts("d", "b", "infra_error"))
    assert results_of(totals) == [TaskResult("d", "a", 1, 2, 3, 1.0, 0.5), TaskResult("d", "b", 0, 0, 1, None, None)]


@pytest.mark.parametrize(
    ("planned", "spared", "done", "counted"), [(4, 0, 1, 4), (4, 3, 1, 1), (4, 3, 2, 2), (0, 0, 2, 2)]
)
def test_as_many_trials_count_as_were_planned_and_not_spared_or_were_played(
    planned: int, spared: int, done: int, counted: int
) -> None:
    totals = Totals()
    totals.plan("d", "a", planned)
    for _ in range(done):
        totals.add(TrialFacts("d", "a", "passed"))
    totals.tasks["d", "a"].spared = spared
    (found,) = results_of(totals)
    assert (found.planned, found.graded, found.passed) == (counted, done, done)


def test_what_scores_have_read_and_how_it_was_told_go_with_it() -> None:
    totals = Totals()
    variant = {"label": "typos", "told": "typos"}
    for value in (0.5, 1.0):
        totals.add(TrialFacts("d, typos", "a", "passed", variant=variant, measures=Measures({"progress": value})))
    totals.add(TrialFacts("d", "a", "passed"))
    told, plain = results_of(totals)
    assert (told.variant, told.measured) == ("typos", {"progress": (0.5, 1.0)})
    assert (plain.variant, plain.measured) == ("", {})
