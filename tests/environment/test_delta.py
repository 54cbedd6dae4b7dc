"""What differs between two JSON values and two states."""

from typing import Any

import pytest

from pytest_tau.environment.delta import ABSENT, ORDER, Change, Delta, canonical, compare, leaves
from tests.builders import mock


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": {"b": [1, {"c": "x"}]}}, {"a": {"b": [1, {"c": "y"}]}}, [("a.b[1].c", "x", "y")]),
        ({"a": 1}, {"b": 1}, [("a", 1, ABSENT), ("b", ABSENT, 1)]),
        ([1, 2], [1], [("", [1, 2], [1])]),  # of another length it is another list
        (ABSENT, {"a": 1}, [("", ABSENT, {"a": 1})]),
        (ABSENT, ABSENT, []),
        (None, ABSENT, [("", None, ABSENT)]),
        # Types count, as they do in a hash of the text.
        (25, 25.0, [("", 25, 25.0)]),
        (1, True, [("", 1, True)]),
        (0.0, -0.0, [("", 0.0, -0.0)]),
        (0.5, 0.5, []),
        ("1", 1, [("", "1", 1)]),
    ],
)
def test_where_two_values_differ(old: Any, new: Any, found: list[tuple[str, Any, Any]]) -> None:
    told = list(leaves("", old, new))
    assert told == found
    assert [(type(a), type(b)) for _, a, b in told] == [(type(a), type(b)) for _, a, b in found]


def test_a_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == '{"a":"é","b":1}'


def test_states_are_equal_when_their_records_are_types_included() -> None:
    def state(value: Any) -> Delta:
        return Delta({"items": {"kettle": value}})

    assert state({"stock": 1}) == state({"stock": 1})
    assert hash(state({"stock": 1})) == hash(state({"stock": 1}))
    assert len({state({"stock": 1}), state({"stock": 1.0}), state({"stock": True}), state(ABSENT), state(None)}) == 5
    assert Delta(added={"items": []}) == Delta()
    assert Delta(added={"items": ["a", "b"]}) != Delta(added={"items": ["b", "a"]})
    assert Delta() != {}


def test_changes_are_told_field_by_field_with_what_the_base_has_for_the_rest() -> None:
    base = mock().base
    known = base.record("tasks", "task_1")
    done = Delta({"tasks": {"task_1": {**known, "status": "completed"}}})
    assert compare(base, Delta(), done) == [Change("tasks", "task_1", "status", "pending", "completed")]
    assert compare(base, done, Delta()) == [Change("tasks", "task_1", "status", "completed", "pending")]
    gone = Delta({"tasks": {"task_1": ABSENT}})
    assert compare(base, gone, done) == [Change("tasks", "task_1", "", ABSENT, {**known, "status": "completed"})]
    assert compare(base, done, done) == []
    assert base.record("tasks", "nosuch") is ABSENT


def test_the_order_of_new_records_is_told_where_both_have_the_same() -> None:
    base = mock().base
    one, other = Delta(added={"tasks": ["a", "b"]}), Delta(added={"tasks": ["b", "a"]})
    assert compare(base, one, other) == [Change("tasks", "", ORDER, ["a", "b"], ["b", "a"])]
    assert compare(base, one, Delta(added={"tasks": ["a"]})) == []  # a record that only one has says enough
