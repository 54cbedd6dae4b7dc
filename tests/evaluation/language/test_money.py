"""Amounts of money in what was said and in what was written."""

import pytest

from pytest_tau.evaluation.language.terms.agreed import number_in
from pytest_tau.evaluation.language.terms.money import money_in


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("It costs $1,234.50, or 1,100 euros.", (1234.5, 1100.0)),
        ("It costs 61.37 €, 5£ more than 56 $; 1 euro is 1 dollar.", (61.37, 5.0, 56.0, 1.0, 1.0)),
        ("You have 2 $30 vouchers and 3 $ 40 ones.", (30.0, 40.0)),
        ("5€ 6€, or 20 US$, 30 US dollars and a 7-dollar voucher.", (5.0, 6.0, 20.0, 30.0, 7.0)),
        ("3€50 and then 1.", ()),
        ("$" + "9" * 400, ()),
        ("1," * 3000, ()),  # from each digit anew it would take seconds
    ],
)
def test_amounts_in_a_text(text: str, amounts: tuple[float, ...]) -> None:
    assert money_in(text) == amounts


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "-inf", 10**400, None, True, "ten", []])
def test_what_is_no_amount(value: object) -> None:
    assert number_in(value) is None


def test_amounts_written_as_texts() -> None:
    assert number_in("20.505") == 20.5
