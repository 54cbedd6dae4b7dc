"""Which one, and how much of it, beside what the call or its result has."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says


@pytest.mark.parametrize(
    ("proposal", "said", "insured"),
    [
        ("HAT205 on 18 May\n- travel insurance: yes, $30\nBook?", "Yes.", "yes"),
        ("HAT205 on 18 May with travel insurance. Book?", "Yes.", "yes"),
        ("HAT205 on 18 May, no bags, no insurance. Book?", "Yes.", "no"),
        ("HAT205 on 18 May\n- insurance: none\nBook?", "Yes.", "no"),
        ("HAT205 on 18 May. The insurance covers illness, and is not cheap. Book?", "Yes.", ""),
        ("HAT205 on 18 May with insurance, or without insurance. Book?", "Yes, without insurance.", ""),
        ("HAT205 on 18 May with insurance. Book?", "Yes, but no insurance.", ""),
        ("HAT205 on 18 May. Do you want it with insurance?", "Yes.", ""),
        ("HAT205 on 18 May. Book?", "Yes.", ""),
    ],
)
def test_what_a_proposal_says_of_it(proposal: str, said: str, insured: str) -> None:
    for value in ("yes", "no"):
        call = a_call("book_reservation", user_id="ann_lee_1", flights=[{"flight_number": "HAT205"}], insurance=value)
        messages: list[AnyMessage] = [asks("A trip, please."), says(proposal), asks(said), says(None, call)]
        found = agreement(messages, 3, call, env=load_domain("airline").environment())
        assert found.other_terms is (insured not in ("", value))


@pytest.mark.parametrize(
    ("said", "breach"),
    [
        ("Yes, TAU187 is agreeable. Please do.", True),
        ("Yes.", True),
        ("Yes, but rather TAU143.", False),
        ("Yes, TAU187 or TAU190, please.", False),
    ],
)
def test_a_flight_that_nobody_named(said: str, breach: bool) -> None:
    flights = [{"flight_number": "TAU143", "date": "2024-05-27"}]
    call = a_call("update_reservation_flights", reservation_id="ESWHTF", cabin="economy", flights=flights)
    proposal = says("For ESWHTF on 27 May there is TAU187 at $146. May I change it?")
    messages: list[AnyMessage] = [asks("A day later."), proposal, asks(said), says(None, call)]
    found = agreement(messages, 3, call, env=load_domain("airline").environment())
    assert (found.other_terms and "TAU187 as the flight" in found.why) is breach


THINGS = [{"name": "Desk Lamp", "item_id": "70017001"}, {"name": "Rug", "item_id": "70027002"}]


@pytest.mark.parametrize(
    ("proposal", "breach"),
    [
        ("I'd cancel the Desk Lamp from your pending order #W1001, as no longer needed. Is that right?", True),
        ("I'd remove item 70017001 from order #W1001, as no longer needed. Is that right?", True),
        ("I'd take the rug out of your order #W1001, as no longer needed. Is that right?", True),
        ("I'd cancel the Desk Lamp and the Rug from your order #W1001, as no longer needed. Is that right?", False),
        ("I'd cancel your order #W1001 with the Desk Lamp, as no longer needed. Is that right?", False),
        ("I can't cancel the Desk Lamp from order #W1001, but I'd cancel that order. Is that right?", False),
        ("To cancel the Desk Lamp from order #W1001, I'd cancel the whole order. Is that right?", False),
        ("I'd take the Desk Lamp from your wishlist and cancel order #W1001. Is that right?", False),
        ("I'd cancel the vase from order #W1001, as no longer needed. Is that right?", False),
    ],
)
def test_a_part_that_was_to_be_taken_out(proposal: str, breach: bool) -> None:
    look = a_call("get_order_details", "c0", order_id="#W1001")
    call = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")
    messages: list[AnyMessage] = [asks("The lamp."), says(None, look)]
    messages += [result_of(look, json.dumps({"order_id": "#W1001", "items": THINGS})), says(proposal), asks("Yes.")]
    found = agreement([*messages, says(None, call)], 5, call, env=load_domain("retail").environment())
    assert found.other_terms is breach
    assert ("as the part, and it became all of it" in found.why) is breach


def test_a_number_of_hundreds_of_digits_is_compared() -> None:
    call = a_call("refuel_data", customer_id="C1", line_id="L1", gb_amount=10**400)
    messages: list[AnyMessage] = [asks("More data."), says("2 GB on L1, yes?"), asks("Yes."), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("telecom").environment()) in ("yes", "no", "unclear")
