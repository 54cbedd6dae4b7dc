"""What the agent refused, took back and did: unclear; what stands, waits or is about another thing is not."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told import check_claims
from pytest_tau.evaluation.language.told.taken_back import refusals_taken_back
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

RETAIL = load_domain("retail")
CANCEL = a_call("cancel_pending_order", order_id="#W1111111", reason="no longer needed")
CANCELLED: list[AnyMessage] = [says(None, CANCEL), result_of(CANCEL, '{"order_id": "#W1111111"}'), says("Done.")]
REFUSED = "I'm sorry, orders above $500 can't be cancelled."


def played(refused: str, answered: str, taken_back: str, done: list[AnyMessage] = CANCELLED) -> list[AnyMessage]:
    return [asks("Cancel #W1111111, please."), says(refused), asks(answered), says(taken_back), asks("Yes."), *done]


@pytest.mark.parametrize(
    "taken_back",
    [
        "You're right, I apologize. Shall I cancel it?",
        "You are absolutely right. Shall I cancel it?",
        "I was mistaken: it can be cancelled. Shall I?",
        "I have to correct myself. Shall I cancel it?",
        "It is pending, so it can be cancelled after all. Shall I?",
        "That was my mistake. Shall I cancel it?",
        "That was wrong. Shall I cancel it?",
        "I'm sorry, I got that wrong. Shall I cancel it?",
        "My apologies, it is pending. Shall I cancel it?",
    ],
)
def test_a_refusal_that_is_taken_back_and_done(taken_back: str) -> None:
    messages = played(REFUSED, "Are you sure?", taken_back)
    assert [(one.turn, one.sentence) for one in refusals_taken_back(messages, RETAIL.environment())] == [(1, REFUSED)]


def test_it_is_unclear_and_no_miss() -> None:
    check = check_claims(played(REFUSED, "Are you sure?", "You're right. Shall I cancel it?"), RETAIL.environment())
    assert (check.met, check.unclear) == (True, 1)
    assert check.explanation.startswith("unclear whether this is so: turn 1")


def test_it_has_a_reason_of_its_own() -> None:
    messages = played(REFUSED, "Are you sure?", "You're right. Shall I cancel it?")
    (found,) = refusals_taken_back(messages, RETAIL.environment())
    assert found.why == "the agent takes it back and does it"


@pytest.mark.parametrize(
    ("refused", "answered", "taken_back"),
    [
        ("I can't do that without your zip code.", "12345", "You're right, that's you. Shall I cancel it?"),
        ("I can't cancel it before you are identified.", "12345", "My mistake, I see you now. Shall I cancel it?"),
        ("I couldn't find such an order.", "#W1111111", "My mistake, there it is. Shall I cancel it?"),
        ("#W2222222 can't be cancelled.", "I said #W1111111.", "You're right, that one can. Shall I?"),
        (REFUSED, "How tedious.", "You're right, but it still isn't possible. I could cancel #W1111111, shall I?"),
        (REFUSED, "How tedious.", "You're right about that. Still, I can't. Shall I cancel the other one?"),
        (REFUSED, "How tedious.", "I apologize for the inconvenience. Shall I cancel #W1111111 instead?"),
        (REFUSED, "Then #W1111111.", "Shall I cancel #W1111111?"),
        ("Shall I look whether it can't be cancelled?", "Yes.", "You're right, it can. Shall I?"),
        ("Hello!", "Cancel it.", "You're right to ask. Shall I?"),
        ("Shipped orders can't be cancelled.", "I mean the lamp.", "You're right, that's the other order. Shall I?"),
        (REFUSED, "I sent one thing back.", "You're right, it's $480 now. Shall I cancel it?"),
        ("You can't return a lamp that is lit.", "Cancel it, then.", "My mistake, you want to cancel. Shall I?"),
        ("Don't worry, I'll look into it.", "It's there twice.", "I apologize, it is. Shall I cancel it?"),
        (REFUSED, "How rude.", "I apologize that this took so long. #W1111111 is below that. Shall I cancel it?"),
        ("I can't cancel it without the e-mail address.", "a@b.com", "My mistake, I see it. Shall I cancel it?"),
        ("I can't cancel a parcel.", "The order!", "I apologize, I misunderstood. Shall I cancel it?"),
        ("I can't cancel anybody else's order.", "It's mine.", "My mistake, so it is. Shall I cancel it?"),
        ("The lamp can't be cancelled while it is lit.", "It's not lit after all?", "It's not lit after all. Shall I?"),
    ],
    ids=[
        *("no zip code", "not identified", "not found", "another order", "refused again", "refused again at once"),
        *("a courtesy", "something else", "a question", "nothing refused"),
        *("agrees", "agrees to what is new", "another action", "no refusal", "sorry for a delay", "without a thing"),
        *("misunderstood", "of somebody else", "denied after all"),
    ],
)
def test_what_takes_nothing_back(refused: str, answered: str, taken_back: str) -> None:
    assert not [*refusals_taken_back(played(refused, answered, taken_back), RETAIL.environment())]


def test_what_was_never_done_was_refused_to_the_end() -> None:
    messages = played(REFUSED, "Are you sure?", "You're right, I apologize. Shall I cancel it?", [])
    assert not [*refusals_taken_back(messages, RETAIL.environment())]
