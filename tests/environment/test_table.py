"""One table: lazy, copied on touch, a mapping, and searched without touching anything."""

from collections.abc import Mapping
from datetime import date
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_tau.environment.database import DatabaseBase
from pytest_tau.environment.delta import ABSENT, ORDER, Change, Delta, compare
from pytest_tau.environment.results import to_content
from pytest_tau.errors import DomainError
from pytest_tau.schema.values import canonical
from tests.environment.shop import RAW, Device, Order, Plan, ShopDB, changes


def test_they_are_found_by_values_as_tools_have_them(db: Any) -> None:
    class Price(IntEnum):
        USUAL = 25

    assert [view["plan_id"] for view in db.plans.where(price=Price.USUAL)] == ["P1"]
    assert not list(db.plans.where(plan_id=date(2026, 5, 1)))


def test_records_are_found_by_their_values_as_a_scan_would_find_them(db: Any) -> None:
    def found(**fields: Any) -> list[Any]:
        return [view.get("price") for view in db.plans.where(**fields)]

    assert found(plan_id="P1") == [25]
    assert found(plan_id="P3") == []
    db.plans["P2"].price = 25
    db.plans["P0"] = Plan(plan_id="P0", price=25)
    assert found(price=25) == [25, 25, 25]
    assert [view["plan_id"] for view in db.plans.where(price=25)] == ["P1", "P2", "P0"]
    twin = db.copy() if hasattr(db, "copy") else db
    assert [view["plan_id"] for view in twin.plans.where(price=25)] == ["P1", "P2", "P0"]
    db.plans["P1"].price = 5
    assert [view["plan_id"] for view in db.plans.where(price=25)] == ["P2", "P0"]
    del db.plans["P2"]
    assert [view["plan_id"] for view in db.plans.where(price=25)] == ["P0"]


def _price(plan: Any) -> Any:
    return plan.get("price") or "free"


def test_records_are_found_by_what_a_function_says_of_them(db: Any) -> None:
    def found(value: Any) -> list[str]:
        return [view["plan_id"] for view in db.plans.having(_price, value)]

    assert [found(value) for value in (25, "free", 7)] == [["P1"], ["P2"], []]
    db.plans["P1"].price = 7
    db.plans["P3"] = Plan(plan_id="P3", price=25)
    assert [found(value) for value in (25, "free", 7)] == [["P3"], ["P2"], ["P1"]]


def test_what_is_only_read_is_shared_by_all_worlds_that_have_not_touched_it(base: DatabaseBase) -> None:
    one: Any = base.fresh()
    other: Any = base.fresh()
    lent = one.orders.read("O1")
    assert lent is other.orders.read("O1")
    assert not one.orders.is_changed
    assert base.shared_text(lent, to_content) == base.shared_text(lent, to_content) == to_content(lent)
    assert base.shared_text(one.copy().plans["P1"], to_content) is None
    one.orders["O1"].status = "cancelled"
    assert (one.orders.read("O1").status, lent.status) == ("cancelled", other.orders["O1"].status)
    twin = one.copy()
    assert twin.orders.read("O1").status == "cancelled"
    del one.orders["O1"]
    for key in ("O1", "O77"):
        with pytest.raises(KeyError, match=key):
            one.orders.read(key)


def test_a_listed_record_that_is_deleted_and_added_again_stands_at_the_end(base: DatabaseBase, db: Any) -> None:
    first = db.plans["P1"]
    del db.plans["P1"]
    db.plans["P1"] = first
    assert list(db.plans) == ["P2", "P1"]
    assert len(db.plans) == 2
    assert [record["plan_id"] for record in db.state()["plans"]] == ["P2", "P1"]
    db.plans["P3"] = Plan(plan_id="P3")
    assert list(db.plans) == ["P2", "P1", "P3"]
    other: Any = base.fresh()
    other.plans["P3"] = Plan(plan_id="P3")
    assert db.delta() != other.delta()  # a list with another order is another list
    del db.plans["P1"]
    assert list(db.plans) == ["P2", "P3"]
    assert db.plans.get("P1") is None


class TestTables:
    def test_a_record_is_read_when_it_is_needed(self) -> None:
        broken = DatabaseBase(ShopDB, {**RAW, "orders": {"bad": {"status": 7}, "good": {}}}, where="db.json")
        db: Any = broken.fresh()
        assert db.orders["good"].status == "open"
        with pytest.raises(DomainError, match=r"db\.json: orders\['bad'\]: status: Input should be a valid string"):
            db.orders["bad"]
        assert [problem.split(":")[1] for problem in broken.problems()] == [" orders['bad']"]

    def test_a_record_is_a_copy_of_its_own_world(self, base: DatabaseBase) -> None:
        one: Any = base.fresh()
        two: Any = base.fresh()
        one.orders["O1"].items[0]["price"] = 99
        one.orders["O1"].status = "gone"
        assert one.orders["O1"].items == [{"sku": "a", "price": 99}]
        assert two.orders["O1"].items == [{"sku": "a", "price": 5}]
        assert base.fresh().delta() == two.delta() == Delta()
        assert RAW["orders"]["O1"]["items"][0]["price"] == 5

    def test_nor_is_anything_deep_in_it_shared(self) -> None:
        deep = DatabaseBase(ShopDB, {**RAW, "plans": [{"plan_id": "P1", "price": {"now": [1]}}]}, where="db.json")
        one: Any = deep.fresh()
        one.plans["P1"].price["now"].append(2)
        two: Any = deep.fresh()
        assert two.plans["P1"].price == {"now": [1]}
        assert changes(deep, one) == [Change("plans", "P1", "price.now", [1], [1, 2])]

    def test_what_a_dump_holds_is_not_shared_either(self, base: DatabaseBase, db: Any) -> None:
        db.state()["orders"]["O1"]["items"].append("mine")
        db.state()["plans"][0]["price"] = 0
        assert base.fresh().state() == db.state()
        assert db.state()["orders"]["O1"]["items"] == [{"sku": "a", "price": 5}]
        assert db.state()["plans"][0]["price"] == 25

    def test_nor_is_what_a_change_shows(self, base: DatabaseBase, db: Any) -> None:
        del db.orders["O1"]
        [change] = changes(base, db)
        change.before["items"].append("mine")
        assert base.fresh().state()["orders"]["O1"]["items"] == [{"sku": "a", "price": 5}]
        assert change.after is ABSENT

    def test_it_is_a_mapping(self, db: Any) -> None:
        assert list(db.orders) == ["O1", "O2"]
        assert len(db.orders) == 2
        assert "O1" in db.orders
        assert "O3" not in db.orders
        assert db.orders.get("O3") is None
        assert db.orders["O2"] is db.orders["O2"]
        with pytest.raises(KeyError, match="O3"):
            db.orders["O3"]
        with pytest.raises(TypeError, match="unhashable"):
            db.orders.get([])

    def test_added_and_deleted(self, base: DatabaseBase, db: Any) -> None:
        db.orders["O3"] = Order(status="new")
        del db.orders["O1"]
        assert (list(db.orders), len(db.orders)) == (["O2", "O3"], 2)
        assert changes(base, db) == [
            Change("orders", "O1", "", base.tables["orders"].normal("O1"), ABSENT),
            Change("orders", "O3", "", ABSENT, {"status": "new", "items": [], "note": None}),
        ]
        with pytest.raises(KeyError):
            del db.orders["O1"]
        with pytest.raises(KeyError):
            db.orders["O1"]

    def test_deleted_and_added_again(self, base: DatabaseBase, db: Any) -> None:
        before = db.orders["O2"].model_copy()
        del db.orders["O2"]
        assert db.delta() != Delta()
        db.orders["O2"] = before
        assert changes(base, db) == []
        db.orders["O4"] = Order()
        del db.orders["O4"]
        assert db.delta() == Delta()

    def test_a_list_table(self, base: DatabaseBase, db: Any) -> None:
        assert db.plans["P1"].price == 25
        assert db.state()["plans"] == [{"plan_id": "P1", "price": 25}, {"plan_id": "P2", "price": 0}]
        other: Any = base.fresh()
        for world, keys in ((db, "AB"), (other, "BA")):
            for key in keys:
                world.plans[key] = Plan(plan_id=key)
        assert db.delta() != other.delta()  # the order of a list is part of the state
        assert compare(base, db.delta(), other.delta()) == [Change("plans", "", ORDER, ["A", "B"], ["B", "A"])]

    def test_new_records_of_an_object_have_no_order(self, base: DatabaseBase, db: Any) -> None:
        other: Any = base.fresh()
        for world, keys in ((db, "AB"), (other, "BA")):
            for key in keys:
                world.orders[key] = Order()
        assert db.delta() == other.delta()

    def test_a_record(self, base: DatabaseBase, db: Any) -> None:
        assert db.device.on is True
        db.device.inner.price = 3
        assert changes(base, db) == [Change("device", "", "inner.price", 0, 3)]
        db.device = Device()
        assert [change.path for change in changes(base, db)] == ["on"]
        assert db.state()["device"] == {"on": False, "inner": {"plan_id": "P0", "price": 0}}

    def test_a_missing_record_is_its_defaults(self) -> None:
        raw = {key: value for key, value in RAW.items() if key != "device"}
        db: Any = DatabaseBase(ShopDB, raw, where="db.json").fresh()
        assert db.device.on is False

    def test_reading_changes_nothing(self, db: Any) -> None:
        assert [order.status for order in db.orders.values()] == ["open", "done"]
        assert db.plans["P1"].plan_id == "P1"
        assert db.delta() == Delta()


class TestScan:
    def test_views_are_read_only(self, db: Any) -> None:
        view = next(db.orders.scan())
        assert view["items"][0]["sku"] == "a"
        assert view["items"] == [{"sku": "a", "price": 5}]
        assert (dict(view).keys(), len(view), "other" in view) == (
            {"status": 0, "items": 0, "note": 0}.keys(),
            3,
            False,
        )
        for target in (view, view["items"][0]):
            with pytest.raises(TypeError, match="does not support item assignment"):
                target["sku"] = "b"
        with pytest.raises(TypeError, match="does not support item assignment"):
            view["items"][0] = {}
        assert not hasattr(view["items"], "append")

    def test_it_shows_what_was_changed_and_copies_nothing(self, db: Any) -> None:
        db.orders["O2"].status = "gone"
        db.orders["O3"] = Order(note="n")
        assert [view["status"] for view in db.orders.scan()] == ["open", "gone", "open"]
        assert db.orders._touched.keys() == {"O2", "O3"}

    def test_what_it_finds_does_not_hang_on_what_was_read(self, db: Any) -> None:
        """The file leaves the status of O1 out, and its model gives it."""

        def found() -> list[Any]:
            by_status = [*db.orders.where(status="open"), *db.orders.having(status_of, "open")]
            return [dict(view) for view in [*by_status, *db.orders.scan()]]

        before = found()
        assert len(before) == 4
        assert db.orders["O1"].status == "open"
        assert found() == before


def status_of(order: Mapping[str, Any]) -> str:
    return str(order["status"])


KEYS = ["P1", "P2", "P3", "P4"]
PRICES = [0, 1, True, 1.0, None, "1"]
LISTED = DatabaseBase(
    ShopDB,
    {"orders": {}, "plans": [{"plan_id": key, "price": price} for key, price in zip(KEYS[:3], PRICES, strict=False)]},
    where="db.json",
)
steps = st.tuples(st.sampled_from(["read", "write", "delete", "copy"]), st.sampled_from(KEYS), st.sampled_from(PRICES))


def done(made: list[tuple[str, str, Any]]) -> tuple[Any, dict[str, Any]]:
    """A world in which this was done, and what a plain dict says of it."""
    world: Any = LISTED.fresh()
    plain = {plan["plan_id"]: plan["price"] for plan in world.state()["plans"]}
    for deed, key, price in made:
        if deed == "copy":
            world = world.copy()
        elif deed == "write":
            world.plans[key] = Plan(plan_id=key, price=price)
            plain[key] = price
        elif key in plain:
            if deed == "read":
                world.plans[key].price = price
                plain[key] = price
            else:
                del world.plans[key], plain[key]
        else:
            with pytest.raises(KeyError, match=key):
                world.plans[key] if deed == "read" else world.plans.pop(key)
    return world, plain


@given(st.lists(steps, max_size=8))
def test_whatever_is_done_it_holds_what_a_dict_would_hold_in_that_order(made: list[tuple[str, str, Any]]) -> None:
    world, plain = done(made)
    records = [{"plan_id": key, "price": price} for key, price in plain.items()]
    assert (list(world.plans), len(world.plans)) == (list(plain), len(plain))
    assert [key in world.plans for key in KEYS] == [key in plain for key in KEYS]
    for shown in (world.state()["plans"], world.plans.scan(), [view for _, view in world.plans.scan_items()]):
        assert canonical([dict(record) for record in shown]) == canonical(records)
    for price in PRICES:
        wanted = [record for record in records if canonical(record["price"]) == canonical(price)]
        found = [dict(view) for view in world.plans.where(price=price)]
        assert canonical(found) == canonical(wanted)
    for key in plain:
        assert canonical(world.plans.read(key).price) == canonical(plain[key])
        assert canonical(world.plans[key].price) == canonical(plain[key])


@given(st.lists(steps, max_size=6), st.lists(steps, max_size=6))
@example([], [("delete", "P1", 0), ("write", "P1", 0)])
@example([], [("delete", "P3", 0), ("write", "P3", True)])
@example([("delete", "P2", 0)], [("delete", "P3", 0), ("write", "P3", True), ("delete", "P2", 0)])
def test_two_worlds_differ_by_their_deltas_exactly_when_their_lists_do(
    one: list[tuple[str, str, Any]], other: list[tuple[str, str, Any]]
) -> None:
    (first, _), (second, _) = done(one), done(other)
    same = canonical(first.state()) == canonical(second.state())
    assert (first.delta() == second.delta()) is same
    assert (compare(LISTED, first.delta(), second.delta()) == []) is same
    assert (compare(LISTED, second.delta(), first.delta()) == []) is same


def test_none_is_a_value_like_any_other() -> None:
    """Parity stores what a tool gives it, and a tool may give nothing."""
    world = LISTED.fresh()
    plans: Any = world.tables["plans"]
    plans["P1"] = None
    plans["new"] = None
    for table in (plans, plans.copy()):
        assert ("P1" in table, "new" in table) == (True, True)
        assert (table["P1"], table["new"]) == (None, None)
        assert (table.read("P1"), table.read("new")) == (None, None)
    assert world.delta().records["plans"] == {"P1": None, "new": None}
