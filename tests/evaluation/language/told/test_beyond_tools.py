"""What the agent tells that its tools do not do."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.beyond_tools import told_beyond_tools
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

ENV = load_domain("retail").environment()
ORDER = ToolCall(id="o", name="get_order_details", arguments={"order_id": "#W1001"})
CHANGE = ToolCall(id="m", name="modify_pending_order_items", arguments={"order_id": "#W1001", "item_ids": ["1"]})
SHOWN = json.dumps({"order_id": "#W1001", "items": [{"name": "Desk Lamp"}, {"name": "Camera"}]})
SEEN: list[AnyMessage] = [
    asks("Hello"),
    says("One moment."),
    asks("Well?"),
    says(None, ORDER),
    result_of(ORDER, SHOWN),
    says("I see your order."),
    asks("And now?"),
]


def told(text: str, *after: AnyMessage) -> list[str]:
    return [one.why for one in told_beyond_tools([*SEEN, says(text), *after], ENV)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A confirmation has been sent to ann.lee@example.com.", "nothing was sent"),
        ("I have documented your request.", "no tool was called that does it"),
        ("I've noted this on your account.", "no tool was called that does it"),
        ("I can cancel this item for you.", "what is cancelled is the order as a whole"),
        ("I can help you cancel the Desk Lamp from your order.", "what is cancelled is the order as a whole"),
        ('{"message": "A confirmation has been sent to ann.lee@example.com."}', "nothing was sent"),
    ],
)
def test_what_no_call_did_and_no_tool_does(text: str, why: str) -> None:
    assert told(text) == [why]


@pytest.mark.parametrize(
    "text",
    [
        "You will get a confirmation by e-mail.",
        "The refund was sent to your PayPal account.",
        "I have noted that.",
        "I have not documented anything.",
        "I can cancel this order for you.",
        "I can cancel the order with the Desk Lamp.",
        "I cannot cancel the Desk Lamp from your order.",
        "You would like to cancel the Desk Lamp from your order.",
        "I will remove the Desk Lamp from your order.",
        "The refund has been sent to your card, details below.",
        "I have sent your refund to the card in your confirmation.",
        "A reminder was sent to your e-mail in April.",
        "A confirmation code was sent to you at booking.",
        "Your replacement has been mailed, with instructions in the box.",
        "Per the tracking details, the parcel has been sent.",
        "I have sent the details to a human agent.",
        "I can cancel this item's order for you.",
        "I can cancel the item exchange.",
    ],
)
def test_what_may_be_so(text: str) -> None:
    assert told(text) == []


def test_what_goes_out_by_itself_needs_no_call() -> None:
    assert "an e-mail tells the customer how to send the items back" in ENV.policy
    assert not told("We have sent return instructions to your e-mail address.")
    assert told("We have sent an invoice to your e-mail address.")


def test_a_tool_that_sends_may_have_sent_it() -> None:
    send = ToolCall(id="s", name="send_message", arguments={})
    assert not told("I have sent you the details.", says(None, send), result_of(send, "sent"))


def test_a_tool_on_the_customers_phone_sends_nothing_of_the_agents() -> None:
    tried = ToolCall(id="s", name="can_send_mms", arguments={}, requestor="user")
    messages: list[AnyMessage] = [*SEEN[:-1], asks(None, tried), result_of(tried, "It cannot.")]
    said = [*messages, says("I've also e-mailed you a confirmation.")]
    assert [one.why for one in told_beyond_tools(said, ENV)] == ["nothing was sent"]


def test_what_the_tool_refuses_cannot_be_taken_out() -> None:
    offer = "I will remove the Desk Lamp from your order."
    refused, done = (result_of(CHANGE, "Error", error=error) for error in (True, False))
    assert told(offer, asks("Yes."), says(None, CHANGE), refused) == ["modify_pending_order_items has refused it"]
    assert told(offer, asks("Yes."), says(None, CHANGE), refused, says(None, CHANGE), done) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I have escalated your case.", True),
        ("I've filed your request.", True),
        ("I have documented your wishes.", False),
    ],
)
def test_a_change_may_be_told_in_many_words_but_is_no_note(text: str, kept: bool) -> None:
    assert (not told_after(CHANGE, "{}", text)) == kept


def test_a_call_with_a_text_is_a_note() -> None:
    call = CHANGE.model_copy(update={"arguments": {"order_id": "#W1001", "why": "the lamp is too bright for her"}})
    assert told_after(call, "{}", "I have documented your wishes.") == []


def test_a_result_may_say_that_something_was_sent() -> None:
    assert told_after(CHANGE, '{"emailed_to": "a@b.example"}', "A confirmation has been sent to a@b.example.") == []
    assert told_after(CHANGE, '{"email": "a@b.example"}', "A confirmation has been sent to a@b.example.")


def told_after(call: ToolCall, result: str, text: str) -> list[str]:
    messages = [*SEEN, says(None, call), result_of(call, result), says(text)]
    return [one.why for one in told_beyond_tools(messages, ENV)]
