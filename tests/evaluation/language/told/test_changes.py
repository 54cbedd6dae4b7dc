"""What is told of a change right after it, beside the call and its result."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.changes import told_of_calls
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, asks, result_of, says

RETAIL = load_domain("retail").environment()
LOOK = a_call("get_order_details", "c0", order_id="#W1001")
RETURN = a_call("return_delivered_order_items", order_id="#W1001", item_ids=["70021234"], payment_method_id="paypal_3")
CANCEL = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")
PAID = '{"order_id": "#W1001", "payment_history": [{"transaction_type": "payment", "amount": 45.0}'
REFUNDED = PAID + ', {"transaction_type": "refund", "amount": 45.0}]}'


def told(call: ToolCall, report: str, result: str = '{"order_id": "#W1001"}', *, error: bool = False) -> list[str]:
    messages: list[AnyMessage] = [
        says(None, LOOK),
        result_of(LOOK, PAID + "]}"),
        says("I will do it. Shall I?"),
        asks("Yes."),
        says(None, call),
        result_of(call, result, error=error),
        says(report),
        asks("Thank you."),
    ]
    return [one.why for one in told_of_calls(messages, RETAIL)]


@pytest.mark.parametrize(
    ("call", "report", "what"),
    [
        (RETURN, "The lamp goes back, and the refund goes to your gift card.", "payment method"),
        (CANCEL, "#W1001 is cancelled. Your refund of $54.00 is on its way.", "sum"),
    ],
)
def test_a_report_with_another_term(call: ToolCall, report: str, what: str) -> None:
    found = told(call, report, REFUNDED)
    assert [what in one for one in found] == [True]


@pytest.mark.parametrize(
    "report",
    [
        "The lamp goes back, and the refund goes to PayPal.",
        "The lamp goes back.",
        "The lamp goes back. For #W2002, the refund would go to your gift card. Shall I?",
        "The lamp goes back, and your refund of $45 is on its way.",
    ],
)
def test_what_was_written_and_what_is_not_told_is_true(report: str) -> None:
    assert not told(RETURN, report, REFUNDED)


def test_what_failed_was_not_done() -> None:
    assert not told(RETURN, "The refund goes to your gift card.", "Error: no", error=True)
