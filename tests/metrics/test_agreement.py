"""Shares with their intervals, and Cohen's kappa."""

import pytest

from pytest_tau.metrics.agreement import kappa, share
from pytest_tau.metrics.intervals import wilson


def test_a_share_has_a_wilson_interval_and_of_nothing_nothing_is_known() -> None:
    found = share(8, 10)
    assert (found.value, (found.low, found.high)) == (0.8, wilson(0.8, 10))
    assert str(found) == "80 % [49–94] of 10"
    nothing = share(0, 0)
    assert (nothing.value, nothing.low, nothing.high, str(nothing)) == (None, 0.0, 1.0, "–")


def test_kappa_of_cohens_own_kind_of_table() -> None:
    pairs = [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15
    found = kappa(pairs)
    # 35 of 50 equal; by chance 0.5 · 0.6 + 0.5 · 0.4
    assert found.value == pytest.approx((0.7 - 0.5) / 0.5)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high
    assert str(found).startswith("0.40 [")


def test_kappa_of_equal_opposite_and_undefined() -> None:
    assert kappa([("a", "a"), ("b", "b")]).value == 1.0
    assert kappa([("a", "b"), ("b", "a")]).value == -1.0
    assert (kappa([]).value, kappa([("a", "a")] * 3).value, str(kappa([]))) == (None, None, "–")
