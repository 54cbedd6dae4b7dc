"""Ranges of time in a text, and lengths of time in the fields of a result."""

import pytest

from pytest_tau.evaluation.language.told.spans import lengths_in, spans_in


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It takes 3 to 5 business days.", ["3 to 5 days"]),
        ("Between three and five days, or 24-48 hours.", ["3 to 5 days", "24 to 48 hours"]),
        ("One week to two months", ["1 weeks to 2 months"]),
        ("Rooms 3 to 5, for $3-5 days' worth.", []),
    ],
)
def test_ranges(text: str, told: list[str]) -> None:
    assert [span.text for span in spans_in(text)] == told


def test_units_are_compared_in_minutes() -> None:
    [hours], [days] = spans_in("24 to 48 hours"), spans_in("1 to 2 days")
    assert hours[:2] == days[:2] == (1440, 2880)
    assert [*lengths_in('{"min_days": 1, "max_days": "x", "hours": 3}')] == [1440, 180]
