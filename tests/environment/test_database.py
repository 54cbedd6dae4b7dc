"""Tables: lazy, copied on touch, compared by what differs from the base."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from pytest_tau.environment.database import Database, DatabaseBase, Record
from pytest_tau.environment.delta import ABSENT, ORDER, Change, Delta, canonical, compare
from pytest_tau.environment.table import Table, TableBase, listed_by
from pytest_tau.errors import DomainError


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")

    status: str = "open"
    items: list[dict[str, Any]] = []
    note: str | None = None


class Plan(BaseModel):
    plan_id: str
    price: Any = 0


class Device(BaseModel):
    on: bool = False
    inner: Plan = Plan(plan_id="P0")


class ShopDB(Database):
    orders: Table[Order]
    plans: Table[Plan] = listed_by("plan_id")
    device: Record[Device]


RAW: dict[str, Any] = {
    "orders": {"O1": {"items": [{"sku": "a", "price": 5}]}, "O2": {"status": "done"}},
    "plans": [{"plan_id": "P1", "price": 25}, {"plan_id": "P2"}],
    "device": {"on": True},
}


@pytest.fixture(scope="module")
def base() -> DatabaseBase:
    return DatabaseBase(ShopDB, RAW, where="db.json")


@pytest.fixture
def db(base: DatabaseBase) -> Any:
    return base.fresh()


def changes(base: DatabaseBase, db: Database) -> list[Change]:
    return compare(base, Delta(), db.delta())


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


class Inner(BaseModel):
    type: dict[str, list[int]] = {}


class Closed(BaseModel):
    inner: list[Inner] = []
    other: "Closed | None" = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Bare(BaseModel):
    anything: dict  # type: ignore[type-arg]  # as an author may write it


class Untyped(BaseModel):
    inner: dict[str, list[Any]] = {}


@pytest.mark.parametrize(("model", "shares"), [(Closed, False), (Open, True), (Bare, True), (Untyped, True)])
def test_records_are_copied_first_where_pydantic_would_share_what_is_in_them(model: Any, shares: bool) -> None:
    raw = {"inner": {"a": [1]}, "anything": {"a": [1]}} if shares else {"inner": [{"type": {"a": [1]}}]}
    table = TableBase("things", model, {"A": raw}, where="db.json")
    assert table._shares is shares
    dumped = table.fresh("A")
    for value in (vars(dumped).get("inner"), vars(dumped).get("anything"), (dumped.model_extra or {}).get("inner")):
        if value:
            (value[0].type if isinstance(value, list) else value)["a"].append(2)
    assert "2" not in str(table.raw)


def test_a_record_is_as_in_the_base_only_with_values_of_the_same_type(db: Any) -> None:
    assert db.plans["P1"].price == 25
    assert db.delta() == Delta()
    db.plans["P1"].price = 25.0
    assert db.delta().records == {"plans": {"P1": {"plan_id": "P1", "price": 25.0}}}
    db.orders["O1"].items = [{"price": 5, "sku": "a"}]  # the same object, told in another order
    assert "orders" not in db.delta().records


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
        assert (dict(view).keys(), len(view), "status" in view) == ({"items": 0}.keys(), 1, False)
        for target in (view, view["items"][0]):
            with pytest.raises(TypeError, match="does not support item assignment"):
                target["sku"] = "b"
        with pytest.raises(TypeError, match="does not support item assignment"):
            view["items"][0] = {}
        assert not hasattr(view["items"], "append")

    def test_it_shows_what_was_changed_and_copies_nothing(self, db: Any) -> None:
        db.orders["O2"].status = "gone"
        db.orders["O3"] = Order(note="n")
        assert [view.get("status") for view in db.orders.scan()] == [None, "gone", "open"]
        assert db.orders._touched.keys() == {"O2", "O3"}


class TestDelta:
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

    def test_it_is_no_equal_of_other_things(self) -> None:
        assert Delta() != {}

    def test_canonical_text(self) -> None:
        assert canonical({"b": 1.0, "a": ["é", True, None]}) == '{"a":["é",true,null],"b":1.0}'


class TestCompare:
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


class TestPatch:
    def test_objects_merge_and_lists_replace(self, base: DatabaseBase, db: Any) -> None:
        db.patch({"orders": {"O1": {"note": "n"}, "O2": {"items": [{"x": 1}]}, "O9": {}}}, where="here")
        assert db.orders["O1"] == Order(items=[{"sku": "a", "price": 5}], note="n")
        assert db.orders["O2"] == Order(status="done", items=[{"x": 1}])
        assert db.orders["O9"] == Order()
        assert [(change.key, change.path) for change in changes(base, db)] == [
            ("O1", "note"),
            ("O2", "items"),
            ("O9", ""),
        ]

    def test_a_patch_is_not_shared_with_the_records_made_of_it(self, base: DatabaseBase) -> None:
        data: dict[str, Any] = {"device": {"inner": {"price": ["one"]}}, "orders": {"O1": {"note": "x"}}}
        for _ in range(2):
            db: Any = base.fresh()
            db.patch(data, where="here")
            db.device.inner.price.append("two")
            db.orders["O1"].items[0]["sku"] = "b"
        assert db.device.inner.price == ["one", "two"]
        assert data["device"]["inner"]["price"] == ["one"]
        assert base.fresh().state()["orders"]["O1"]["items"] == [{"sku": "a", "price": 5}]

    def test_a_list_table_is_replaced(self, db: Any) -> None:
        db.patch({"plans": [{"plan_id": "P2", "price": 1}, {"plan_id": "P3"}]}, where="here")
        assert db.state()["plans"] == [{"plan_id": "P2", "price": 1}, {"plan_id": "P3", "price": 0}]

    def test_a_record_merges_deeply(self, db: Any) -> None:
        db.patch({"device": {"inner": {"price": 4}}}, where="here")
        assert db.state()["device"] == {"on": True, "inner": {"plan_id": "P0", "price": 4}}

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"order": {}}, "here: the database has no 'order'; it has orders, plans, device"),
            ({"orders": []}, "here: 'orders' must be an object of records by key"),
            ({"orders": {"O1": {"statsu": "x"}}}, r"here: orders\['O1'\]: statsu: Extra inputs are not permitted"),
            ({"plans": [{}]}, r"here: plans\[0\] has no 'plan_id'"),
            ({"device": {"on": "maybe"}}, "here: device: on: Input should be a valid boolean"),
        ],
    )
    def test_what_does_not_fit(self, db: Any, data: dict[str, Any], sentence: str) -> None:
        with pytest.raises(DomainError, match=sentence):
            db.patch(data, where="here")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ([], r"db\.json: must be a JSON object with the keys orders, plans, device"),
        ({**RAW, "order": {}}, "unknown key 'order'; ShopDB has orders, plans, device"),
        ({"orders": {}}, "'plans' is missing; write an empty one"),
        ({**RAW, "orders": []}, "'orders' must be an object of records by key"),
        ({**RAW, "plans": {}}, "'plans' must be a list of records with the field 'plan_id'"),
        ({**RAW, "plans": [{"plan_id": 1}]}, r"plans\[0\] has no 'plan_id'"),
        ({**RAW, "plans": [{"plan_id": "P"}, {"plan_id": "P"}]}, r"plans\[1\] has the same 'plan_id'"),
    ],
)
def test_a_file_that_is_no_such_database(raw: Any, sentence: str) -> None:
    with pytest.raises(DomainError, match=sentence):
        DatabaseBase(ShopDB, raw, where="db.json")


def test_an_annotation_that_cannot_be_resolved() -> None:
    unresolved = type("BadDB", (Database,), {"__annotations__": {"x": "Table[Nope]"}, "__module__": __name__})
    with pytest.raises(DomainError, match="BadDB has an annotation that cannot be resolved: name 'Nope'"):
        DatabaseBase(unresolved, {}, where="db.json")
