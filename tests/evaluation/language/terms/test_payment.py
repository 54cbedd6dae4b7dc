"""Several payment methods of one call, beside those that the proposal names by their ids."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, says

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
