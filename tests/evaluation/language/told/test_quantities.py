"""Quantities that nothing gives, with a unit that fields of results are named by."""

import pytest

from pytest_tau.evaluation.language.told.figures import from_nowhere
from pytest_tau.evaluation.language.told.quantities import quantities_in
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

LINE, PLAN = a_call("get_line", "c0", line_id="L2115"), a_call("get_plan", plan_id="P2004")
SEEN: list[AnyMessage] = [
    asks("I want fast data, at least 10 Mbps, and Nineteen GB more, or one and a half GB."),
    says(None, LINE),
    result_of(LINE, '{"line_id": "L2115", "data_used_gb": 60.1, "plan_id": "P2004", "contract_months": 24}'),
    says(None, PLAN),
    result_of(PLAN, '{"plan_id": "P2004", "data_limit_gb": "60.0", "price_per_gb": 2.5}'),
]


@pytest.mark.parametrize(
    ("told", "unknown"),
    [
        ("Of 50 GB you have used 50.1 GB.", ["50 gb", "50.1 gb"]),
        ("You have used 60.1 of 60 GB, 0.1 GB too many.", []),
        ("With 2 GB more there are 1.9 GB left, of 62 GB in all.", []),
        ("About 61 GB are used.", []),
        ("You asked for 19 GB more.", []),
        ("So you could use 15 GB in each of four weeks.", []),
        ("With that half more you have 1.4 GB to use.", []),
        ("Would 7.5 GB be enough?", []),
        ("It should reach 275 Mbps.", []),
        ("18 months are left.", []),
    ],
    ids=[
        "others",
        "shown",
        "follows",
        "rounded",
        "in words",
        "a share",
        "and a half",
        "asked",
        "a unit of no field",
        "time",
    ],
)
def test_what_is_told_is_held_against_what_was_given(told: str, unknown: list[str]) -> None:
    messages = [*SEEN, says(told), says(None, a_call("add_data", gb_amount=2.0))]
    assert [figure.figure for figure in from_nowhere(messages, "At most 2 GB can be added.")] == unknown


def test_a_number_and_the_word_behind_it() -> None:
    text = "6.20 GB, $5 off, 12,000 km, 4G, 3 days, v2 beta, 4 in it"
    assert [str(one) for one in quantities_in(text)] == ["6.20 gb"]
