"""A small shop: a table of objects by key, one that is a list, and a single record."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pytest_tau.environment.database import Database, DatabaseBase, Record
from pytest_tau.environment.delta import Change, Delta, compare
from pytest_tau.environment.table import Table
from pytest_tau.environment.table_base import listed_by


class Order(BaseModel):
    """An order, as an object by its key."""

    model_config = ConfigDict(extra="forbid")

    status: str = "open"
    items: list[dict[str, Any]] = []
    note: str | None = None


class Plan(BaseModel):
    """A plan, in a list; its price may be anything."""

    plan_id: str
    price: Any = 0


class Device(BaseModel):
    """The single record."""

    on: bool = False
    inner: Plan = Plan(plan_id="P0")


class ShopDB(Database):
    """All of them."""

    orders: Table[Order]
    plans: Table[Plan] = listed_by("plan_id")
    device: Record[Device]


RAW: dict[str, Any] = {
    "orders": {"O1": {"items": [{"sku": "a", "price": 5}]}, "O2": {"status": "done"}},
    "plans": [{"plan_id": "P1", "price": 25}, {"plan_id": "P2"}],
    "device": {"on": True},
}


def changes(base: DatabaseBase, db: Database) -> list[Change]:
    """What differs from the file."""
    return compare(base, Delta(), db.delta())
