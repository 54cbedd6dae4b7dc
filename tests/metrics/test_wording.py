"""Numbers and names as sentences put them: short, and never the same for two that differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.metrics.wording import beside, dollars, percent, some

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "$0.00"), (5, "$5.00"), (0.1, "$0.10"), (0.05, "$0.05"), (0.001, "$0.001"), (0.0010249, "$0.00102")],
)
def test_small_amounts_keep_their_digits(amount: float, text: str) -> None:
    assert dollars(amount) == text


@given(st.floats(1e-9, 1e6))
def test_an_amount_is_right_to_three_figures_or_to_the_cent(amount: float) -> None:
    written = dollars(amount)
    digits = written.partition(".")[2]
    assert len(digits) >= 2
    assert abs(float(written.removeprefix("$")) - amount) <= max(0.005 * amount, 0.0 if amount < 0.1 else 0.005) + 1e-12


@given(SHARES, st.integers(1, 6), st.floats(2, 9))
def test_two_shares_that_differ_are_written_so_that_one_sees_it(one: float, places: int, apart: float) -> None:
    other = one + apart * 10**-places
    assert beside(one, other) != beside(other, one)


@given(SHARES, st.integers(1, 9))
def test_no_more_digits_than_that_takes(one: float, places: int) -> None:
    other = one + 10**-places
    digits = len(beside(one, other).removesuffix(" %").partition(".")[2])
    assert beside(one, other) == percent(one, digits)
    assert digits == 1 or percent(one, digits - 1) == percent(other, digits - 1)


def test_shares_that_differ_by_rounding_only_are_the_same() -> None:
    assert beside(0.1 + 0.2, 0.3) == beside(0.3, 0.1 + 0.2) == "30.0 %"


@pytest.mark.parametrize(
    ("names", "text"),
    [("", ""), ("a", "a"), ("abc", "a, b, c"), ("abcd", "a, b, c and 1 more"), ("abcdef", "a, b, c and 3 more")],
)
def test_of_many_names_the_first(names: str, text: str) -> None:
    assert some(list(names)) == text
    assert some(list(names), most=9) == ", ".join(names)


def test_a_name_stays_on_its_line() -> None:
    assert some(["one\ntwo", "three"]) == "one two, three"
