"""The weekday that the agent gives a day, beside the calendar."""

from datetime import datetime

import pytest

from pytest_tau.evaluation.language.told.weekdays import told_of_weekdays
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

LOOK = a_call("get_reservation_details", reservation_id="QX81LM")
NOW = datetime(2024, 5, 15)  # a Wednesday
SEEN: list[AnyMessage] = [
    asks("I fly on 25 May. The 26th would be better, so 26 May."),
    says(None, LOOK),
    result_of(LOOK, '{"flights": [{"date": "2024-05-25"}, {"date": "2025-01-02"}]}'),
]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("I can't move you to Monday the 26th.", "May 26, 2024 is a Sunday"),
        ("You fly on Friday, 25 May.", "May 25, 2024 is a Saturday"),
        ("You fly on Friday, May 25th.", "May 25, 2024 is a Saturday"),
        ("You fly on May 25 (Friday).", "May 25, 2024 is a Saturday"),
        ("You fly on 25 May 2024 (Friday).", "May 25, 2024 is a Saturday"),
        ("Back on Friday, 2 January.", "January 2, 2025 is a Thursday"),
        ("Back on Friday, January 2, 2026.", None),
        ("You fly on Saturday, 25 May, and not on Sunday the 26th.", None),
        ("Back on Thursday, 2 January.", None),
        ("On Monday, 25 people may fly.", None),
        ("From Monday to 25 May.", None),
        ("On Monday the 27th there is none.", None),
        ("On Monday, 31 February.", None),
        ("On Monday I may look again.", None),
        ("Did you mean Monday, 26 May?", None),
    ],
)
def test_a_weekday(line: str, why: str | None) -> None:
    assert [one.why for one in told_of_weekdays([*SEEN, says(line)], NOW)] == ([] if why is None else [why])


def test_without_a_year_nothing_is_known() -> None:
    line = says("On Friday, 24 May, it is full.")
    assert [one.why for one in told_of_weekdays([line], NOW)] == []
    assert [one.why for one in told_of_weekdays([says("On Monday, 24 May.")], NOW)] == ["May 24, 2024 is a Friday"]
    assert list(told_of_weekdays([says("On Monday, 24 May.")], None)) == []


def test_of_two_years_none_is_meant() -> None:
    both: list[AnyMessage] = [
        says(None, LOOK),
        result_of(LOOK, '["2024-05-25", "2025-05-25"]'),
        says("On Monday, 25 May."),
    ]
    assert list(told_of_weekdays(both, NOW)) == []


def test_a_day_with_its_month_is_not_another_that_was_named() -> None:
    line = says("On Sunday the 26th of May there is one.")
    assert list(told_of_weekdays([asks("Is 26 June free?"), line], NOW)) == []


def test_what_the_customer_or_a_result_gave_is_not_made_up() -> None:
    line = says("You said Monday the 26th, and it is another day.")
    assert list(told_of_weekdays([*SEEN, asks("Monday the 26th."), line], NOW)) == []
    assert list(told_of_weekdays([*SEEN, result_of(LOOK, "Monday, May 26"), line], NOW)) == []
    assert [one.why for one in told_of_weekdays([*SEEN, line], NOW)] == ["May 26, 2024 is a Sunday"]
