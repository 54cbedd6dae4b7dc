"""What the agent held out: a phrasing in a sentence that affirms."""

import pytest

from pytest_tau.evaluation.language.promises import held_out

TOMORROW: list[str | list[str]] = [
    "it will be there by tomorrow",
    "i promise",
    "it costs nothing",
    ["refund", "tomorrow"],
    "no fee",
]


@pytest.mark.parametrize(
    "text",
    [
        "It will be there by tomorrow.",
        "Do not worry: the card is charged. It will be there by tomorrow.",
        "I know this is hard, but it will be there by tomorrow.",
        "**I promise** that it works.",
        "Certainly, it costs nothing.",
        "Your refund is on your card tomorrow.",
        "Tomorrow you have your refund, no worries.",
        "There is no fee.",
    ],
)
def test_held_out(text: str) -> None:
    assert held_out(text, TOMORROW) in TOMORROW


@pytest.mark.parametrize(
    "text",
    [
        "I cannot say that it will be there by tomorrow.",
        "I'm not able to tell you that it will be there by tomorrow.",
        "Did somebody say that it will be there by tomorrow?",
        "If the bank is quick, it will be there by tomorrow.",
        "It takes 5 to 7 business days.",
        "Your refund takes 5 to 7 business days from tomorrow.",
        "The refund is not there tomorrow.",
        "Tomorrow would be too early for the refund.",
        "You asked for the refund by tomorrow.",
        "The refund may be there tomorrow.",
        "The refund was sent. Tomorrow we are closed.",
        "Nobody can tell whether it costs nothing.",
        "",
    ],
)
def test_not_held_out(text: str) -> None:
    assert held_out(text, TOMORROW, ["business days"]) is None


def test_another_sentence_that_denies_takes_nothing_back() -> None:
    assert held_out("I cannot call the bank. It will be there by tomorrow.", TOMORROW) is not None
