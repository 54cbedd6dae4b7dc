"""A database on SQLite, for data that is too large for JSON or is in SQL already.

    class ShopTools(Toolkit):
        db: SqlDatabase                                    # the file db.sqlite in the domain's folder

        @tool(writes=True)
        def close(self, ticket_id: int) -> dict[str, Any]:
            '''Close a ticket. …'''
            self.sql("UPDATE ticket SET status = 'closed' WHERE id = ?", ticket_id)
            return self.sql("SELECT * FROM ticket WHERE id = ?", ticket_id)[0]

How it works. The file is opened read-only and never changes. Each world has a connection of its own to an empty
database in memory, with the file attached: a name that the memory does not know is found in the file. So a fresh world
costs the same whatever the file's size, and reads are as fast as ever.

Only a table that is written to gets a layer, when that first happens. Its changed and new rows go into a table in
memory, the keys of the rows that are gone or changed into another, and a temporary view of the table's name shows the
file's rows without those keys, then the others. Triggers on the view put what a statement writes where it belongs. An
authorizer tells which table a statement means to write: it refuses the statement, the layer is made, and the statement
runs again. A row of the file is taken into the layer before it is written to, so that the layer's constraints decide
of conflicts, and ``OR IGNORE`` and ``OR REPLACE`` mean what they always do.

Grading looks at the layers alone: the rows that differ are those in them. What a view cannot do, tools cannot: upserts
(``ON CONFLICT``), ``RETURNING``, ``rowid``, and to ask how many rows a statement changed; a NULL in an INSERT cannot be
told from a column that is left out, so that it takes the default; of the file's constraints only the primary keys, NOT
NULL and the types of STRICT tables hold, and its triggers do not run.
"""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..errors import DomainError
from ..schema.values import JSON, canonical
from .database import Database, DatabaseBase
from .delta import ABSENT, Delta
from .sql_tables import GONE, NEW, SqlTable, empty_key, is_numbered, quote, read_table, statements_of_layer

_WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# They tell of statements that write to a table; here all write to a view.
_OF_THE_LAST_WRITE = {"last_insert_rowid", "changes", "total_changes"}
# Without a time, or with its format alone, these functions tell that of the clock.
_TOLD = r"\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|\bstrftime\s*\(\s*'[^']*'\s*\)"
_CLOCK = re.compile(rf"\bcurrent_(?:time|date|timestamp)\b|'now'|{_TOLD}", re.IGNORECASE)
_CHANCE = re.compile(r"\brandom(?:blob)?\s*\(", re.IGNORECASE)
# A statement ends after so many looks at it, each after so many of SQLite's own instructions: some ten seconds.
_LOOK, _MOST_WORK = 1_000_000, 500


class SqlBase(DatabaseBase):
    """An SQLite file that fresh databases are made over.

    Args:
        schema: SqlDatabase, or a subclass.
        path: the file.

    Raises:
        DomainError: it cannot be read.
    """

    def __init__(self, schema: type[Database], path: Path) -> None:
        self.schema = schema
        self.path = path
        self.tables = {}  # of records in memory there are none
        self.plain_tables = []
        if not path.is_file():
            raise DomainError(f"{path}: the database is not there")
        real = path.resolve()
        log = real.with_name(f"{real.name}-wal")
        if log.is_file() and log.stat().st_size:  # which an unchanging file is read without
            why = "the last changes may lie there alone: close the program that writes them"
            raise DomainError(f"{log}: {why}, or let it run PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            with closing(self.connect()) as connection:
                names = connection.execute("SELECT name FROM base.sqlite_master WHERE type = 'table'").fetchall()
                found = [read_table(connection, name) for (name,) in names if not name.startswith("sqlite_")]
                views = "SELECT sql FROM base.sqlite_master WHERE type = 'view' ORDER BY rowid"
                self.views = [sql for (sql,) in connection.execute(views)]
        except sqlite3.Error as error:
            raise DomainError(f"{path}: the database cannot be read: {error}") from None
        self.found = {table.name: table for table in found}

    def connect(self) -> sqlite3.Connection:
        """An empty database in memory with the file attached as ``base``."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, uri=True)
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # SQLite does not look what it holds
        name = str(self.path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        try:
            connection.execute("ATTACH ? AS base", (f"file:{name}?mode=ro&immutable=1",))
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def record(self, table: str, key: str) -> JSON:
        """A row of the file by its key; ABSENT where there is none."""
        return self.row(table, *self.found[table].matching(key))

    def row(self, table: str, where: str, values: Sequence[Any]) -> JSON:
        """The first row of the file on which a condition holds; ABSENT where it holds on none."""
        with closing(self.connect()) as connection:
            rows = _rows(connection.execute(f"SELECT * FROM base.{quote(table)} WHERE {where}", values))
        return rows[0] if rows else ABSENT

    def has_empty_keys(self, name: str) -> bool:
        """Whether rows of a table have NULL in their key, as SQLite lets them; looked up once."""
        if name not in self._empty_keys:
            table = self.found[name]
            open_ = [column for column in table.columns if column.name in table.key and not column.required]
            where = " OR ".join(f"{quote(one.name)} IS NULL" for one in open_ if not is_numbered(table, one))
            self._empty_keys[name] = bool(where) and self.row(name, where, ()) is not ABSENT
        return self._empty_keys[name]

    @cached_property
    def _empty_keys(self) -> dict[str, bool]:
        return {}

    def problems(self) -> Iterator[str]:
        """A sentence for each table that tools could not write to."""
        for table in self.found.values():
            if not table.key:
                yield f"{self.path}: the table '{table.name}' has no primary key, so tools can only read it"
            elif self.has_empty_keys(table.name):
                yield f"{self.path}: {empty_key(table)}"
            for name in table.computed:
                what = f"the column '{name}' of '{table.name}' is computed, so tools can only read the table"
                yield f"{self.path}: {what}: compute it in a view of the file, or in the tools"
            for column in table.columns:
                for origin, found, instead in (("the clock", _CLOCK, "a time"), ("chance", _CHANCE, "a value")):
                    if found.search(column.default or ""):
                        what = f"the column '{column.name}' of '{table.name}' takes its value from {origin}"
                        yield f"{self.path}: {what}, so that equal trials end differently: let the tool write {instead}"

    @cached_property
    def owners(self) -> dict[str, str]:
        """Nobody's: whose a row is, the file does not say."""
        return {}


class SqlDatabase(Database):
    """A world over an SQLite file; tools reach it by ``self.sql``."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # it has no tables that could be replaced

    def __init__(self, base: DatabaseBase) -> None:
        if not isinstance(base, SqlBase):
            raise DomainError("a SqlDatabase is made over an SQLite file, db.sqlite in the domain's folder")
        self.tables = {}
        self._base = base
        self._layers: dict[str, SqlTable] = {}
        self._wanted: set[str] = set()
        self._asked = ""
        self._worked = 0
        self._free = False

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = self._base.connect()
        world = weakref.proxy(self)  # no circle: the connection is closed as soon as nobody has the world any more
        connection.set_authorizer(lambda *asked: world._authorize(*asked))
        connection.set_progress_handler(lambda: world._goes_on(), _LOOK)
        return connection

    def _goes_on(self) -> bool:
        """Whether a statement is to be ended; counted in steps of SQLite, so that it comes out the same everywhere."""
        self._worked += 1
        return self._worked > _MOST_WORK

    def __del__(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()

    def sql(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Run one statement.

        Args:
            statement: SQL; values of tools' arguments stand in it as ``?``, never as text.
            values: what the ``?`` stand for.

        Returns:
            The rows, as dicts by column; none of a statement that writes.

        Raises:
            ValueError: SQLite refuses it; its text reaches the model, as with any tool.
        """
        for _ in range(1 + len(self._base.found)):
            self._worked = 0
            try:
                return _rows(self._connection.execute(statement, values))
            except OverflowError as error:  # of a whole number that no column holds
                raise ValueError(str(error)) from None
            except sqlite3.Error as error:
                wanted, self._wanted = self._wanted, set()
                asked, self._asked = self._asked, ""
                if asked:
                    why = "a world's tables are views: SELECT the row by what was written to it"
                    raise ValueError(f"{asked} is not known here, where {why}") from None
                if self._worked > _MOST_WORK:
                    raise ValueError("the statement takes too long and was ended") from None
                if not wanted or wanted & self._layers.keys():  # the file's own tables by name: "base.t"
                    raise ValueError(str(error).replace(NEW, "")) from None
                for name in sorted(wanted):
                    self._cover(name)
        raise ValueError(f"too many tables in one statement: {statement[:100]}")

    def _authorize(self, action: int, first: str | None, second: str | None, where: str | None, by: str | None) -> int:
        """What a statement may do: read anything, write tables that have a layer."""
        if action == sqlite3.SQLITE_FUNCTION and second in _OF_THE_LAST_WRITE:
            self._asked = f"{second}()"
            return sqlite3.SQLITE_DENY
        if self._free:
            return sqlite3.SQLITE_OK
        table = self._layers.get(first or "") if action == sqlite3.SQLITE_READ and where == "temp" else None
        if table is not None and second == "ROWID" and all(column.name != second for column in table.columns):
            self._asked = "rowid"  # which is NULL in every row of a view
            return sqlite3.SQLITE_DENY
        if action in _READS:
            return sqlite3.SQLITE_OK
        if action in _WRITES and where == "base" and first in self._base.found:
            self._wanted.add(first)
        elif action in _WRITES and where != "base":
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _cover(self, name: str) -> None:
        """Give a table its layer."""
        table = self._base.found[name]
        if not table.key:
            raise DomainError(
                f"{self._base.path}: the table '{name}' has no primary key, and without one grading cannot tell its "
                "rows apart: give it one"
            )
        if self._base.has_empty_keys(name):
            raise DomainError(f"{self._base.path}: {empty_key(table)}")
        if table.computed:
            raise DomainError(
                f"{self._base.path}: the column '{table.computed[0]}' of '{name}' is computed, which it would not be "
                "in the rows that a world writes: compute it in a view of the file, or in the tools"
            )
        self._layers[name] = table
        with self._freely() as connection:
            for statement in statements_of_layer(table):
                connection.execute(statement)
            for view in self._base.views:  # over the file's tables they would not see the layers
                text = re.sub(r"(?is)^\s*create\s+(temp(orary)?\s+)?view\s+(if\s+not\s+exists\s+)?", "", view)
                with suppress(sqlite3.OperationalError):  # it is there already
                    connection.execute(f"CREATE TEMP VIEW {text}")

    @contextmanager
    def _freely(self) -> Iterator[sqlite3.Connection]:
        self._free = True
        try:
            yield self._connection
        finally:
            self._free = False

    def _layer_of(self, table: SqlTable) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The rows of the file that a layer hides, and its own."""
        columns = ", ".join(f"base.{quote(table.name)}.{quote(column.name)}" for column in table.columns)
        # A cross join goes through the left table first, whatever SQLite thinks of the sizes.
        hidden = f"main.{quote(GONE + table.name)} CROSS JOIN base.{quote(table.name)} ON {table.is_hidden}"
        with self._freely() as connection:
            before = _rows(connection.execute(f"SELECT {columns} FROM {hidden}"))
            return before, _rows(connection.execute(f"SELECT * FROM main.{quote(NEW + table.name)}"))

    def delta(self) -> Delta:
        """The rows that differ from the file."""
        found: dict[str, dict[str, JSON]] = {}
        for name, table in self._layers.items():
            before, now = ({table.values_of(row): row for row in rows} for rows in self._layer_of(table))
            changed: dict[str, JSON] = {}
            for key, row in table.by_key([*before.values(), *now.values()]).items():
                was, is_ = (rows.get(table.values_of(row), ABSENT) for rows in (before, now))
                if was is ABSENT or is_ is ABSENT or canonical(was) != canonical(is_):
                    changed[key] = is_
            if changed:
                found[name] = changed
        return Delta(found)

    def state(self) -> dict[str, JSON]:
        """All rows of all tables by key, which a large file has too many of."""
        state: dict[str, JSON] = {}
        for name, table in self._base.found.items():
            rows = self.sql(f"SELECT * FROM {quote(name)}")
            state[name] = {**table.by_key(rows)} if table.key else rows
        return state

    def copy(self) -> SqlDatabase:
        """A world in the same state that goes its own way from here."""
        twin = type(self)(self._base)
        for name, table in self._layers.items():
            twin._cover(name)
            with self._freely() as mine, twin._freely() as theirs:
                for prefix in (NEW, GONE):
                    rows = mine.execute(f"SELECT * FROM main.{quote(prefix + table.name)}").fetchall()
                    if rows:
                        marks = ", ".join("?" * len(rows[0]))
                        theirs.executemany(f"INSERT INTO main.{quote(prefix + name)} VALUES ({marks})", rows)
        return twin

    def patch(self, data: Mapping[str, JSON], *, where: str) -> None:
        """Set fields of rows by table and key, or add rows; raises DomainError."""
        for name, records in data.items():
            table = self._base.found.get(name)
            if table is None or not isinstance(records, Mapping):
                raise DomainError(f"{where}: the database has no table '{name}'; it has {', '.join(self._base.found)}")
            for key, fields in records.items():
                try:
                    self._set(table, str(key), fields)
                except (ValueError, TypeError, AttributeError) as error:
                    raise DomainError(f"{where}: {name}[{key!r}]: {error}") from None

    def _set(self, table: SqlTable, key: str, fields: Mapping[str, Any]) -> None:
        where, values = table.matching(key)
        before = next(iter(self.sql(f"SELECT * FROM {quote(table.name)} WHERE {where}", *values)), {})
        parts = dict(zip(table.key, table.parts_of(key) or (), strict=False))
        row = {**(before or parts), **fields}
        if not row.keys() >= set(table.key):
            raise ValueError(f"a new row needs {' and '.join(table.key)}")
        meant = table.key_of(before or parts) if before or parts else key
        if (own := table.key_of(row)) != meant:
            raise ValueError(f"its {' and '.join(table.key)} would be {own}; give it under that key")
        if not before:
            names = ", ".join(map(quote, row))
            marks = ", ".join("?" * len(row))
            self.sql(f"INSERT INTO {quote(table.name)} ({names}) VALUES ({marks})", *row.values())
        # Of a row that is there the other columns stay; a new one took its default where NULL was given.
        changed = {name: value for name, value in fields.items() if name not in table.key}
        sets = ", ".join(f"{quote(name)} = ?" for name in changed)
        if sets:
            statement = f"UPDATE {quote(table.name)} SET {sets} WHERE {table.has_key}"
            self.sql(statement, *changed.values(), *table.values_of(before or row))


def _rows(cursor: sqlite3.Cursor) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description or ()]
    return [{name: _value(value) for name, value in zip(names, row, strict=True)} for row in cursor.fetchall()]


def _value(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
