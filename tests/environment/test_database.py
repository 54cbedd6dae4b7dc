"""A database: what it refuses to be made of, and how a task changes it."""

from typing import Any, cast

import pytest
from pydantic import AliasChoices, BaseModel, Field, computed_field

from pytest_tau.environment.database import Database, DatabaseBase
from pytest_tau.environment.delta import Delta
from pytest_tau.environment.table import Table
from pytest_tau.environment.table_base import listed_by, owned_by
from pytest_tau.errors import DomainError
from tests.environment.shop import RAW, Device, Order, ShopDB, changes


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

    def test_what_a_strict_model_computes_is_not_merged_into_it(self) -> None:
        class Box(BaseModel, extra="forbid"):
            width: int

            @computed_field
            def area(self) -> int:
                return self.width**2

        class BoxDB(Database):
            boxes: Table[Box]

        db = DatabaseBase(BoxDB, {"boxes": {"B": {"width": 2}}}, where="db.json").fresh()
        db.patch({"boxes": {"B": {"width": 3}}}, where="here")
        assert db.state() == {"boxes": {"B": {"width": 3, "area": 9}}}

    def test_a_list_table_is_replaced(self, db: Any) -> None:
        db.patch({"plans": [{"plan_id": "P2", "price": 1}, {"plan_id": "P3"}]}, where="here")
        assert db.state()["plans"] == [{"plan_id": "P2", "price": 1}, {"plan_id": "P3", "price": 0}]

    def test_its_records_then_stand_as_the_patch_has_them(self, db: Any) -> None:
        db.patch({"plans": [{"plan_id": "P3"}, {"plan_id": "P2"}, {"plan_id": "P1"}]}, where="here")
        assert [plan["plan_id"] for plan in db.state()["plans"]] == ["P3", "P2", "P1"]

    def test_a_list_that_says_what_is_there_changes_nothing(self, base: DatabaseBase, db: Any) -> None:
        db.patch({"plans": RAW["plans"]}, where="here")
        assert changes(base, db) == []
        assert db.delta() == base.fresh().delta()

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


def test_a_table_cannot_be_replaced(db: Any) -> None:
    """What a tool would then change, no grading would see."""
    with pytest.raises(DomainError, match="a tool replaced the table 'orders' of ShopDB"):
        db.orders = {}
    with pytest.raises(DomainError, match="a tool replaced 'more', which is no table of ShopDB"):
        db.more = {}
    db.device = Device(on=False)
    assert db.delta() != Delta()


def test_fields_that_no_model_reads() -> None:
    plans = [{"plan_id": "P1", "prize": 1}, {"plan_id": "P2", "prize": 2}]
    device = {"inner": {"plan_id": "P0", "color": "red"}}
    assert [*DatabaseBase(ShopDB, {"orders": {}, "plans": plans, "device": device}, where="db.json").problems()] == [
        "db.json: plans['P1']: nothing reads the field 'prize' (did you mean 'price'?) (and 1 more times)",
        "db.json: device: nothing reads the field 'inner.color'",
    ]


@pytest.mark.parametrize(
    ("orders", "found"),
    [
        ({"O1": {"order_id": "O1"}, "O2": {"order_id": "O7"}, "O3": {"order_id": "O3"}}, True),
        ({"1": {"order_id": "1"}, "2": {"order_id": "2"}, "3": {"order_id": "4"}}, False),
        ({"O1": {"order_id": "O1"}, "O2": {"order_id": "O2"}, "O3": {}}, False),
        ({"a": {"order_id": "a"}, "b": {"order_id": "a"}, "c": {"order_id": "a"}}, False),  # a field that means another
    ],
)
def test_keys_that_are_not_what_their_records_say(orders: dict[str, Any], found: bool) -> None:
    class Named(BaseModel):
        order_id: str | None = None

    class NamedDB(Database):
        orders: Table[Named]

    fault = "db.json: orders['O2']: order_id is 'O7', and in other records the key"
    assert [*DatabaseBase(NamedDB, {"orders": orders}, where="db.json").problems()] == [fault] * found


def test_tables_that_are_declared_otherwise() -> None:
    class Plain(Database):
        orders: dict[str, Order]

    with pytest.raises(DomainError, match=r"Plain: write orders: Table\[Model\], or Record\[Model\] for a single"):
        DatabaseBase(Plain, {"orders": {}}, where="db.json")


def test_tables_that_mean_nothing() -> None:
    class Keyed(Database):
        orders: Table[int, Order]  # type: ignore[type-arg]

    class Named(Database):
        state: Table[Order]  # type: ignore[assignment]

    class Seats(Database):
        tables: Table[Order]  # type: ignore[assignment]

    class Theirs(Database):
        orders: Table[Order] = owned_by("usr_id")

    class Listed(Database):
        orders: Table[Order] = owned_by("users.orders")

    for schema, sentence in (
        (Keyed, r"db\.json: Keyed: write orders: Table\[Model\]; the keys of records are text"),
        (Named, r"db\.json: Named: each Database has a 'state' of its own; name the table otherwise"),
        (Seats, r"db\.json: Seats: each Database has a 'tables' of its own; name the table otherwise"),
        (Theirs, r"db\.json: Theirs: orders is owned_by the field 'usr_id', which is not there"),
        (Listed, r"db\.json: Listed: orders is owned_by the table 'users', which is not there"),
    ):
        with pytest.raises(DomainError, match=sentence):
            DatabaseBase(schema, {"orders": {}}, where="db.json")


def test_a_record_is_written_as_it_is_read() -> None:
    class Named(BaseModel):
        zip: str = Field(alias="zipCode")
        town: str = "x"

    class Places(Database):
        places: Table[Named]

    db: Any = DatabaseBase(Places, {"places": {"P": {"zipCode": "1"}}}, where="db.json").fresh()
    db.patch({"places": {"P": {"town": "y"}}}, where="here")
    assert db.state() == {"places": {"P": {"zipCode": "1", "town": "y"}}}


def test_a_record_is_patched_by_the_keys_that_it_is_read_from() -> None:
    class Part(BaseModel):
        size: int = Field(validation_alias="partSize")

    class Person(BaseModel):
        name: str = Field(validation_alias=AliasChoices("fullName", "called"))
        town: str = Field("Lund", serialization_alias="livesIn")
        parts: list[Part]

    class People(Database):
        people: Table[Person]

    written = {"fullName": "Ada", "town": "Ystad", "parts": [{"partSize": 1}]}
    db = cast("Any", DatabaseBase(People, {"people": {"1": written}}, where="db.json").fresh())
    db.patch({"people": {"1": {"town": "Kivik"}}}, where="task.json")
    assert db.people["1"] == Person.model_validate({**written, "town": "Kivik"})
    for key in ("fullName", "called"):
        db.patch({"people": {"1": {key: key}}}, where="task.json")
        assert (db.people["1"].name, db.people["1"].town) == (key, "Kivik")


def test_a_set_is_the_same_in_whatever_order_it_was_filled() -> None:
    class Box(BaseModel):
        tags: set[int] = Field(default=set(), alias="Tags")
        inner: dict[str, list[frozenset[int]]] = {}

    class BoxDB(Database):
        boxes: Table[Box]

    base = DatabaseBase(BoxDB, {"boxes": {"B": {"Tags": [8, 0]}}}, where="db.json")
    one, other = (cast("Any", base.fresh()) for _ in range(2))
    for db, tags in ((one, [16, 32]), (other, [32, 16])):  # they come to lie in one place of the set
        db.boxes["B"].tags.update(tags)
        db.boxes["B"].inner["x"] = [frozenset(tags)]
    assert one.delta() == other.delta()
    assert [*one.boxes.where(Tags={32, 16, 8, 0})] == [*one.boxes.where(Tags={0, 8, 16, 32})] != []
    assert one.state()["boxes"]["B"] == {"Tags": [0, 16, 32, 8], "inner": {"x": [[16, 32]]}}
    one.boxes["B"].tags, one.boxes["B"].inner = {0, 8}, {}
    assert one.delta() == Delta()


def test_shared_records_that_a_tool_changed() -> None:
    base = DatabaseBase(ShopDB, RAW, where="db.json")
    base.fresh().orders.read("O1")  # type: ignore[attr-defined]
    assert [*base.altered()] == []
    base.fresh().orders.read("O2").status = "gone"  # type: ignore[attr-defined]
    (told,) = base.altered()
    assert told.startswith("a tool changed what orders.read('O2') gave it")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ([], r"db\.json: must be a JSON object with the keys orders, plans, device"),
        ({**RAW, "order": {}}, "unknown key 'order'; ShopDB has orders, plans, device"),
        ({"orders": {}}, "'plans' is missing; write an empty one"),
        ({**RAW, "orders": []}, "'orders' must be an object of records by key"),
        ({**RAW, "plans": {}}, "'plans' must be a list of records with the field 'plan_id'"),
        ({**RAW, "plans": [{"name": "x"}]}, r"plans\[0\] has no 'plan_id'"),
        ({**RAW, "plans": [{"plan_id": 1}]}, r"plans\[0\]: 'plan_id' is no text; keys are, so write quotes around it"),
        ({**RAW, "plans": [{"plan_id": [1]}]}, r"plans\[0\]: 'plan_id' is no text; keys are"),
        ({**RAW, "plans": [{"plan_id": "P"}, {"plan_id": "P"}]}, r"plans\[1\] has the same 'plan_id'"),
    ],
)
def test_a_file_that_is_no_such_database(raw: Any, sentence: str) -> None:
    with pytest.raises(DomainError, match=sentence):
        DatabaseBase(ShopDB, raw, where="db.json")


def test_an_annotation_that_cannot_be_resolved() -> None:
    unresolved = type("BadDB", (Database,), {"__annotations__": {"x": "Nope"}, "__module__": __name__})
    with pytest.raises(DomainError, match="BadDB has an annotation that cannot be resolved: name 'Nope'"):
        DatabaseBase(unresolved, {}, where="db.json")


class _Member(BaseModel):
    loan: Any = None


class _Loan(BaseModel):
    loan_id: str = ""
    who: Any = None


def _owned(owner: str, loans: Any, members: Any = None, *, listed: str | None = None) -> DatabaseBase:
    class Owned(Database):
        members: Table[_Member]
        loans: Table[_Loan] = listed_by(listed, owned_by=owner) if listed else owned_by(owner)

    return DatabaseBase(Owned, {"members": members or {}, "loans": loans}, where="db.json")


@pytest.mark.parametrize(
    ("owner", "loans", "members", "owners", "fault"),
    [
        ("who", {"L1": {"who": "M1"}, "L2": {}}, {}, {"L1": "M1", "M1": "M1"}, None),
        ("who", {"L1": {"who": 1}}, {}, {"L1": "1", "1": "1"}, None),
        ("who", {"L1": {"who": ["M1", "M2"]}}, {}, {}, "loans['L1']: who"),  # a record has one owner
        ("who", {"L1": 5}, {}, {}, None),  # which is said as a record that is none
        ("members.loan", {"L1": {}}, {"M1": {"loan": ["L1", "L2"]}, "M2": {}}, {"L1": "M1", "L2": "M1"}, None),
        ("members.loan", {"L1": {}}, {"M1": {"loan": {"L1": {"days": 3}}}}, {"L1": "M1"}, None),
        ("members.loan", {"L1": {}}, {"M1": {"loan": "L1"}}, {"L1": "M1"}, None),  # not L and 1
        ("members.loan", {"L1": {}}, {"M1": {"loan": [{"id": "L1"}]}}, {}, "members['M1']: loan"),
        ("members.loan", {"L1": {}}, {"M1": 5}, {}, None),
    ],
)
def test_whose_records_are(owner: str, loans: Any, members: Any, owners: dict[str, str], fault: str | None) -> None:
    base = _owned(owner, loans, members)
    assert base.owners == owners
    told = f"db.json: {fault}: 'loans' is owned_by this field, which holds no id; without one, nothing is private"
    assert [one for one in base.problems() if "owned_by" in one] == ([told] if fault else [])


def test_whose_records_of_a_patch_are() -> None:
    assert _owned("who", {}).owners_in({"loans": {"L9": {"who": 7}}}) == {"L9": "7", "7": "7"}
    listed = _owned("who", [], listed="loan_id")
    assert listed.owners_in({"loans": [{"loan_id": "L9", "who": "M1"}]}) == {"L9": "M1", "M1": "M1"}
    assert _owned("members.loan", {}).owners_in({"members": {"M1": {"loan": ["L9"]}}}) == {"L9": "M1"}


def test_what_the_fields_of_records_can_hold(base: DatabaseBase) -> None:
    known = base.texts_of_fields
    assert known["sku"] == {"a"}
    assert "price" not in known  # a number is no text
    long = DatabaseBase(ShopDB, {**RAW, "orders": {"O1": {"note": "n" * 41}}}, where="here")
    assert not any("n" * 41 in texts for texts in long.texts_of_fields.values())


def test_the_names_that_records_go_by() -> None:
    class Plan(BaseModel):
        name: str
        full_name: str | None = None
        note: str = ""

    class PlanDB(Database):
        plans: Table[Plan]

    raw = {"plans": {"P1": {"name": "Pocket", "note": "none"}, "P2": {"name": "Big", "full_name": "The Big One"}}}
    assert DatabaseBase(PlanDB, raw, where="db.json").names == dict.fromkeys(["Pocket", "Big", "The Big One"], "plans")
