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


@pytest.mark.parametrize(
    ("wish", "proposal", "answer", "named"),
    [
        (
            "I moved to 18 Mill Street, Burlington, VT 05408.",
            "From VT 05440 to 18 Mill Street, VT 05408?",
            "Yes.",
            "05408",
        ),
        ("I moved to 18 Mill Street, Burlington, VT 05408.", "To 18 Mill Street, VT 05440?", "Yes.", ""),
        ("I moved to 18 Mill Street, zip 05440.", "To 18 Mill Street, VT 05408?", "Yes.", ""),
        ("I moved to 18 Mill Street.", "The new address and all else?", "Why 05440?", ""),
    ],
)
def test_the_code_of_a_street_is_the_one_it_was_named_with(wish: str, proposal: str, answer: str, named: str) -> None:
    call = a_call("modify_user_address", user_id="ann_lee_1", address1="18 Mill Street", zip="05440")
    messages: list[AnyMessage] = [asks(wish), says(proposal), asks(answer), says(None, call)]
    found = agreement(messages, 3, call, env=load_domain("retail").environment())
    assert found.other_terms is bool(named)
    assert not named or f"names {named} as the zip code, and it became 05440" in found.why


WORDS = "I moved to 18 Mill Street in Burlington, oh five four, then a four and a zero."


@pytest.mark.parametrize(
    "said",
    [
        ("To 18 Mill Street, Burlington, VT 0 5 4 4 0.", "18 Mill Street, VT 05408?", "0 5 4 4 0!", "So. OK?", "Yes."),
        (WORDS, "18 Mill Street, VT 05408?", "It ends in four zero.", "05440, then. Is that OK?", "Yes."),
        (WORDS, "18 Mill Street, VT 05408?", "The zip ends in 40, not 08.", "Corrected. May I change it?", "Yes."),
        (WORDS, "18 Mill Street, VT 05408?", "Ends in four zero.", "18 Mill Street, VT 05440-1234. OK?", "Yes."),
        (WORDS, "18 Mill Street, P.O. Box 21034, Burlington, VT 05440. Is that OK?", "Yes."),
        (WORDS, "18 Mill Street, Unit 10203, Burlington, VT 05440. Is that OK?", "Yes."),
        (WORDS, "18 Mill Street, apt. 10203, Burlington, VT 05440. Is that OK?", "Yes."),
        (WORDS, "From now on 05440 Berlin, 18 Mill Street, and not 20457 Hamburg, 2 Oak Road. OK?", "Yes."),
        (WORDS, "18 Mill Street for the piano of $12000, VT 05440. Is that OK?", "Yes."),
        (WORDS, "Instead of 18 Mill Street, Troy, NY 12180, it is 18 Mill Street, VT 05440. OK?", "Yes."),
        (WORDS, "18 Mill Street, VT 05440, and not 118 Mill Street, Albany, NY 12207. Is that OK?", "Yes."),
        (WORDS, "Not 118 Mill Street, Albany, NY 12207, but to the new one, VT 05440. Is that OK?", "Yes."),
    ],
)
def test_a_code_may_be_told_in_any_words(said: tuple[str, ...]) -> None:
    call = a_call("modify_user_address", user_id="ann_lee_1", address1="18 Mill Street", zip="05440")
    messages: list[AnyMessage] = [(says if turn % 2 else asks)(text) for turn, text in enumerate(said)]
    found = agreement([*messages, says(None, call)], len(said), call, env=load_domain("retail").environment())
    assert not found.other_terms, found.why


def test_a_year_behind_a_street_is_no_code_of_four_digits() -> None:
    call = a_call("modify_user_address", user_id="bo_ray_2", address1="Vesterbrogade 12", zip="1620")
    known, offer = says("Vesterbrogade 12, 1620 København?"), says("To Vesterbrogade 12 as of 1 May 2026. May I?")
    messages: list[AnyMessage] = [asks("I moved."), known, asks("Yes."), offer, asks("Yes."), says(None, call)]
    assert not agreement(messages, 5, call, env=load_domain("retail").environment()).other_terms


def test_a_code_that_a_record_shows_beside_another_street_corrects_none() -> None:
    look = a_call("get_user_details", user_id="ann_lee_1")
    record = result_of(look, json.dumps({"address1": "2 Oak Road", "zip": "05440"}))
    call = a_call("modify_user_address", user_id="ann_lee_1", address1="18 Mill Street", zip="05440")
    messages: list[AnyMessage] = [
        asks("I moved to 18 Mill Street, Burlington, VT 05408."),
        says(None, look),
        record,
        says("You live at 2 Oak Road, VT 05440, so far. Shall I change it to the new one?"),
        asks("Yes."),
        says(None, call),
    ]
    assert agreement(messages, 5, call, env=load_domain("retail").environment()).other_terms


def test_a_record_may_have_the_code_of_a_street_otherwise() -> None:
    look = a_call("get_user_details", user_id="ann_lee_1")
    record = result_of(look, json.dumps({"address1": "18 Mill Street", "zip": "05440"}))
    call = a_call("modify_user_address", user_id="ann_lee_1", address1="18 Mill Street", zip="05440")
    wish, proposal = asks("To 18 Mill Street, VT 05408, as in my profile."), says("To 18 Mill Street, as there?")
    messages: list[AnyMessage] = [wish, says(None, look), record, proposal, asks("Yes."), says(None, call)]
    assert not agreement(messages, 5, call, env=load_domain("retail").environment()).other_terms


def test_so_it_is_where_the_yes_may_be_to_what_was_named_before() -> None:
    call = a_call("modify_user_address", user_id="ann_lee_1", address1="18 Mill Street", zip="05440")
    messages: list[AnyMessage] = [
        asks("I moved to 18 Mill Street, VT 05408. And cancel order #W1, please."),
        says("Order #W1 comes to $20, and your address becomes 18 Mill Street, VT 05408. May I do both?"),
        asks("Why $20?"),
        says("It is the price of the lamp."),
        asks("All right: yes to the order, yes to the address."),
        says(None, call),
    ]
    found = agreement(messages, 5, call, env=load_domain("retail").environment())
    assert found.other_terms
    messages[5] = says(None, right := a_call("modify_user_address", **{**call.arguments, "zip": "05408"}))
    assert agreement(messages, 5, right, env=load_domain("retail").environment()) == "unclear"
