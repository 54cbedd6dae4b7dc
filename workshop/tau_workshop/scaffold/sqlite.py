"""A domain from an SQLite file: its tables, keys and relations become the schema, its rows the database."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_tau.environment.database import Database
from pytest_tau.errors import SettingsError, reason

from .tables import change, children, look_up, wishes
from .world import Column, Method, SourceTable, SourceWorld, camel, distinct, singular, snake

MOST_ROWS = 5000


def world(name: str, file: Path) -> SourceWorld:
    """Read it.

    Raises:
        SettingsError: it is no SQLite database, or has no table with rows.
    """
    if not file.is_file():
        raise SettingsError(f"{file}: there is no such file")
    real = file.resolve()
    log = real.with_name(f"{real.name}-wal")
    # A program that has the file open may have rows in the log alone. Without one, SQLite is kept from making files.
    alone = "" if log.is_file() and log.stat().st_size else "&immutable=1"
    try:
        with closing(sqlite3.connect(f"{real.as_uri()}?mode=ro{alone}", uri=True)) as db:
            db.row_factory = sqlite3.Row
            tables, todo = _tables(db)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second of a table's name
        raise SettingsError(f"{file}: not an SQLite database that can be read: {reason(error)}") from None
    if not tables:
        raise SettingsError(f"{file}: it has no table with rows")
    methods: list[Method] = []
    for table in tables:
        methods += [look_up(table), *children(table, tables)]
        methods += [update] if (update := change(table)) else []
    found = wishes(tables, methods)
    todo += [] if found else ["write tasks: no table has a text that one could ask for"]
    todo += [
        "delete the tools that your agents do not have, and write those that do more than set fields",
        "write the rules of your agents into policy.md",
    ]
    return SourceWorld(name, "the records of this database", tuple(tables), tuple(methods), found, todo=tuple(todo))


def _tables(db: sqlite3.Connection) -> tuple[list[SourceTable], list[str]]:
    names = [
        row["name"]
        for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
        if not row["name"].startswith("sqlite_")
    ]
    taken = {"tables", *(name for name in dir(Database) if not name.startswith("_"))}
    attributes = {name: distinct(snake(name), taken) for name in names}
    models: set[str] = set()
    tables: list[SourceTable] = []
    todo: list[str] = []
    for name in names:
        model = distinct(camel(singular(snake(name))), models)
        table, said = _table(db, name, attributes, model)
        tables += [table] if table is not None else []
        todo += said
    return tables, todo


def _table(
    db: sqlite3.Connection, name: str, attributes: Mapping[str, str], model: str
) -> tuple[SourceTable | None, list[str]]:
    """The table, None where it has no row with a key; and what of it is not in the records, in sentences."""
    quoted = '"' + name.replace('"', '""') + '"'
    info = list(db.execute(f"PRAGMA table_info({quoted})"))  # a name cannot be bound; it is quoted
    rows = [dict(row) for row in db.execute(f"SELECT * FROM {quoted} LIMIT {MOST_ROWS + 1}")]  # noqa: S608
    infinite = [(row, column) for row in rows for column, value in row.items() if value in (math.inf, -math.inf)]
    for row, column in infinite:  # which no JSON can hold
        row[column] = None
    taken: set[str] = set()
    names = {column["name"]: distinct(snake(column["name"]), taken) for column in info}
    columns = {
        column["name"]: found
        for column in info
        if (found := _column(names[column["name"]], [row[column["name"]] for row in rows])) is not None
    }
    keys = [column["name"] for column in sorted(info, key=lambda column: column["pk"]) if column["pk"]]
    keys = keys or [column["name"] for column in info[:1]]
    if not all(key in columns for key in keys):
        return None, [f"{name} is left out: its key holds bytes, which db.json cannot hold"]
    records: dict[str, dict[str, Any]] = {}
    for row in rows[:MOST_ROWS]:
        if any(row[key] is None for key in keys):
            continue
        record = {found.name: _value(row[column], found.type) for column, found in columns.items()}
        records.setdefault("-".join(str(record[columns[key].name]) for key in keys), record)
    if not records:
        return None, [f"{name} is left out: it has no row with a key"]
    parents = {
        columns[row["from"]].name: attributes[row["table"]]
        for row in db.execute(f"PRAGMA foreign_key_list({quoted})")
        if row["from"] in columns and row["table"] in attributes
    }
    key = tuple(columns[column].name for column in keys)
    ordered = tuple(replace(column, optional=column.optional and column.name not in key) for column in columns.values())
    table = SourceTable(attributes[name], model, key, ordered, records, parents)
    total: int = db.execute(f"SELECT COUNT(*) FROM {quoted}").fetchone()[0]  # noqa: S608
    todo = [f"{name} has {total} rows: db.json has the first {MOST_ROWS}"] if total > MOST_ROWS else []
    if lost := min(total, MOST_ROWS) - len(records):
        todo.append(f"{name}: {lost} rows are not in db.json, because they have no key or that of another row")
    if infinite:
        todo.append(f"{name}: infinite numbers are null in db.json, which cannot hold them")
    if bare := [column["name"] for column in info if column["name"] not in columns]:
        todo.append(f"{name}: {', '.join(bare)} left out of schema.py and db.json, which cannot hold bytes")
    if computed := [column for column in (rows[0] if rows else ()) if column not in names]:
        todo.append(f"{name}: {', '.join(computed)} left out, which SQLite computes: compute it in the tools")
    return table, todo


def _column(name: str, values: list[Any]) -> Column | None:
    """The column by what stands in it: SQLite declares types and does not keep to them; None for bytes."""
    kinds = {type(value) for value in values if value is not None}
    if bytes in kinds:
        return None
    kind = "int" if kinds == {int} else "float" if kinds and kinds <= {int, float} else "str"
    return Column(name, kind, optional=None in values)


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    return float(value) if kind == "float" else value if kind == "int" else str(value)
