"""The tables of a database on SQLite, and the statements that lay a world's layer over one of them.

A layer is a table of the new and changed rows, one of the keys that are hidden, a temporary view that shows the file's
rows and these as one, and triggers that put what is written where it belongs (sql.py says why).
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

NEW, GONE = "_tau_new_", "_tau_gone_"
_COMPUTED = {2, 3}  # what table_xinfo calls a column GENERATED ALWAYS, in the file or on the way out


@dataclass(frozen=True)
class SqlColumn:
    """A column of a table: its name and type, whether it is NOT NULL, its default as SQL, and how a key compares it."""

    name: str
    type: str
    required: bool
    default: str | None
    collation: str = "BINARY"


@dataclass(frozen=True)
class SqlTable:
    """A table of the file: its columns, those of its primary key, those that SQLite computes; whether it is STRICT."""

    name: str
    columns: tuple[SqlColumn, ...]
    key: tuple[str, ...]
    computed: tuple[str, ...]
    strict: bool = False

    def key_of(self, row: Mapping[str, Any]) -> str:
        """A row's key as one text."""
        return "-".join(str(row[name]) for name in self.key)

    def by_key(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
        """Rows by their keys, the last of each; those that are one text ("a-b", "c" and "a", "b-c") as JSON lists."""
        each = {self.values_of(row): row for row in rows}
        texts = Counter(map(self.key_of, each.values()))
        return {
            json.dumps([*map(str, values)]) if texts[self.key_of(row)] > 1 else self.key_of(row): row
            for values, row in each.items()
        }

    def values_of(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of a row's key."""
        return tuple(row[name] for name in self.key)

    @property
    def is_hidden(self) -> str:
        """The condition on a row of the file and one of the keys that are hidden."""
        table, gone = quote(self.name), quote(GONE + self.name)
        return " AND ".join(f"main.{gone}.{quote(key)} = base.{table}.{quote(key)}" for key in self.key)

    @property
    def has_key(self) -> str:
        """The condition on a row with the values of a key."""
        return " AND ".join(f"{quote(name)} = ?" for name in self.key)

    def parts_of(self, key: str) -> list[str] | None:
        """The values of the key's columns, as texts; None where a key could be several."""
        if len(self.key) == 1:
            return [key]
        with suppress(ValueError):
            if key.startswith("[") and isinstance(found := json.loads(key), list):
                return [*map(str, found)] if len(found) == len(self.key) else None
        parts = key.split("-")
        return parts if len(parts) == len(self.key) else None

    def matching(self, key: str) -> tuple[str, list[str]]:
        """The condition on a row with this key, and its values."""
        if (parts := self.parts_of(key)) is not None:  # so that an index is used
            return self.has_key, parts
        return " || '-' || ".join(f"CAST({quote(name)} AS TEXT)" for name in self.key) + " = ?", [key]


def empty_key(table: SqlTable) -> str:
    """What to say of a table with rows that nobody can name."""
    what = f"a row of '{table.name}' has NULL in its key ({', '.join(table.key)}), so tools can only read the table"
    return f"{what}: give each row a key of its own"


def read_table(connection: sqlite3.Connection, name: str) -> SqlTable:
    """A table as its file describes it."""
    info = connection.execute(f"PRAGMA base.table_xinfo({quote(name)})").fetchall()
    indexes = connection.execute(f"PRAGMA base.index_list({quote(name)})").fetchall()
    collations: dict[str, str] = {
        each: collation
        for _, index, _, origin, _ in indexes
        if origin == "pk"
        for _, _, each, _, collation, _ in connection.execute(f"PRAGMA base.index_xinfo({quote(index)})")
    }
    columns = tuple(
        SqlColumn(each, kind, bool(required), default, collations.get(each, "BINARY"))
        for _, each, kind, required, default, _, hidden in info
        if not hidden
    )
    key = tuple(each for _, each, *_, place, _ in sorted(info, key=lambda column: int(column[5])) if place)
    computed = tuple(each for _, each, *_, hidden in info if hidden in _COMPUTED)
    strict = any(last for *_, last in connection.execute(f"PRAGMA base.table_list({quote(name)})"))
    return SqlTable(name, columns, key, computed, strict)


def statements_of_layer(table: SqlTable) -> Sequence[str]:
    """The statements that lay a table's layer over it."""
    name, new, gone = quote(table.name), quote(NEW + table.name), quote(GONE + table.name)
    keys = ", ".join(map(quote, table.key))
    kinds = {column.name: f"{column.type} COLLATE {column.collation}" for column in table.columns}
    all_columns = ", ".join(quote(column.name) for column in table.columns)
    needed = {c.name for c in table.columns if c.required} | {*table.key}
    defined = ", ".join(
        f"{quote(c.name)} {kinds[c.name]}{' NOT NULL' if c.name in needed else ''}" for c in table.columns
    )
    key_columns = ", ".join(f"{quote(key)} {kinds[key]}" for key in table.key)
    strict = " STRICT" if table.strict else ""
    seen = f"NOT EXISTS (SELECT 1 FROM main.{gone} WHERE {table.is_hidden})"
    of_old = " AND ".join(f"{quote(key)} = OLD.{quote(key)}" for key in table.key)
    of_new = " AND ".join(f"{quote(key)} = NEW.{quote(key)}" for key in table.key)
    # SQLite hands a statement's OR IGNORE or OR REPLACE on to all that its triggers do, so that no conflict may arise
    # but in the last step of each.
    take_old, take_new = (
        f"INSERT INTO {new} SELECT {all_columns} FROM base.{name} WHERE {which} AND {seen}; "
        f"INSERT INTO {gone} SELECT {keys} FROM base.{name} WHERE {which} AND {seen};"
        for which in (of_old, of_new)
    )
    given = ", ".join(_column_value(table, column, name, new) for column in table.columns)
    changes = ", ".join(f"{quote(column.name)} = NEW.{quote(column.name)}" for column in table.columns)
    return (
        f"CREATE TABLE main.{new} ({defined}, PRIMARY KEY ({keys})){strict}",
        f"CREATE TABLE main.{gone} ({key_columns}, PRIMARY KEY ({keys})){strict}",
        f"CREATE TEMP VIEW {name} AS SELECT {all_columns} FROM base.{name} WHERE {seen} "
        f"UNION ALL SELECT {all_columns} FROM main.{new}",
        f"CREATE TEMP TRIGGER {quote('_tau_insert_' + table.name)} INSTEAD OF INSERT ON {name} BEGIN "
        f"{take_new} INSERT INTO {new} VALUES ({given}); END",
        f"CREATE TEMP TRIGGER {quote('_tau_update_' + table.name)} INSTEAD OF UPDATE ON {name} BEGIN "
        f"{take_old} {take_new} UPDATE {new} SET {changes} WHERE {of_old}; END",
        f"CREATE TEMP TRIGGER {quote('_tau_delete_' + table.name)} INSTEAD OF DELETE ON {name} BEGIN "
        f"{take_old} DELETE FROM {new} WHERE {of_old}; END",
    )


def is_numbered(table: SqlTable, column: SqlColumn) -> bool:
    """Whether SQLite gives the column the next number where it is left out; it holds no NULL then."""
    return table.key == (column.name,) and column.type.upper() == "INTEGER"


def _column_value(table: SqlTable, column: SqlColumn, name: str, new: str) -> str:
    """What a new row has in a column: what was given, else the next number of a key, or the column's default."""
    value, quoted = f"NEW.{quote(column.name)}", quote(column.name)
    if is_numbered(table, column):
        largest = f"SELECT MAX({quoted}) FROM"
        return f"COALESCE({value}, MAX(COALESCE(({largest} base.{name}), 0), COALESCE(({largest} {new}), 0)) + 1)"
    return value if column.default is None else f"COALESCE({value}, {column.default})"


def quote(name: str) -> str:
    """A name as SQL takes it, whatever its letters."""
    return '"' + name.replace('"', '""') + '"'
