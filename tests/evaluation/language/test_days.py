"""Which days a text names."""

from datetime import date

import pytest

from pytest_tau.evaluation.language.days import dates_with_year, days_in


@pytest.mark.parametrize(
    "text",
    ["on May 20th", "the 20th of May", "2024-05-20", "May 20, 2024", "may the 20", "20 May at 10:00", "20 may for two"],
)
def test_days_in_every_spelling(text: str) -> None:
    assert list(days_in(text)) == [date(2024, 5, 20)]


@pytest.mark.parametrize(
    "text", ["May 40", "2024-13-01", "I may 5:30", "maybe 7", "in May", "option 1 may lead to a fee"]
)
def test_no_days(text: str) -> None:
    assert list(days_in(text)) == []


def test_full_dates() -> None:
    said = "born 1987-04-03, or on 3 April 1988, or on April 3rd, 1989, or in May 1990"
    assert list(dates_with_year(said)) == ["1987-04-03", "1989-04-03", "1988-04-03"]
