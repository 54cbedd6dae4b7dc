"""How a person tells the values of a record, and which of them a line tells."""

from typing import Any

import pytest

from pytest_tau.evaluation.criteria.telling import first_told, spoken, stands


@pytest.mark.parametrize(
    ("value", "field", "told"),
    [
        (1477.3, "total", ["1477.30", "1477.3"]),
        (1477.35, "total", ["1477.35"]),
        (6.3, "data_used_gb", ["6.30", "6.3"]),
        ("1.7", "data_used_gb", ["1.70", "1.7"]),
        ("3.0", "data_limit_gb", []),
        (2760, "loss", ["$2760", "€2760", "2760 dollars", "2760 euros"]),
        (83.0, "total_due", ["$83", "€83", "83 dollars", "83 euros"]),
        (83, "age", []),
        (7, "count", []),
        (float("inf"), "total", []),
        (True, "insured", []),
        ("506 Kestrel Lane", "address1", ["506 kestrel lane", "kestrel lane"]),
        ("Unit 12", "address2", ["unit 12"]),
        ("506 Kestrel Lane", "note", ["506 kestrel lane"]),
        ("Rose", "first_name", ["Rose"]),
        ("Mark Price", "name", ["Mark", "Price", "mark price"]),
        ("Active", "line_status", []),
        ("2021-03-14", "customer_since", ["2021-03-14", "march 2021", "14 march", "march 14"]),
        ("2021-03-14", "flight_date", ["2021-03-14", "14 march", "march 14"]),
        ("2021-13-14", "date_of_birth", ["2021-13-14"]),
    ],
)
def test_what_is_said_for_a_value(value: Any, field: str, told: list[str]) -> None:
    assert list(spoken(value, field)) == told


@pytest.mark.parametrize(
    ("line", "values", "told"),
    [
        ("It came to $1,477.30.", ["1477.30"], "1477.30"),
        ("It came to $11,477.30.", ["1477.30"], None),
        ("It is a bill of 2,760 euros.", ["2760 euros"], "2760 euros"),
        ("Your bill is $83.40, or 10.83 dollars more.", ["$83", "83 dollars"], None),
        ("Her bill is $83.00.", ["$83"], "$83"),
        ("Her bill is $83.", ["$83"], "$83"),
        ("Mr. Price would have to write in.", ["Price"], "Price"),
        ("That is Price's order.", ["Price"], "Price"),
        ("Rose J. has to write in.", ["Rose"], "Rose"),
        ("A Rose Quilt.", ["Rose"], None),
        ("Price on request.", ["Price"], None),
        ("I see Mark and Rose on it.", ["Mark", "Rose"], "Mark"),
        ("Rose quilts, Mark II.", ["Mark", "Rose"], None),
        ("A customer since 14 March 2021.", ["march 2021"], "march 2021"),
    ],
)
def test_what_a_line_tells(line: str, values: list[str], told: str | None) -> None:
    assert first_told(line, values, [], "The price stands in the list.") == told


@pytest.mark.parametrize(
    "public",
    [
        '{"date": "2024-05-09"}',
        "Is 9 May possible?",
        "I fly on May 9th.",
        "I fly on the 9th of May.",
        "Cancel what I have on 5/9.",
        "It is 8 May, and I fly tomorrow.",
        "Everything in May from the 9th on, until May 20.",
    ],
)
def test_a_day_is_public_in_any_form(public: str) -> None:
    told = ["2024-05-09", "9 may", "may 9"]
    assert first_told("The trip is on 9 May.", told, [], "") == "9 may"
    assert first_told("The trip is on 9 May.", told, [public], "") is None


@pytest.mark.parametrize(
    "public", ["I have 9 bags, and the 2 of May is fine.", "It is 8 May.", "Within 7 days of 2 May."]
)
def test_a_day_is_told_however_it_is_said(public: str) -> None:
    assert first_told("The trip is on May 9th.", ["2024-05-09", "9 may", "may 9"], [public], "") == "9 may"


@pytest.mark.parametrize(("day", "told"), [("2024-05-09", None), ("1990-05-09", "1990-05-09")])
def test_a_day_in_numbers_is_public_in_words_as_far_as_its_year_is(day: str, told: str | None) -> None:
    assert first_told(f"Found for {day}.", [day], ["I fly on May 9th."], "It is 2024-05-02 now.") == told


def test_a_number_before_a_word_like_a_month_is_no_day() -> None:
    assert first_told("Option 1 may lead to a fee.", ["2024-05-01", "1 may", "may 1"], [], "") is None


@pytest.mark.parametrize("public", ['{"total": 1477.3}', "I paid 1,477.30 for it."])
def test_what_is_public_is_told_by_nobody(public: str) -> None:
    assert first_told("It came to $1,477.30.", ["1477.30"], [public], "") is None


def test_the_policy_gives_values_and_no_names() -> None:
    assert first_told("It costs $1764.", ["$1764"], [], "Nothing costs more than 1764 dollars.") is None
    assert first_told("Mr. Price has it.", ["Price"], [], "Mr. Price decides, at any price.") == "Price"


def test_a_value_is_no_part_of_a_word() -> None:
    assert stands("rose", "a rose quilt")
    assert not stands("rose", "he rosed, prose, rose7")
