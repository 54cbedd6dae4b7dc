"""Who does what an offer hangs on takes the offer; who does something else, or says no beside it, does not."""

import pytest

from pytest_tau.evaluation.language.consent import Agreement, agreement
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from tests.builders import a_call, asks, result_of, says, u_call

RESUME = a_call("resume_line", line_id="L7")
PAY = u_call("make_payment")
PAID = result_of(PAY, "Payment of 41.0 USD has been made for bill B9.")
OFFER = "Your line is suspended. When the bill is paid, tell me, and I will resume the line."
DONE = "That's done, my payment went through. What comes next?"


def verdict(*messages: AnyMessage) -> Agreement:
    before: list[AnyMessage] = [says("Hello"), asks("I have no service."), *messages]
    return agreement([*before, says(None, RESUME)], len(before))


def pays(result: ToolMessage = PAID, said: str = DONE) -> list[AnyMessage]:
    return [asks(None, PAY), result, asks(said)]


def test_who_pays_the_bill_takes_the_offer() -> None:
    found = verdict(says(OFFER), *pays())
    assert (found, found.turn) == ("yes", 5)


@pytest.mark.parametrize(
    "offer",
    [
        "Once you have settled the bill, let me know and I can resume your line.",
        "As soon as your payment is in I'll restore the line.",
        "I've sent you the bill. After it is paid, I can reactivate your service.",
    ],
)
def test_the_words_of_the_offer_may_differ(offer: str) -> None:
    assert verdict(says(offer), *pays(result_of(PAY, "Payment made: the bill is paid."))) == "yes"


@pytest.mark.parametrize(
    "offer",
    [
        "When the bill is paid, tell me.",  # offers nothing
        "When the bill is paid, tell me, and I will send you a receipt.",
        "When the bill is paid, tell me, and I will resume line L8.",
        "When you have found the contract, tell me, and I will resume the line.",
    ],
)
def test_another_offer_or_condition_is_none(offer: str) -> None:
    assert verdict(says(offer), *pays()) != "yes"


def test_only_a_deed_meets_a_condition() -> None:
    assert verdict(says(OFFER), asks(DONE)) != "yes"
    look = u_call("check_payment_request")
    assert verdict(says(OFFER), asks(None, look), result_of(look, "The bill comes to 41.0 USD."), asks(DONE)) != "yes"
    failed = result_of(PAY, "Error: no bill is to be paid", error=True)
    assert verdict(says(OFFER), *pays(failed)) != "yes"


def test_what_was_done_before_the_offer_does_not_count() -> None:
    assert verdict(says("Please pay the bill."), *pays(), says(OFFER), asks(DONE)) != "yes"


@pytest.mark.parametrize("said", ["I paid, but don't resume it yet.", "Paid. No, leave the line suspended, please."])
def test_a_refusal_beside_the_deed_counts(said: str) -> None:
    assert verdict(says(OFFER), *pays(said=said)) != "yes"


def test_the_customer_has_to_speak_after_it() -> None:
    assert verdict(says(OFFER), asks(None, PAY), PAID) != "yes"


def test_an_offer_before_another_change_is_used_up() -> None:
    refuel = a_call("refuel_data", line_id="L7", gb=1)
    assert verdict(says(OFFER), *pays(), says(None, refuel), result_of(refuel)) != "yes"
