"""Ids as they are said and spelled, and what they are read as again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.users.spelling import best_match, ids_in, normal, say_id, say_number, shaped_like, sounds, spell

IDS = st.from_regex(
    r"#W[0-9]{7}|[A-Z]{5}[0-9]|[a-z]{3,8}_[a-z]{3,8}_[0-9]{4}|[0-9]{3}-[0-9]{3}-[0-9]{4}", fullmatch=True
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("#W650", "w six five zero"),
        ("ann.lee7@example.com", "ann dot lee seven at example dot com"),
        ("ann_lee_12", "ann underscore lee underscore one two"),
        ("KPMXY1", "k p m x y one"),
    ],
)
def test_how_an_id_is_said(value: str, said: str) -> None:
    assert say_id(value) == said


def test_how_an_id_is_spelled() -> None:
    assert spell("#W65") == "W as in whiskey, six, five"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "zero"), (15, "fifteen"), (42, "forty two"), (1200, "one thousand two hundred")]
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert say_number(number) == words


def test_ids_of_a_text() -> None:
    text = "Order #W6587265 for a.b@example.com, zip 28804, on 2024-05-09 for 13.50 at 12 Canal Road, KPMXY1."
    assert ids_in(text) == ["#W6587265", "a.b@example.com", "28804", "KPMXY1"]


@given(IDS)
def test_law_what_is_said_or_spelled_is_read_again(value: str) -> None:
    for text in (say_id(value), f"No, it is {spell(value)}.", f"i have {value} right"):
        assert best_match(value, text.lower()) == normal(value)
    assert shaped_like(normal(value), value) == value


def test_the_word_decides_where_a_letter_is_heard_otherwise() -> None:
    assert "".join(sounds("x as in sierra, four, oh")) == "s40"


def test_an_id_that_is_more_like_another_one_is_none() -> None:
    assert best_match("#W1234567", "order w one two three four five six eight") == "w1234568"
    assert best_match("#W1234567", "order w one two three four five six eight", others=["#W1234568"]) is None
    assert best_match("#W1234567", "i have told you all") is None
