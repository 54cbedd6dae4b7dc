"""What the agent tells of the hours of something named."""

import json

import pytest

from pytest_tau.evaluation.language.told.hours import told_of_hours
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

SEARCH = a_call("search_direct_flight", origin="ATL", destination="DFW", date="2024-05-24")
FLIGHTS = [
    {"flight_number": "QF116", "origin": "ATL", "scheduled_departure": "21:05:00", "scheduled_arrival": "23:10:00+1"},
    {"flight_number": "QF166", "origin": "ATL", "scheduled_departure": "13:10:00", "scheduled_arrival": "15:15:00"},
]
POLICY = "The desk is open from 06:30 on."


def untrue(line: str, content: object = FLIGHTS) -> list[str]:
    messages: list[AnyMessage] = [asks("Is there one at 19:00?"), says(None, SEARCH)]
    messages += [result_of(SEARCH, json.dumps(content)), says(line)]
    return [one.why for one in told_of_hours(messages, POLICY)]


@pytest.mark.parametrize(
    "line",
    [
        "QF116 departs at 13:10 and arrives at 15:15.",
        "Here are the flights:\n- QF116, 24 May, 1:10 PM to 3:15 PM",
        "| Flight | Departs |\n|---|---|\n| QF116 | 8:05 |",
    ],
    ids=["a sentence", "an item", "a row"],
)
def test_other_hours_than_the_records(line: str) -> None:
    assert untrue(line) == ["what was looked up of QF116 shows 21:05, 23:10"]


@pytest.mark.parametrize(
    "line",
    [
        "QF116 departs at 21:05.",
        "QF116 leaves at 9:05 p.m. and lands at 11:10 pm.",
        "QF116 leaves in the evening, at 9:05.",
        "QF116 and QF166 leave at 21:05 and 13:10, and at 8:00 there is none.",
        "QF116 does not leave at 20:00.",
        "For QF116 be there by 19:30.",
        "The desk for QF116 opens at 06:30.",
        "QF116 is not the one at 19:00 that you meant.",
        "QF999 leaves at 8:00.",
        "QF116 costs $13:10 or so.",
        "I can move you from QF116 to the seat at 13:10.",
        "Shall I book QF116 at 13:10?",
        "The flight time of QF116 is 2:05 hours, with a layover.",
        "QF116 takes 2:05.",
        "QF116 boards at 20:25.",
        "Please be at the gate of QF116 at 20:30.",
        "QF116 departs at 18:05 PST.",
        "QF116 is delayed to 22:30.",
    ],
)
def test_the_same_hours_or_none(line: str) -> None:
    assert untrue(line) == []


def test_records_without_hours_show_none() -> None:
    assert untrue("QF116 departs at 13:10.", [{"flight_number": "QF116", "scheduled_departure": None}]) == []
    assert untrue("QF116 departs at 13:10.", "QF116 has left") == []


@pytest.mark.parametrize(
    "content",
    [
        {"order_id": "#W1001", "created_at": "2024-05-01T10:00:00", "delivery": {"eta": "15:30"}},
        {"order_id": "#W1001", "created_at": "2024-05-01T10:00:00Z", "eta": "3:30 PM"},
        {"order_id": "#W1001", "created_at": "2024-05-01T10:00:00", "eta": "2024-05-02 15:30"},
    ],
    ids=["inside", "in words", "after a blank"],
)
def test_an_hour_of_a_record_in_any_writing(content: object) -> None:
    assert untrue("Order #W1001 arrives at 3:30 PM.", content) == []
    assert untrue("Order #W1001 arrives at 4:30 PM.", content)
