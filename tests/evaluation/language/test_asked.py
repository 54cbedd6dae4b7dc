"""What lines of the agent ask for."""

import pytest

from pytest_tau.evaluation.language.asked import read_question


@pytest.mark.parametrize(
    ("text", "leave", "action"),
    [
        ("I would cancel #W1. Shall I?", 1, 1),
        ("Would you like me to look for the order?", 1, 0),
        ("Would you like me to look it up and cancel it?", 1, 1),
        ("May I have your e-mail address?", 0, 0),
        ("Please confirm your user ID.", 0, 0),
        ("Please confirm if you would like to proceed.", 1, 1),
        ("Shall I transfer you to a colleague?", 1, 0),
        ("Is there anything else?", 0, 0),
        ("Any other items, or may I go ahead?", 1, 1),
        ("Shall I cancel it, or is there anything else I can help you with?", 1, 1),
        ("Would you like me to do either of these or do you have any other questions?", 1, 1),
        ("Shall I look it up, or is there anything else?", 1, 0),
        ("It is done. Would you also like me to cancel #W2, or is there anything else?", 1, 1),
        ("It is done. What else would you like me to do?", 0, 0),
        ("Would you like me to list the items, or help with any other changes?", 0, 0),
        ("What is the reason?", 0, 0),
        ("It is done.", 0, 0),
        ("That is $100 for both bags. Yes or no?", 1, 1),
        ("Shall I cancel it? Yes or no?", 1, 1),
    ],
)
def test_what_an_agent_asks_leave_for(text: str, leave: int, action: int) -> None:
    found = read_question(text)
    assert (len(found.leave), len(found.action)) == (leave, action)


def test_what_else_an_agent_asks() -> None:
    closing = read_question("Is there anything else I can help you with?")
    assert closing.closing
    assert not closing.leave
    assert read_question("Could you share your zip code?").identity
    assert read_question("What I need is your phone number.").identity
    assert read_question("Is that your phone?").identity
    assert not read_question("Whether there is something on the phone, we find out by looking at it.").identity
    assert not read_question("One moment.").question
