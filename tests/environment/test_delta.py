"""What differs between two JSON values and two states."""

from typing import Any

import pytest

from pytest_tau.environment.database import DatabaseBase
from pytest_tau.environment.delta import ABSENT, ORDER, Change, Delta, compare, leaves
from tests.builders import mock
from tests.environment.shop import changes


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


def test_states_are_equal_when_their_records_are_types_included() -> None:
    def state(value: Any) -> Delta:
        return Delta({"items": {"kettle": value}})

    assert state({"stock": 1}) == state({"stock": 1})
    assert hash(state({"stock": 1})) == hash(state({"stock": 1}))
    assert len({state({"stock": 1}), state({"stock": 1.0}), state({"stock": True}), state(ABSENT), state(None)}) == 5
    assert Delta(added={"items": []}) == Delta()
    assert Delta(added={"items": ["a", "b"]}) != Delta(added={"items": ["b", "a"]})
    assert Delta() != {}


def test_states_are_equal_whatever_the_order_of_keys_in_their_records() -> None:
    one, other = (
        {"orders": {"O1": record}} for record in ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    )
    assert Delta(one) == Delta(other)
    assert hash(Delta(one)) == hash(Delta(other))
    assert Delta(one) != Delta({"orders": {"O1": {"a": 1, "b": {"c": 2, "d": 3.0}}}})


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


def test_a_record_is_as_in_the_base_only_with_values_of_the_same_type(db: Any) -> None:
    assert db.plans["P1"].price == 25
    assert db.delta() == Delta()
    db.plans["P1"].price = 25.0
    assert db.delta().records == {"plans": {"P1": {"plan_id": "P1", "price": 25.0}}}
    db.orders["O1"].items = [{"price": 5, "sku": "a"}]  # the same object, told in another order
    assert "orders" not in db.delta().records


class TestWorlds:
    @pytest.mark.parametrize("value", [25.0, True, "25", None, [25]])
    def test_types_count(self, base: DatabaseBase, value: Any) -> None:
        changed: Any = base.fresh()
        changed.plans["P1"].price = value
        assert changes(base, changed) == [Change("plans", "P1", "price", 25, value)]
        same: Any = base.fresh()
        same.plans["P1"].price = value
        assert changed.delta() == same.delta()
        assert hash(changed.delta()) == hash(same.delta())

    @pytest.mark.parametrize(
        ("one", "other"), [(1, 1.0), (1, True), (0, False), (1.0, True), (None, "null"), ("", None)]
    )
    def test_equal_in_python_is_not_equal_here(self, base: DatabaseBase, one: Any, other: Any) -> None:
        worlds: list[Any] = [base.fresh(), base.fresh()]
        for world, value in zip(worlds, (one, other), strict=True):
            world.plans["P2"].price = value
        assert worlds[0].delta() != worlds[1].delta()

    def test_changed_and_changed_back(self, base: DatabaseBase, db: Any) -> None:
        db.orders["O1"].status = "gone"
        assert db.delta() != Delta()
        db.orders["O1"].status = "open"
        assert db.delta() == Delta()

    def test_wrong_typed_values_are_stored_as_they_are(self, base: DatabaseBase, db: Any) -> None:
        db.orders["O2"].status = 7
        assert changes(base, db) == [Change("orders", "O2", "status", "done", 7)]


class TestChangesOfAWorld:
    def test_paths(self, base: DatabaseBase) -> None:
        one: Any = base.fresh()
        two: Any = base.fresh()
        one.orders["O1"].items[0] = {"sku": "a", "price": 6, "old": 1}
        two.orders["O1"].items[0] = {"sku": "a", "price": 7, "new": None}
        assert compare(base, one.delta(), two.delta()) == [
            Change("orders", "O1", "items[0].price", 6, 7),
            Change("orders", "O1", "items[0].old", 1, ABSENT),
            Change("orders", "O1", "items[0].new", ABSENT, None),
        ]

    def test_lists_of_other_lengths_are_whole(self, base: DatabaseBase, db: Any) -> None:
        db.orders["O2"].items = [{"sku": "b"}]
        assert changes(base, db) == [Change("orders", "O2", "items", [], [{"sku": "b"}])]

    def test_a_record_changed_on_one_side_only(self, base: DatabaseBase, db: Any) -> None:
        db.orders["O2"].note = "x"
        assert compare(base, db.delta(), Delta()) == [Change("orders", "O2", "note", "x", None)]
        assert repr(ABSENT) == "(absent)"
