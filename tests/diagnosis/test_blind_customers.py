"""Customers that were written blind (benchmarks/blind_customers): no right one is found, and the seen stay seen."""

import pytest

from benchmarks.blind_customers import SETS, customers, found

SEEN = {"1_forty": 14, "2_forty": 8, "3_sixty": 17, "4_sixty": 13}
"""Of the customers with an error, in how many the user audit finds something."""


LATEST = "4_sixty"


@pytest.mark.parametrize(
    "name", [name if name == LATEST else pytest.param(name, marks=pytest.mark.slow) for name in SETS]
)
def test_nobody_who_keeps_to_the_scenario_is_found_and_no_error_is_lost_from_sight(name: str) -> None:
    all_of_them = [(one, found(one.play)) for one in customers(name)]
    assert [one.play.id for one, rules in all_of_them if one.kind is None and rules] == []
    assert sum(one.kind is not None and bool(rules) for one, rules in all_of_them) >= SEEN[name]
