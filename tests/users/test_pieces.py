"""Texts in pieces: nothing of them is lost."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.users.pieces import facts, pack, sentences
from tests.strategies import text


def test_facts_of_a_sentence() -> None:
    assert facts("My name is Ann and my zip code is 28888.") == ["My name is Ann.", "My zip code is 28888."]
    assert facts("I am Ann.") == ["I am Ann."]


def test_long_sentences_are_parted_where_they_can_be() -> None:
    long = "I'd like the snow boots in black with laces, in the same size; put the difference on my PayPal account."
    assert pack([long], 8) == [
        "I'd like the snow boots in black with laces",
        "in the same size",
        "put the difference on my PayPal account.",
    ]
    assert pack(["It goes to 5 Canal Road, Unit 3, Reno, NV 89501, USA, please, as I said before."], 5) != []


def test_short_sentences_share_a_message() -> None:
    assert pack(["One.", "Two.", "Three four five six."], 3) == ["One. Two.", "Three four five six."]


def test_what_was_heard_before_is_no_message_of_its_own() -> None:
    said = ["Cancel my order.", "It takes too long.", "Not by you."]
    assert pack(said, 3, "I need to cancel my order") == ["Cancel my order. It takes too long. Not by you."]
    assert pack(said, 3, "hello") == ["Cancel my order.", "It takes too long. Not by you."]


@given(text(), st.integers(1, 40))
def test_law_all_letters_are_told_in_their_order(whole: str, most: int) -> None:
    kept = "".join(letter for letter in whole if letter.isalnum())
    told = " ".join(pack(sentences(whole), most))
    assert "".join(letter for letter in told.replace(" and ", " ") if letter.isalnum()) == "".join(
        letter for letter in whole.replace(" and ", " ") if letter.isalnum()
    ) or kept == "".join(letter for letter in told if letter.isalnum())
