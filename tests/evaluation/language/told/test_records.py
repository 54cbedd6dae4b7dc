"""What the agent tells of records beside what it has seen of them."""

import json

import pytest

from pytest_tau.evaluation.language.told.records import untrue
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

USER = ToolCall(id="u", name="get_user_details", arguments={"user_id": "ann_lee_1"})
ORDER = ToolCall(id="o", name="get_order_details", arguments={"order_id": "#W1001"})
TRIP = ToolCall(id="t", name="get_reservation_details", arguments={"reservation_id": "QX81LM"})
LINE = ToolCall(id="l", name="get_details_by_id", arguments={"id": "L1001"})
FLIGHT = ToolCall(id="f", name="get_flight_status", arguments={"flight_number": "HAT001"})
SEEN: list[AnyMessage] = [
    asks("Hello, my number is 555-123-2002."),
    says(None, USER),
    result_of(USER, '{"user_id": "ann_lee_1", "orders": ["#W1001", "#W1002"]}'),
    says(None, ORDER),
    result_of(ORDER, '{"order_id": "#W1001", "status": "pending"}'),
    says(None, TRIP),
    result_of(TRIP, '{"reservation_id": "QX81LM", "origin": "EWR", "destination": "LAX"}'),
    says(None, FLIGHT),
    result_of(FLIGHT, "available"),
    says(None, LINE),
    result_of(LINE, '{"line_id": "L1001", "phone_number": "555-123-2001", "status": "Active"}'),
]


def told(text: str) -> list[str]:
    return [one.why for one in untrue([*SEEN, says(text)])]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Your order #W1001 was delivered.", "the record shows 'pending'"),
        ("Order #W1001 is now cancelled.", "the record shows 'pending'"),
        ("I found your reservation from Newark (EWR) to Miami (MIA).", "no record seen goes from EWR to MIA"),
        ("I don't see a lamp in your orders.", "#W1002 was never looked at"),
        ("That is the only order you have with a lamp.", "#W1002 was never looked at"),
        ("Your line is active on our side.", "the line of 555-123-2002 was never looked at"),
        ("You want to change your delivered order #W1001.", "the record shows 'pending'"),
        ("You get $50 because of the delayed flight.", "what was looked up shows 'available'"),
    ],
)
def test_what_the_records_do_not_bear_out(text: str, why: str) -> None:
    assert told(text) == [why]


@pytest.mark.parametrize(
    "text",
    [
        "Your order #W1001 is still pending.",
        "If order #W1001 is cancelled, the money comes back.",
        "Was order #W1001 delivered?",
        "Order #W1001 is not delivered yet.",
        "I found your reservation from Newark (EWR) to Los Angeles (LAX) on May 21.",
        "I don't see a credit card on file.",
        "You want to change your pending order #W1001.",
        "I'm sorry for the trouble caused by the delayed flight.",
        "You get $50 because of the delayed train.",
    ],
)
def test_what_they_bear_out_or_leave_open(text: str) -> None:
    assert told(text) == []


def test_after_a_look_at_all_of_them_it_may_be_said_that_there_is_none() -> None:
    other = ToolCall(id="p", name="get_order_details", arguments={"order_id": "#W1002"})
    looked = [*SEEN, says(None, other), result_of(other, '{"order_id": "#W1002", "status": "pending"}')]
    assert not list(untrue([*looked, says("I don't see a lamp in your orders.")]))


def test_what_is_put_to_the_customer_is_told_as_what_would_be() -> None:
    line = "First: #W1001 is cancelled. Second: the lamp goes back. Please approve both."
    assert list(untrue([*SEEN, says(line)])) == []
    assert len(list(untrue([*SEEN, says(line.replace(" Please approve both.", ""))]))) == 1


def test_what_the_agent_has_cancelled_may_be_the_cause() -> None:
    text = "You get $50 for your cancelled flight."
    cancel = ToolCall(id="x", name="cancel_reservation", arguments={"reservation_id": "QX81LM"})
    assert told(text) == ["what was looked up shows 'available'"]
    assert not list(untrue([*SEEN, says(None, cancel), result_of(cancel, "done"), says(text)]))


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("Your line was suspended because of the overdue bill.", {"bill_id": "B1001", "status": "Past Due"}),
        ("You get $50 because of the delayed flight.", {"flight_id": "F1001", "status": "late"}),
        ("The fee is for the cancelled booking.", {"booking_id": "B1001", "status": "void"}),
    ],
)
def test_another_word_for_a_state_may_be_the_same(text: str, record: dict[str, str]) -> None:
    look = ToolCall(id="s", name="get_it", arguments={})
    assert not list(untrue([says(None, look), result_of(look, json.dumps(record)), says(text)]))
