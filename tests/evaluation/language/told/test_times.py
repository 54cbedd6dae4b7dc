"""What the agent tells of how long ago something was made."""

from datetime import datetime

import pytest

from pytest_tau.evaluation.language.told.times import told_of_times
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

NOW = datetime(2024, 5, 15, 15)
LOOK = ToolCall(id="t", name="get_reservation_details", arguments={"reservation_id": "QX81LM"})
OTHER = ToolCall(id="o", name="get_reservation_details", arguments={"reservation_id": "AB12CD"})


def told(text: str, made: str = "2024-05-12T04:19:15", now: datetime | None = NOW) -> list[str]:
    record = f'{{"reservation_id": "QX81LM", "created_at": "{made}"}}'
    seen: list[AnyMessage] = [asks("Hello"), says(None, LOOK), result_of(LOOK, record)]
    return [one.why for one in told_of_times([*seen, says(text)], now)]


@pytest.mark.parametrize(
    "text",
    [
        "Your booking was made within the last 24 hours.",
        "Since it is within the 24-hour window after it was booked, I can cancel it.",
        "- QX81LM was booked within the past 2 days.",
        "You placed it more than 7 days ago.",
    ],
)
def test_another_age(text: str) -> None:
    assert told(text) == ["it was made at 2024-05-12T04:19:15"]


@pytest.mark.parametrize(
    "text",
    [
        "Your booking was made within the last 4 days.",
        "You booked it more than 24 hours ago.",
        "Your booking was not made within the last 24 hours.",
        "Was it booked within the last 24 hours?",
        "It can be cancelled if it was booked within the last 24 hours.",
        "- It was booked within the last 24 hours",
        "The money for the cancelled booking is back within 5 days.",
        "Trip AB12CD of your friend is another matter.",
        "Your booking QX81LM is within 1 hour of departure.",
        "The refund for your booking is within 1 day.",
        "Refunds for purchased tickets are credited within 1 day.",
        "Flights booked with us are refunded within 1 day.",
        "Your reservation was made on May 1 and was changed within the last 1 day.",
        "It was booked within 1 hour of departure.",
        "Any trip that was booked within 1 hour can be refunded.",
    ],
)
def test_the_same_age_or_none(text: str) -> None:
    assert told(text) == []


def test_a_day_may_be_any_hour_of_it() -> None:
    assert told("It was booked within the last 24 hours.", "2024-05-14") == []
    assert told("It was booked within the last 24 hours.", "2024-05-13")


def test_without_a_clock_or_a_time_nothing_is_said() -> None:
    text = "It was booked within the last 24 hours."
    assert told(text, now=None) == told(text, "last week") == told(text, "2024-06-01T00:00:00") == []


def test_which_of_two_is_meant_is_left_open() -> None:
    both: list[AnyMessage] = [
        *(says(None, LOOK), result_of(LOOK, '{"reservation_id": "QX81LM", "created_at": "2024-05-12T04:19:15"}')),
        *(says(None, OTHER), result_of(OTHER, '{"reservation_id": "AB12CD", "created_at": "2024-05-15T04:19:15"}')),
    ]
    text = "It was booked within the last 24 hours."
    assert not list(told_of_times([*both, says(text)], NOW))
    assert list(told_of_times([*both, says(f"Of your QX81LM: {text}")], NOW))
