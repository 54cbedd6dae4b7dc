"""An argument that is yes or no, beside what the proposal says of it."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, says


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


def test_a_number_of_hundreds_of_digits_is_compared() -> None:
    call = a_call("refuel_data", customer_id="C1", line_id="L1", gb_amount=10**400)
    messages: list[AnyMessage] = [asks("More data."), says("2 GB on L1, yes?"), asks("Yes."), says(None, call)]
    assert agreement(messages, 3, call, env=load_domain("telecom").environment()) in ("yes", "no", "unclear")
