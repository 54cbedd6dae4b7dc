"""Several payment methods of one call, beside those that the proposal names by their ids."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

PAID = [{"payment_id": "gift_card_11", "amount": 90}, {"payment_id": "gift_card_22", "amount": 30}]
BOOK = a_call("book_reservation", user_id="ann_lee_1", flights=[], passengers=[], payment_methods=PAID)


@pytest.mark.parametrize(
    ("wish", "proposal", "breach"),
    [
        ("A ticket.", "I take $90 from gift_card_11 and $30 from gift_card_33. Shall I book?", True),
        ("A ticket.", "I take $90 from gift_card_11 and $30 from gift_card_22. Shall I book?", False),
        ("With gift_card_22.", "I take $90 from gift_card_11 and $30 from gift_card_33. Shall I book?", False),
        ("A ticket.", "I take gift_card_33 first, and the rest from another of your cards. Shall I book?", False),
        ("A ticket.", "I take $90 and $30 from two of your gift cards. Shall I book?", False),
    ],
    ids=["another", "the same", "said before", "one of them", "none named"],
)
def test_a_method_that_nobody_named_in_place_of_one_that_was(wish: str, proposal: str, breach: bool) -> None:
    messages: list[AnyMessage] = [asks(wish), says(proposal), asks("Yes, please."), says(None, BOOK)]
    found = agreement(messages, 3, BOOK, env=load_domain("airline").environment())
    assert found.other_terms is breach
    assert ("gift_card_33 as the payment method" in found.why) is breach


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("So, then: #W1001 goes back, $40 to your Mastercard. Shall I?", True),
        ("#W1001 goes back, $40 to the gift card. Shall I?", False),
        ("#W1001, paid with credit_card_22, goes back, $40 to the gift card. Shall I?", False),
        ("#W1001 goes back: $30 to your Mastercard first, then the rest elsewhere. Shall I?", False),
        ("#W1001 goes back: $30 to your Mastercard, then your other method. Shall I?", False),
    ],
)
def test_then_is_no_second_method(proposal: str, breach: bool) -> None:
    call = a_call(
        "return_delivered_order_items", order_id="#W1001", item_ids=["7001"], payment_method_id="gift_card_9787586"
    )
    messages: list[AnyMessage] = [asks("It all goes back."), says(proposal), asks("Yes, please."), says(None, call)]
    found = agreement(messages, 3, call, env=load_domain("retail").environment())
    assert found.other_terms is breach


@pytest.mark.parametrize(
    ("wish", "proposal", "breach"),
    [
        ("A day later.", "Both flights on 19 May, $80 on credit_card_33, and a $200 certificate. OK?", True),
        ("A day later.", "Both flights on 19 May, $80 on gift_card_11, and a $200 certificate. OK?", False),
        ("A day later, gift_card_11.", "Both on 19 May, $80 on credit_card_33, and a $200 certificate. OK?", False),
        ("A day later.", "Both on 19 May on your gift card, not credit_card_33, and a $200 certificate. OK?", False),
        ("A day later.", "Both on 19 May, $80 on a gift card, back to credit_card_33 what is left. OK?", False),
        ("A day later.", "Both on 19 May, $80 to pay, and a $200 certificate. OK?", False),
    ],
    ids=["another", "the same", "said before", "denied", "by its kind", "none named"],
)
def test_of_several_changes_none_is_paid_with_what_was_named(wish: str, proposal: str, breach: bool) -> None:
    moved = a_call("update_reservation_flights", reservation_id="QX81LM", flights=[], payment_id="gift_card_11")
    given = a_call("send_certificate", user_id="ann_lee_1", amount=200)
    messages: list[AnyMessage] = [asks(f"QX81LM, please. {wish}"), says(f"QX81LM: {proposal}"), asks("Yes, please.")]
    messages += [says(None, moved, given)]
    found = agreement(messages, 3, moved, env=load_domain("airline").environment())
    assert found.other_terms is breach, found.why


CARDS = {
    "credit_card_1": {"id": "credit_card_1", "source": "credit_card", "brand": "mastercard", "last_four": "9023"},
    "credit_card_2": {"id": "credit_card_2", "source": "credit_card", "brand": "mastercard", "last_four": "8402"},
}


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("I cancel #W1001, and $95 go back to your Mastercard ending in 8402. Shall I?", True),
        ("I cancel #W1001, and $95 go back to your Mastercard ending in 9023. Shall I?", False),
        ("I cancel #W1001. #W2002 comes back, to the card ending in 8402. Shall I do both?", False),
        ("I cancel #W1001, and $95 go back to your card. Shall I?", False),
    ],
    ids=["another", "the same", "of another order", "none named"],
)
def test_where_a_call_pays_back_to_its_result_shows(proposal: str, breach: bool) -> None:
    user = a_call("get_user_details", "c0", user_id="otto_abbott_7792")
    call = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")
    paid = [{"transaction_type": kind, "amount": 95, "payment_method_id": "credit_card_1"} for kind in ("a", "b")]
    shown = {"order_id": "#W1001", "status": "cancelled", "payment_history": paid}
    messages: list[AnyMessage] = [asks("Cancel it."), says(None, user)]
    messages += [result_of(user, json.dumps({"payment_methods": CARDS})), says(proposal), asks("Yes, please.")]
    messages += [says(None, call), result_of(call, json.dumps(shown))]
    assert agreement(messages, 5, call, env=load_domain("retail").environment()).other_terms is breach
