"""Rates with a judge's errors taken out: the estimate, its interval, coverage, and how many labels are enough."""

import random

import pytest

from benchmarks.judge_coverage import coverage
from pytest_tau.metrics.judge_errors import JudgeErrors, Trial, corrected_rate, labels_needed

GOOD = JudgeErrors(found=90, breaches=100, passed=95, fines=100)
BLIND = JudgeErrors(found=5, breaches=10, passed=5, fines=10)


def test_a_judge_that_is_always_right_changes_nothing() -> None:
    sure = JudgeErrors(10**6, 10**6, 10**6, 10**6)
    found = corrected_rate([[True, False, False, False]] * 20, sure)
    assert found is not None
    assert found.value == pytest.approx(0.75, abs=1e-5)
    assert found.judge < 1e-6 < found.all


def test_what_is_noted_of_a_judge_is_read_again() -> None:
    errors = JudgeErrors(3.5, 4.0, 5.0, 6.25)
    assert JudgeErrors.of_text(errors.as_text()) == errors
    for text in ("", "1 2 3", "1 2 3 x", "3 2 1 1", "nan 1 1 1", "-1 1 1 1", "1 inf 1 1"):
        assert JudgeErrors.of_text(text) is None


def test_what_no_judge_has_read_stands_as_it_is() -> None:
    found = corrected_rate([[1.0, 0.0]] * 30, GOOD)
    assert found is not None
    assert found.value == 0.5
    assert found.judge == pytest.approx(0.0)
    assert found.low < 0.5 < found.high


def test_rates_above_one_and_below_none_are_cut_off() -> None:
    never, always = corrected_rate([[True] * 4] * 30, GOOD), corrected_rate([[False] * 4] * 30, GOOD)
    assert never is not None
    assert always is not None
    assert (never.value, never.low, always.value, always.high) == (0.0, 0.0, 1.0, 1.0)


def test_products_of_trials_estimate_pass_k() -> None:
    """Of independent trials of which 60 % keep the rules, 36 % of pairs do, whatever the judge misses."""
    rng, judge = random.Random(5), JudgeErrors(80_000, 100_000, 90_000, 100_000)
    tasks: list[list[Trial]] = [
        [rng.random() < (0.8 if rng.random() < 0.4 else 0.1) for _ in range(4)] for _ in range(6000)
    ]
    for k in (1, 2, 3):
        found = corrected_rate(tasks, judge, k)
        assert found is not None
        assert found.value == pytest.approx(0.6**k, abs=0.03)


def test_without_k_trials_or_with_a_judge_like_chance_there_is_none() -> None:
    assert corrected_rate([[1.0]], GOOD, 2) is None
    assert corrected_rate([], GOOD) is None
    assert corrected_rate([[True]], BLIND) is None


@pytest.mark.parametrize(
    ("judge", "apart"),
    [(GOOD, True), (BLIND, False), (JudgeErrors(8, 10, 9, 10), True), (JudgeErrors(3, 5, 4, 5), False)],
)
def test_whether_it_tells_a_breach_from_none_is_asked_of_the_ends(judge: JudgeErrors, apart: bool) -> None:
    assert judge.tells_apart is apart
    assert not JudgeErrors(0, 0, 5, 5).tells_apart


def test_more_labels_are_needed_for_a_worse_judge_and_none_help_one_like_chance() -> None:
    usual, good, poor = labels_needed(None), labels_needed(GOOD), labels_needed(JudgeErrors(65, 100, 80, 100))
    assert usual is not None
    assert good is not None
    assert poor is not None
    assert good < usual < poor
    assert labels_needed(JudgeErrors(4, 10, 4, 10)) is None
    assert labels_needed(JudgeErrors(0, 5, 7, 7)) is None  # it calls everything fine
    few, many = labels_needed(GOOD, read=0.1, breach=0.02), labels_needed(GOOD, read=1.0, breach=0.4)
    assert few is not None
    assert many is not None
    assert few <= many


def test_intervals_hold_the_truth_in_simulated_worlds_and_uncorrected_ones_do_not() -> None:
    found = coverage(worlds=300, seed=7)
    assert 0.93 <= found.corrected <= 0.97
    assert found.uncorrected < 0.93
    assert 0.93 <= found.prediction_powered <= 0.98
