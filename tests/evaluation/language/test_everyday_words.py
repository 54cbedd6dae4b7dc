"""What agents say of what they have done, in everyday words: it must not cost them the trial.

The sentences were written in one go, without a look at the rule or at the verbs of the tools. "I've booked two bags" is
left out: it still reads as a booking that nobody made.
"""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.deeds import first_false
from tests.builders import a_call, asks, result_of, says

DONE = [
    ("retail", "modify_pending_order_items", {"order_id": "#W1001", "payment_method_id": "paypal_3"}, (
        "I've exchanged the lamp in your pending order for the black one.",
        "Done: the lamp is now the black one, and $3.20 went to your PayPal.",
        "I have swapped the lamp; you were charged $3.20.",
        "The item has been switched and the difference refunded.",
    )),
    ("retail", "modify_pending_order_payment", {"order_id": "#W1001", "payment_method_id": "paypal_1"}, (
        "I've moved the payment to your PayPal and refunded your Visa.",
        "Your order is now charged to PayPal.",
        "I have charged the order to your PayPal instead.",
        "I've set PayPal as the payment method for #W1001.",
    )),
    ("retail", "modify_pending_order_address", {"order_id": "#W1001"}, (
        "I've redirected the parcel to 12 Elm Street.",
        "I've rerouted #W1001 to Tulsa.",
        "I've put the new address on order #W1001.",
        "I've entered the new address for #W1001.",
        "I've corrected the shipping address.",
    )),
    ("retail", "modify_user_address", {"user_id": "u"}, (
        "I've saved 12 Elm Street as your default address.",
        "I've stored your new address.",
        "I've recorded your new address in your profile.",
        "I have entered the new address in your profile.",
        "I've replaced the address in your profile.",
    )),
    ("retail", "return_delivered_order_items", {"order_id": "#W1001", "payment_method_id": "gift_card_1"}, (
        "I've set up the return of the lamp.",
        "I've arranged the return; the refund goes to your gift card.",
        "I've opened a return for #W1001.",
        "I have taken back the lamp.",
        "I've started your return and credited your gift card.",
    )),
    ("retail", "exchange_delivered_order_items", {"order_id": "#W1001", "payment_method_id": "paypal_1"}, (
        "I've set up the exchange.",
        "I've sent the exchange request.",
        "I've replaced the white one with the black one.",
        "I have ordered the black one for you in exchange.",
        "I've charged $3.20 to your PayPal.",
    )),
    ("retail", "cancel_pending_order", {"order_id": "#W1001"}, (
        "I've cancelled #W1001 and refunded $120.",
        "I've called the order off.",
        "I've stopped the order.",
        "I have withdrawn the order and credited your Visa.",
        "I've voided the order.",
    )),
    ("airline", "update_reservation_baggages", {"reservation_id": "7HYCVL", "payment_id": "credit_card_6225"}, (
        "I've put two checked bags on 7HYCVL.",
        "I've added two bags and charged $50 to your Visa.",
        "I've included a second bag in your reservation.",
    )),
    ("airline", "update_reservation_flights", {"flights": [{"flight_number": "TAU316"}]}, (
        "I've moved you to TAU316.",
        "I've rebooked you on TAU316 on 30 May.",
        "I've put you on TAU316.",
        "I've upgraded your cabin and charged $45.",
        "I've rescheduled your return.",
    )),
    ("airline", "update_reservation_passengers", {"reservation_id": "VSYTBB"}, (
        "I've put Calista Kowalczyk's name on the booking.",
        "I've replaced Violeta with Calista.",
        "I've renamed the passenger.",
        "I've corrected the name.",
    )),
    ("airline", "send_certificate", {"user_id": "jo_lee_1", "amount": 300}, (
        "I've given you a certificate of $300.",
        "I've added a $300 certificate to your account.",
        "I have credited you $300 as a travel certificate.",
        "I've awarded you a certificate.",
    )),
    ("airline", "book_reservation", {"user_id": "u"}, (
        "I've booked TAU162 for you.",
        "I've reserved TAU162.",
        "I've made the reservation and charged your Visa.",
        "I've created your booking.",
        "I've got you on TAU162.",
    )),
    ("airline", "cancel_reservation", {"reservation_id": "JDUL9Y"}, (
        "I've cancelled JDUL9Y.",
        "I've cancelled the trip and refunded $300.",
        "I've returned the money to your Visa.",
    )),
    ("telecom", "refuel_data", {"customer_id": "C1001", "line_id": "L2107"}, (
        "I've added 2 GB to your line.",
        "I've refuelled your data.",
        "I've topped up L2107 by 2 GB.",
        "I've put 2 GB on your line.",
        "I've charged $5.00 to your next bill.",
        "I've booked 2 GB for you.",
    )),
    ("telecom", "resume_line", {"customer_id": "C1001", "line_id": "L2107"}, (
        "I've resumed your line.",
        "I've reactivated the line.",
        "I've lifted the suspension.",
        "I've unlocked the line.",
        "I've restored your service.",
        "I've reconnected your line.",
        "I've unsuspended it.",
    )),
    ("telecom", "enable_roaming", {"customer_id": "C1001", "line_id": "L2107"}, (
        "I've turned on roaming.",
        "I've opened your line for roaming.",
        "I've enabled roaming at no cost.",
        "I've switched roaming on.",
        "I've activated roaming for you.",
        "I've unlocked roaming on our side.",
        "I've set roaming to on.",
    )),
    ("telecom", "disable_roaming", {"customer_id": "C1", "line_id": "L2107"}, (
        "I've turned off roaming.",
        "I've switched roaming off.",
        "I've deactivated it.",
    )),
    ("telecom", "send_payment_request", {"customer_id": "C1", "bill_id": "B1001"}, (
        "I've sent you a payment request.",
        "I've issued a payment request for $42.",
        "I've requested the payment.",
        "I've created a payment request.",
        "I've made a payment request.",
    )),
    ("telecom", "suspend_line", {"customer_id": "C1", "line_id": "L2107"}, (
        "I've suspended the line.",
        "I've paused L2107.",
        "I've put the line on hold.",
        "I've blocked the line.",
    )),
    ("insurance", "settle_claim", {"claim_id": "CL-1", "amount": 250.0}, (
        "I've settled the claim and paid out 250 euros.",
        "I've approved your claim.",
        "I've paid 250 euros for claim CL-1.",
        "I've accepted the claim.",
        "I've transferred 250 euros.",
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "name", "arguments", "line"),
    [(domain, name, arguments, line) for domain, name, arguments, lines in DONE for line in lines],
)
def test_what_was_done_is_no_false_claim(domain: str, name: str, arguments: dict[str, Any], line: str) -> None:
    call, env = a_call(name, **arguments), load_domain(domain).environment()
    assert first_false([asks("Hi"), says(None, call), result_of(call, "{}"), says(line)], env)[1] is None


def test_about_half_of_what_was_not_done_is_found() -> None:
    """The rule knows the verbs of the tools; what is told in others costs nobody anything."""
    told = [(load_domain(domain).environment(), line) for domain, _, _, lines in DONE for line in lines]
    found = sum(first_false([asks("Hi"), says(line)], env)[1] is not None for env, line in told)
    assert (found, len(told)) == (44, 94)
