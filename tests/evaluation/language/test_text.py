"""Amounts as people of other languages write them, words, sentences, and what is not English."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.evaluation.criteria.communicate import mentions
from pytest_tau.evaluation.language.text import (
    _ANY_COMMA,
    _ANY_THOUSANDS,
    _COMMA,
    _THOUSANDS,
    content_words,
    english_amounts,
    foreign,
    own_words,
    sentences,
)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Sie bekommen 54,04 $ zurück.", "54.04"),
        ("Il reste 1 443,88 $ sur la carte.", "1443.88"),
        ("El saldo es de **1.443,88 USD**.", "1443.88"),
        ("Das sind $ 19,25 zusammen.", "19.25"),
        ("En total, 19,25 dólares.", "19.25"),
    ],
)
def test_an_amount_with_a_comma_is_one_where_a_currency_stands_beside(text: str, amount: str) -> None:
    assert mentions(text, amount)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("12.000 € a year", "12000 € a year"),
        ("1.234.567 euros", "1234567 euros"),
        ("12 dollars and 5 cents", "12.05 dollars"),
        ("12.00 €, $1.234 and 0.325 €", "12.00 €, $1.234 and 0.325 €"),
    ],
)
def test_thousands_with_a_point_and_cents(text: str, english: str) -> None:
    assert english_amounts(text) == english


def test_other_commas_stay() -> None:
    for text in ("sizes 10,12 and 14", "$1,234 and 1,234.50 dollars", "items 10,12,14 USD", "10, 12 dollars"):
        assert english_amounts(text) == text


def test_sentences_end_where_people_end_them() -> None:
    assert sentences("Yes. I want it, but not today; 2 items…") == ("Yes.", "I want it", "not today;", "2 items...")
    assert sentences("- \n**Done**") == ("Done",)


def test_own_words_are_those_that_nobody_else_is_quoted_with_but_for_json() -> None:
    assert own_words('You said "cancel my order now", I heard.') == 'You said "", I heard.'
    assert own_words('{"message": "I have cancelled it."}') == '{"message": "I have cancelled it."}'


def test_words_that_say_something() -> None:
    assert content_words("Please book the red bag for me") == {"red", "bag"}


def test_what_is_not_english() -> None:
    assert foreign(["Ich möchte meine Bestellung stornieren"])
    assert foreign(["да"])
    assert not foreign(["I want my order", "W1234567"])
    assert not foreign(["12345"])


@given(st.text("1230.,  $€USDeuro*"))
def test_no_amount_in_a_foreign_form_is_overlooked(text: str) -> None:
    assert not _COMMA.search(text) or _ANY_COMMA.search(text)
    assert not _THOUSANDS.search(text) or _ANY_THOUSANDS.search(text)
