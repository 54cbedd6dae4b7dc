"""A labelled sample of a run corrects what was graded, whatever the judge is worth."""

import pytest

from pytest_tau.metrics.prediction_powered import Stratum, prediction_powered

GRADED = [[1.0, 1.0, 0.0, 1.0]] * 20


def test_the_mean_difference_of_each_stratum_is_added_by_its_share() -> None:
    strata = [Stratum(0.5, 40, [0.0, -1.0, 0.0, 0.0]), Stratum(0.25, 20, [0.0] * 10)]
    found = prediction_powered(GRADED, strata)
    assert found is not None
    assert found.value == pytest.approx(0.75 - 0.5 * 0.25)
    assert found.low < found.value < found.high


def test_a_larger_sample_is_more_certain_and_a_whole_one_is_certain() -> None:
    parts = [
        found.judge
        for n in (4, 20, 40)
        if (found := prediction_powered(GRADED, [Stratum(0.5, 40, [0.0, -1.0] * (n // 2))])) is not None
    ]
    assert parts[0] > parts[1] > parts[2] == 0.0


def test_a_sample_without_a_difference_is_no_proof() -> None:
    found = prediction_powered(GRADED, [Stratum(1.0, 80, [0.0] * 5)])
    assert found is not None
    assert found.value == 0.75
    assert found.judge > 0


def test_nothing_labelled_and_nothing_played() -> None:
    found = prediction_powered(GRADED, [Stratum(0.5, 40, [])])
    assert found is not None
    assert (found.value, found.judge) == (0.75, 0.0)
    assert prediction_powered([], []) is None


def test_it_stays_between_none_and_all() -> None:
    found = prediction_powered([[1.0]] * 5, [Stratum(1.0, 5, [0.0, 0.0])])
    assert found is not None
    assert (found.value, found.high) == (1.0, 1.0)
