"""Student's t distribution, against scipy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.student import t_cdf, t_quantile


@given(st.floats(-50, 50), st.integers(1, 5000))
def test_the_distribution_is_that_of_scipy(value: float, freedom: int) -> None:
    from scipy import stats  # seconds, in each worker

    assert t_cdf(value, freedom) == pytest.approx(stats.t.cdf(value, freedom), abs=1e-12)


@given(st.floats(0.0005, 0.9995), st.integers(1, 5000))
def test_the_quantile_is_that_of_scipy(probability: float, freedom: int) -> None:
    from scipy import stats  # seconds, in each worker

    assert t_quantile(probability, freedom) == pytest.approx(stats.t.ppf(probability, freedom), rel=1e-8, abs=1e-8)
