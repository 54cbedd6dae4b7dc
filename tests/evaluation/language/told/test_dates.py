"""What the agent tells of the day of something named."""

import json

import pytest

from pytest_tau.evaluation.language.told.dates import told_of_dates
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

SEARCH = a_call("search_direct_flight", "c1", origin="ATL", destination="DFW", date="2024-05-24")
LOOK = a_call("get_reservation_details", "c2", reservation_id="K4WC5Q")
BOOKED = {
    "reservation_id": "K4WC5Q",
    "flights": [{"flight_number": "QF314", "date": "2024-05-19"}],
    "made": "2024-05-09",
}


def doubts(line: str) -> list[str]:
    messages: list[AnyMessage] = [asks("Is there one on 27 May?"), says(None, SEARCH, LOOK)]
    messages += [result_of(SEARCH, json.dumps([{"flight_number": "QF116"}])), result_of(LOOK, json.dumps(BOOKED))]
    return [one.why for one in told_of_dates([*messages, says(line)], "Today is 15 May.")]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (
            "Your bag is on K4WC5Q for the flight QF314 on 21 May, as you wished.",
            "K4WC5Q and QF314 shows May 9, May 19",
        ),
        ("- QF314 (May 21): $443", "QF314 shows May 19"),
        ("QF116 leaves on 23 May.", "QF116 shows May 24"),
    ],
)
def test_other_days_than_the_records(line: str, seen: str) -> None:
    assert doubts(line) == [f"what was looked up of {seen}"]


@pytest.mark.parametrize(
    "line",
    [
        "QF314 is on 19 May.",
        "QF116 leaves on 24 May.",
        "QF116 is the one of 27 May.",
        "K4WC5Q was looked at on 15 May.",
        "Your return on 21 May was $167, so QF314 is $21 less.",
        "QF314 is not on 21 May.",
        "QF314 can be moved to 21 May.",
        "Shall I put you on QF314 on 21 May?",
        "QF999 is on 21 May.",
        "QF314 is fine, and 21 May is a Tuesday.",
        "It is on 21 May.",
        "QF314 arrives at 2:05 on 20 May.",
        "QF314 is there the next morning on 20 May.",
        "The refund for K4WC5Q is there on 22 May.",
        "Online check-in for QF314 opens on 18 May.",
        "The 24 hours for K4WC5Q ended on 10 May.",
    ],
)
def test_what_may_be_so(line: str) -> None:
    assert doubts(line) == []
