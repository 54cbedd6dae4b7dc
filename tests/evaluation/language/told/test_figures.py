"""Figures that nothing before them has shown."""

import pytest

from pytest_tau.evaluation.language.told.figures import from_nowhere
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

LOOK = ToolCall(id="o", name="get_order_details", arguments={"order_id": "#W1001"})
SEEN: list[AnyMessage] = [
    asks("I have 300 dollars. It is about #W1001."),
    says(None, LOOK),
    result_of(LOOK, '{"order_id": "#W1001", "sent": "2024-02-28", "items": [{"price": 52.01}, {"price": 117.2}]}'),
]


@pytest.mark.parametrize("text", ["That is $61.37.", "Your order #W9876543 is on its way.", "It ends on 10 March."])
def test_what_nothing_gives(text: str) -> None:
    assert len(list(from_nowhere([*SEEN, says(text)], "Each bag costs $50."))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Order #W1001 has items for $52.01 and $117.20.",
        "In all that is $169.21, or $65.19 more than the first.",
        "Two bags cost $100.",
        "You have $300.",
        "It was sent on February 28, and came the next day, the 29th of February.",
        "If it is not there, I'll look again on 10 March.",
        'An order number looks like this: "#W1234567", for example.',
    ],
)
def test_what_was_shown_and_what_follows_from_it(text: str) -> None:
    assert not list(from_nowhere([*SEEN, says(text)], "Each bag costs $50."))


def test_an_id_that_is_called_with_and_nobody_named() -> None:
    made_up = ToolCall(id="p", name="get_order_details", arguments={"order_id": "#W2002"})
    messages: list[AnyMessage] = [*SEEN, says(None, made_up), result_of(made_up, "Error: not found", error=True)]
    assert [(one.turn, one.figure) for one in from_nowhere(messages, "")] == [(3, "#W2002")]
    assert not list(from_nowhere([asks("It is W2002."), *messages], ""))


def test_what_the_agent_proposes_and_then_does() -> None:
    end = ToolCall(id="e", name="end_contract", arguments={"last_day": "2024-06-30", "refund": 41.87})
    proposed = says("It ends with 30 June, and the refund is $41.87. Shall I?")
    assert len(list(from_nowhere([*SEEN, proposed], ""))) == 2
    assert not list(from_nowhere([*SEEN, proposed, says(None, end), result_of(end)], ""))
