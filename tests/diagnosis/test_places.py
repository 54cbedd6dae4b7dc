"""Places that nobody told a customer."""

import pytest

from pytest_tau import load_domain
from pytest_tau.diagnosis.places import invented_place

AIRLINE = load_domain("airline")


@pytest.mark.parametrize(
    ("said", "known", "place"),
    [
        ("I fly to Chicago.", "You fly from SFO to JFK.", "Chicago"),
        ("I fly to Chicago.", "You fly from ORD to JFK.", None),
        ("I fly to Chicago.", "Is it Chicago?", None),
        ("I live in New York.", "You live in NY.", None),
        ("I live in Philadelphia.", "You live in Philly.", None),
        ("I live in Nowhere.", "", None),
    ],
)
def test_a_listed_place_is_known_by_name_code_or_initials(said: str, known: str, place: str | None) -> None:
    assert invented_place(said, known, AIRLINE) == place


def test_a_domain_that_lists_none_has_none() -> None:
    assert invented_place("I live in Chicago.", "", load_domain("retail")) is None
