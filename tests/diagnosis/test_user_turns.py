"""What a customer says turn by turn, as the rules read it."""

import pytest
from hypothesis import example, given

from pytest_tau.diagnosis.user_turns import Turn, alike, plain, sentences_in, short, turns_of, words_in
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, says, u_call
from tests.strategies import text


def test_a_turn_has_the_agents_last_words_before_it() -> None:
    messages: list[AnyMessage] = [says("Hi"), says("Who are you?"), asks("*Ada*"), asks("Brook"), says("Well")]
    assert list(turns_of(messages)) == [Turn(2, "Ada", "Who are you?"), Turn(3, "Brook", "")]


def test_calls_are_no_words() -> None:
    messages: list[AnyMessage] = [says("Hi"), says("I look.", a_call()), asks("I look, too.", u_call()), asks("There.")]
    assert list(turns_of(messages)) == [Turn(3, "There.", "Hi")]


def test_how_a_text_is_read() -> None:
    assert plain("**It’s** here\\nand there") == "It's here\nand there"
    assert words_in("Don't ask user_1, ÄRGER-2!") == ["don't", "ask", "user_1", "ärger", "2"]
    assert sentences_in("One. Two!\nthree  \n\n4.5 is") == ["One.", "Two!", "three  ", "4.5 is"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What is your zip code?", "what is your ZIP CODE please", True),
        ("What is your zip code?", "What is your name?", False),
        ("", "", False),
    ],
)
def test_alike(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is alike(other, one) is same


@example("x" * 81)
@given(text(max_size=200))
def test_a_finding_shows_one_line_of_eighty_characters_at_most(long: str) -> None:
    shown = short(long)
    assert len(shown) <= 80
    assert "\n" not in shown
    assert shown.rstrip("…") in " ".join(long.split())
