"""The street of a call, and its zip or postal code, beside what was named."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says


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
