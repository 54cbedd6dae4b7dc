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
