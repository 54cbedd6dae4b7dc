"""What the agent says that others will do or that will be, and nothing gives."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.to_come import told_to_come
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

RETAIL = load_domain("retail")


def told(line: str, *before: AnyMessage) -> list[str]:
    return [one.sentence for one in told_to_come([asks("Hello"), *before, says(line)], RETAIL.environment())]


@pytest.mark.parametrize(
    "line",
    [
        "A colleague takes over, and they'll put a new one into the van for you.",
        "The people in our warehouse will wrap it.",
        "My colleague will waive the fee.",
        "Our warehouse team is going to repair it.",
        "Don't worry, you'll have it tomorrow.",
        "It's sent again and you'll be wearing it this weekend, free of charge.",
        "I'll make sure that the courier rings twice.",
        "I'll keep an eye on it, and send you a text tomorrow morning.",
    ],
)
def test_what_nothing_gives(line: str) -> None:
    assert told(line) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "I'll look into the courier.",
        "I'll hand you over to a colleague, who will take it from there.",
        "My colleague will decide what can be done.",
        "The van takes two, and they'll fold flat.",
        "I'll make sure nothing gets mixed up.",
        "A colleague will pick up right where we left off.",
        "I'll be here if you need anything tomorrow.",
        "I'll check what flights there are on Monday.",
        "I'll search for next week.",
        "I'll book the Monday flight for you.",
        "You'll love it this weekend.",
        "They won't repair it.",
        "I can't say whether they will repair it.",
        "If they will repair it, tell me.",
        "Nobody here will waive the fee.",
        "Will my colleague waive the fee?",
        "They will be listed in the parcel.",
        "The refund will reach you within 5 to 7 business days.",
        "You'll get an e-mail.",
        "They have repaired it.",
    ],
)
def test_what_promises_nothing_or_is_given(line: str) -> None:
    assert told(line) == []


def test_what_the_customer_or_a_result_has_said_is_given() -> None:
    look = a_call("get_order_details", order_id="#W1")
    line = "The crew will bring the sofa tomorrow."
    assert told(line) == [line]
    assert told(line, asks("Will the crew bring the sofa tomorrow?")) == []
    assert told(line, says(None, look), result_of(look, "the van will bring the sofa tomorrow")) == []
    assert told(line, says("The crew will bring the sofa tomorrow.")) == [line, line]


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        ("2024-05-18", "You'll be there on Saturday."),
        ("May 18, 2024", "You'll be there on Saturday."),
        ("2024-05-16", "You'll be there tomorrow."),
        ("checked bags are free", "The bags will travel at no extra charge."),
        ("in 5 to 7 business days", "You'll have it within 7 days."),
    ],
)
def test_days_and_prices_are_given_in_other_words(shown: str, line: str) -> None:
    env = load_domain("airline").environment()
    assert [one.sentence for one in told_to_come([asks(shown), says(line)], env)] == []
    if "there" in line:  # the rest the policy itself gives
        assert [one.sentence for one in told_to_come([asks("Hello"), says(line)], env)] == [line]


def test_a_weekday_long_ago_or_long_after_gives_none_that_is_to_come() -> None:
    env, line = load_domain("airline").environment(), "You'll have the money on Thursday."
    for shown, claims in {"May 23": 0, "2024-05-23": 0, "2024-05-09": 1, "2024-08-22": 1}.items():
        assert len(list(told_to_come([asks(f"{shown}, 2024"), says(line)], env))) == claims, shown


def test_a_weekday_that_is_told_with_its_date_is_the_one_of_that_date() -> None:
    env, shown = load_domain("airline").environment(), asks("2024-06-24")
    for line, claims in {
        "Monday, June 24": 0,
        "Monday, the 24th of June": 0,
        "Monday": 1,
        "Tuesday, June 24": 1,
    }.items():
        assert len(list(told_to_come([shown, says(f"Your flight will leave on {line}.")], env))) == claims, line


def test_a_day_that_no_calendar_has_gives_nothing() -> None:
    assert told("You'll have it on Monday.", asks("It says 2024-02-30.")) == ["You'll have it on Monday."]


def test_what_a_tool_says_of_itself_is_given() -> None:
    assert told("My colleague will settle it, rounded to digits.") == []
    assert told("My colleague will settle it, rounded to pennies.") != []


@pytest.mark.parametrize("words", ["they will ", "if they will ", "I'll make sure "])
def test_words_without_end_are_looked_at_as_far_as_they_may_be_a_sentence(words: str) -> None:
    assert told(words * 20_000) == []
