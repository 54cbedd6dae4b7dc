"""Tables whose records stand beside a text."""

from typing import Any

import pytest

from pytest_tau.environment.database import Database, DatabaseBase
from pytest_tau.environment.table import Table
from pytest_tau.environment.table_base import with_notes
from pytest_tau.errors import DomainError


class BankDB(Database):
    cards: Table[dict[str, Any]] = with_notes()
    logs: Table[dict[str, Any]] = with_notes()


class TestTablesWithNotes:
    def test_records_stand_beside_a_text(self) -> None:
        base = DatabaseBase(BankDB, {"cards": {"data": {"C1": {"n": 1}}, "notes": "all", "x": 0}}, where="db.json")
        db: Any = base.fresh()
        db.logs["L1"] = {"of": "C1"}
        assert db.state() == {
            "cards": {"data": {"C1": {"n": 1}}, "notes": "all"},
            "logs": {"data": {"L1": {"of": "C1"}}, "notes": ""},
        }
        assert db.delta().records == {"logs": {"L1": {"of": "C1"}}}

    def test_a_patch_merges_records_and_replaces_the_text(self) -> None:
        db: Any = DatabaseBase(BankDB, {"cards": {"data": {"C1": {"n": 1, "m": {"a": 1}}}}}, where="db.json").fresh()
        db.patch({"cards": {"data": {"C1": {"m": {"b": 2}}, "C2": {}}}, "logs": {"notes": "new"}}, where="task")
        assert db.state() == {
            "cards": {"data": {"C1": {"n": 1, "m": {"a": 1, "b": 2}}, "C2": {}}, "notes": ""},
            "logs": {"data": {}, "notes": "new"},
        }

    @pytest.mark.parametrize("table", [[], {"notes": 1}, {"data": []}])
    def test_anything_else_is_refused(self, table: Any) -> None:
        with pytest.raises(DomainError, match="'cards' must be an object"):
            DatabaseBase(BankDB, {"cards": table}, where="db.json")

    def test_they_can_be_searched_with_their_keys(self) -> None:
        db: Any = DatabaseBase(BankDB, {"cards": {"data": {"C1": {"n": [1]}}}}, where="db.json").fresh()
        db.cards["C2"] = {"n": [2]}
        assert [(key, record["n"][0]) for key, record in db.cards.scan_items()] == [("C1", 1), ("C2", 2)]
        copied = next(db.cards.scan()).to_dict()
        copied["n"].append(3)
        assert db.cards["C1"] == {"n": [1]}
