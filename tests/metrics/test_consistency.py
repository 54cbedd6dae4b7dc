from math import exp, log2

import pytest

from pytest_tau.metrics.consistency import (
    Course,
    divergence,
    edit_distance,
    of_task,
    order_consistency,
    outcome_consistency,
    resource_consistency,
    tool_consistency,
)


def test_outcomes_are_consistent_where_all_or_none_pass() -> None:
    assert [outcome_consistency(passed, 4) for passed in range(5)] == [1.0, 0.25, 0.0, 0.25, 1.0]


def test_divergence_is_that_of_jensen_and_shannon() -> None:
    assert divergence({"a": 2, "b": 2}, {"a": 1, "b": 1}) == 0.0
    assert divergence({"a": 1}, {"b": 3}) == 1.0
    # Half of a's share moved: by hand.
    expected = (log2(1 / 0.75) + 0.5 * log2(0.5 / 0.75) + 0.5 * log2(0.5 / 0.25)) / 2
    assert divergence({"a": 1}, {"a": 1, "b": 1}) == pytest.approx(expected)
    assert divergence({}, {}) == 0.0
    assert divergence({}, {"a": 1}) == 1.0


def test_the_order_of_calls_counts_edits_over_the_longer_one() -> None:
    assert edit_distance("abc", "abc") == 0.0
    assert edit_distance("abc", "abcd") == 0.25
    assert edit_distance("kitten", "sitting") == pytest.approx(3 / 7)
    assert edit_distance("", "ab") == 1.0
    assert edit_distance("", "") == 0.0


def test_means_over_pairs_of_trials() -> None:
    calls = [("a", "b"), ("a", "b"), ("b", "a")]
    assert tool_consistency(calls) == pytest.approx(1.0)
    assert order_consistency(calls) == pytest.approx(1 - (0 + 1 + 1) / 3)


def test_resources_scatter_by_their_coefficient_of_variation() -> None:
    assert resource_consistency([(2.0, 10.0), (2.0, 10.0)]) == 1.0
    assert resource_consistency([(1.0, 0.0), (3.0, 0.0)]) == pytest.approx(exp(-0.5))
    assert resource_consistency([(0.0,), (0.0,)]) is None


def test_a_task_needs_two_trials() -> None:
    one = Course(True, ("a",), (1.0,))
    assert of_task([one]) == {}
    assert of_task([one, Course(None, ("a",), (1.0,))]) == {"tools": 1.0, "order": 1.0, "resources": 1.0}
