"""Orders: what a customer tells the agent to do, now and on no condition."""

import pytest

from pytest_tau.evaluation.language.orders import orders

ASKED = ("Shall I enter that?",)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Well, rules are rules. Enter it.", ["Enter it."]),
        ("Yes please, cancel it now.", ["Yes please, cancel it now."]),
        ("Okay, go ahead and process it.", ["Okay, go ahead and process it."]),
        ("Got it, coach, enter it!", ["Got it, coach, enter it!"]),
        ("Nine dollars: enter it.", ["Nine dollars: enter it."]),
        ("I never told you, enter it.", []),
        ("When it is paid, enter it.", []),
        ("My wife says, enter it.", []),
        ("The other one, enter that.", []),
        ("As soon as the money is there, enter it.", []),
        ("Should it be late, enter it.", []),
        ("On Friday: enter it.", []),
        ("Provided it is free, enter it.", []),
        ("My options are: enter it, or wait.", []),
        ("Keep the lamp, enter the desk.", []),
        ("He insists, enter it.", []),
        ("Enter it? Why?", []),
        ("Enter it if it is free.", []),
        ("Enter it once I have paid.", []),
        ("Enter it, but not yet.", []),
        ("Don't enter it.", []),
        ("You entered it already.", []),
    ],
)
def test_who_orders_and_who_does_not(said: str, found: list[str]) -> None:
    assert list(orders(said, ASKED, ("cancel",))) == found


def test_the_word_of_a_question_that_was_not_asked_is_no_order() -> None:
    assert list(orders("Enter it.", (), ("cancel",))) == []
