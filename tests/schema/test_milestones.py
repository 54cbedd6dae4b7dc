"""Milestones and minefields as they are written: predicates, bounds, and an order that is one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_tau.schema.milestones import Milestone, RecordCount, Said, in_order


def milestone(id: str, *after: str) -> Milestone:
    return Milestone(id=id, when=Said(check="said", texts=["x"]), after=list(after))


@st.composite
def orders(draw: st.DrawFn) -> list[Milestone]:
    """Milestones in any order, each after some of those with a lower number."""
    number = draw(st.integers(0, 6))
    made = [milestone(str(n), *(str(p) for p in range(n) if draw(st.booleans()))) for n in range(number)]
    return draw(st.permutations(made))


@given(orders())
def test_each_stands_behind_those_it_comes_after_and_the_first_that_can_comes_first(points: list[Milestone]) -> None:
    found = in_order(points)
    assert sorted(one.id for one in found) == sorted(one.id for one in points)
    for place, one in enumerate(found):
        assert {*one.after} <= {before.id for before in found[:place]}
        could = [p for p in points if p not in found[:place] and {*p.after} <= {before.id for before in found[:place]}]
        assert one == could[0]


def test_a_circle_and_a_stranger_have_a_sentence() -> None:
    with pytest.raises(ValueError, match="the milestones b, c wait for each other"):
        in_order([milestone("a"), milestone("b", "c"), milestone("c", "b")])
    with pytest.raises(ValueError, match="the milestones a wait for each other"):
        in_order([milestone("a", "a")])
    with pytest.raises(ValueError, match="the milestone 'b' comes after 'z', which does not exist"):
        in_order([milestone("a"), milestone("b", "z")])


def read(when: dict[str, Any]) -> Any:
    return Milestone.model_validate({"id": "m", "when": when}).when


def test_predicates_stand_within_each_other() -> None:
    when = {"check": "not", "of": {"check": "any", "of": [{"check": "record", "table": "t"}, {"check": "claims"}]}}
    found = read(when)
    assert [type(one).__name__ for one in found.of.of] == ["RecordIs", "Claims"]
    assert read(found.model_dump(mode="json")) == found


@pytest.mark.parametrize(
    "when",
    [
        {"check": "all", "of": []},
        {"check": "any", "of": []},
        {"check": "said", "texts": []},
        {"check": "count", "table": "t", "at_least": -1},
        {"check": "dreamt"},
        {"table": "t"},
    ],
)
def test_what_is_no_predicate(when: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        read(when)


@pytest.mark.parametrize(("at_least", "at_most"), [(1, 0), (3, 2), (None, 0)])
def test_bounds_that_no_number_is_within_are_refused(at_least: int | None, at_most: int) -> None:
    bounds = {"at_most": at_most} if at_least is None else {"at_least": at_least, "at_most": at_most}
    with pytest.raises(ValidationError, match=f"no number is at least {at_least or 1} and at most {at_most}"):
        read({"check": "count", "table": "t", **bounds})


@pytest.mark.parametrize("bounds", [{"at_least": 0, "at_most": 0}, {"at_least": 2, "at_most": 2}, {"at_least": 9}, {}])
def test_other_bounds_are_fine(bounds: dict[str, int]) -> None:
    assert read({"check": "count", "table": "t", **bounds}) == RecordCount(check="count", table="t", **bounds)


def test_a_milestone_has_a_name() -> None:
    with pytest.raises(ValidationError):
        milestone("")
