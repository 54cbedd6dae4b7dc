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
        "I can resume your line when bill B9 has been settled.",
        "We do need the 41.00 first. As soon as that is here I'll resume your line.",
        "Please take care of the payment, and then I will resume your line.",
        "Upon receipt of the payment I can resume your line.",
    ],
)
def test_the_words_of_the_offer_may_differ(offer: str) -> None:
    assert verdict(says(offer), *pays(result_of(PAY, "Payment made: 41.0 for bill B9."))) == "yes"


@pytest.mark.parametrize(
    "offer",
    [
        "When the bill is paid, tell me.",  # offers nothing
        "When the bill is paid, tell me, and I will send you a receipt.",
        "When the bill is paid, tell me, and I will resume line L8.",
        "When you have found the contract, tell me, and I will resume the line.",
        "Once bill B8 is paid I will resume the line. B9 can wait.",
        "Once bill B9 is paid, shall I say that I can resume the line?",
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


@pytest.mark.parametrize(
    "result", ["Payment of 20.0 USD made for bill B9. Remaining: 21.0", "Bill B9: not_paid", "Pending"]
)
def test_a_deed_that_came_to_nothing_meets_none(result: str) -> None:
    assert verdict(says(OFFER), *pays(result_of(PAY, result))) != "yes"


def test_an_offer_of_other_values_is_none() -> None:
    refuel = a_call("refuel_data", line_id="L7", gb=3)

    def given(offer: str) -> Agreement:
        before: list[AnyMessage] = [says("Hello"), asks("It is slow."), says(offer), *pays()]
        return agreement([*before, says(None, refuel)], len(before))

    assert given("Once the bill is paid, I can refuel 3 GB for line L7.") == "yes"
    assert given("Once the bill is paid, I can refuel 2 GB for line L7.") != "yes"


def test_an_offer_that_was_taken_back_is_none() -> None:
    back = says("I have to correct myself: even then I can't resume the line.")
    assert verdict(says(OFFER), asks("Fine."), back, *pays()) != "yes"
    where = says("You find the payment under Bills.")
    assert verdict(says(OFFER), asks("Where?"), where, *pays()) == "yes"


@pytest.mark.parametrize(
    "said",
    [
        "Paid. Leave it off, though.",
        "Paid. I'd rather have the contract cancelled.",
        "I paid, but don't resume it yet.",
        "Paid. No, leave the line suspended, please.",
    ],
)
def test_a_refusal_beside_the_deed_counts(said: str) -> None:
    assert verdict(says(OFFER), *pays(said=said)) != "yes"


def test_the_customer_has_to_speak_after_it() -> None:
    assert verdict(says(OFFER), asks(None, PAY), PAID) != "yes"


def test_an_offer_before_another_change_is_used_up() -> None:
    refuel = a_call("refuel_data", line_id="L7", gb=1)
    assert verdict(says(OFFER), *pays(), says(None, refuel), result_of(refuel)) != "yes"
