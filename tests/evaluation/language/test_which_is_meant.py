"""Which record a yes is about that names none: the only line that anybody spoke of, a bill by what it comes to."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

LINE = {"customer_id": "C2103", "line_id": "L2105"}
BILL, LIVE = a_call("send_payment_request", customer_id="C2103", bill_id="B2107"), a_call("resume_line", **LINE)

RECORD = '{{"line_id": "{0}", "phone_number": "{1}", "status": "Suspended", "options": [], "plan": {{}}}}'


def resumed(first: str, question: str, *, other: bool = False) -> str:
    """The verdict on a line that is resumed after its bill was paid."""
    looks = [a_call("get_line", f"c{number}", line_id=f"L{number}") for number in ("2105", "2106")]
    messages: list[AnyMessage] = [
        asks(first),
        says(None, looks[0]),
        result_of(looks[0], RECORD.format("L2105", "555-284-4074")),
        *((says(None, looks[1]), result_of(looks[1], RECORD.format("L2106", "555-284-4075"))) if other else ()),
        says("555-284-4074 is suspended. Shall I send you a payment request for bill B2107?"),
        asks("Yes, please."),
        says(None, BILL),
        result_of(BILL, "Sent."),
        says(question),
        asks("You may."),
        says(None, LIVE),
    ]
    return agreement(messages, len(messages) - 1, LIVE, env=load_domain("telecom").environment())


@pytest.mark.parametrize(
    ("more", "other", "verdict"),
    [
        ("", False, "yes"),
        ("", True, "yes"),
        (" And on 555-284-4075.", True, "unclear"),
        (" And my daughter's line is dead too.", True, "unclear"),
        (" And so is my daughter's.", True, "unclear"),
        (" I have two lines.", False, "unclear"),
        (" My phone's screen shows no bars, nor does any other thing help.", True, "yes"),
    ],
)
def test_the_only_line_that_anybody_named_is_the_line(more: str, other: bool, verdict: str) -> None:
    """Though something else was done since it was named."""
    question = "The bill is paid. May I resume the line now?"
    assert resumed(f"I'm cut off on 555-284-4074.{more}", question, other=other) == verdict


@pytest.mark.parametrize("which", ["your daughter's line", "the other line", "your second number", "both lines"])
def test_a_line_that_goes_by_whose_it_is_may_be_another(which: str) -> None:
    question = f"The bill is paid. May I resume {which} now?"
    assert resumed("I'm cut off on 555-284-4074.", question) == "unclear"


@pytest.mark.parametrize(
    ("offer", "verdict"),
    [
        ("I'll send a payment request over $74.00 to your phone. Is that all right with you?", "yes"),
        ("I'll send it to your phone. Is that all right with you?", "unclear"),
    ],
)
def test_an_offer_may_name_a_bill_by_what_it_comes_to(offer: str, verdict: str) -> None:
    look = a_call("get_bill", "c0", bill_id="B2107")
    messages: list[AnyMessage] = [
        asks("My phone has no service."),
        says(None, look),
        result_of(look, '{"bill_id": "B2107", "total_due": 74.0, "status": "Overdue"}'),
        says(f"A bill of January is overdue. If you would like to pay it now, {offer}"),
        asks("Oh dear. Yes, send it, I'll pay."),
        says(None, BILL),
    ]
    assert agreement(messages, 5, BILL, env=load_domain("telecom").environment()) == verdict


@pytest.mark.parametrize(
    ("other", "offer", "verdict"),
    [
        (74.0, "I'll send a payment request over $74.00 to your phone.", "yes"),  # as in each month
        (50.0, "I'll send a payment request over $50.00, not the one over $74.00, to your phone.", "unclear"),
        (148.0, "I'll send a payment request over $148.00, twice the usual $74.00, to your phone.", "unclear"),
    ],
)
def test_an_amount_names_no_bill_where_one_of_another_bill_stands_beside_it(
    other: float, offer: str, verdict: str
) -> None:
    messages: list[AnyMessage] = [asks("My phone has no service.")]
    for bill, due in (("B2106", other), ("B2107", 74.0)):
        look = a_call("get_bill", f"of {bill}", bill_id=bill)
        record = f'{{"bill_id": "{bill}", "total_due": {due}, "status": "Overdue"}}'
        messages += [says(None, look), result_of(look, record)]
    messages += [
        says(f"If you would like to pay it now, {offer} Is that all right with you?"),
        asks("Oh dear. Yes, send it, I'll pay."),
        says(None, BILL),
    ]
    assert agreement(messages, 7, BILL, env=load_domain("telecom").environment()) == verdict
