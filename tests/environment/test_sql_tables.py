"""A table of a SQLite file: what its columns and its keys are, and how rows are named by them."""

import sqlite3
from collections.abc import Iterator

import pytest

from pytest_tau.environment.sql_tables import SqlTable, read_table, statements_of_layer

MADE = """CREATE TABLE base."odd "" name" (
    town TEXT NOT NULL, number INTEGER DEFAULT 7, note TEXT, twice AS (number * 2), PRIMARY KEY (number, town))"""


@pytest.fixture
def table() -> Iterator[SqlTable]:
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ':memory:' AS base")
    connection.execute(MADE)
    yield read_table(connection, 'odd " name')
    connection.close()


def test_it_is_read_from_the_file(table: SqlTable) -> None:
    assert [(one.name, one.required, one.default) for one in table.columns] == [
        ("town", True, None),
        ("number", False, "7"),
        ("note", False, None),
    ]
    assert (table.key, table.computed) == (("number", "town"), ("twice",))


@pytest.mark.parametrize(
    ("key", "parts"),
    [("1-Ulm", ["1", "Ulm"]), ('["1", "Bad-Ems"]', ["1", "Bad-Ems"]), ("1-Bad-Ems", None), ("1", None)],
)
def test_a_key_is_taken_apart_where_it_is_clear(table: SqlTable, key: str, parts: list[str] | None) -> None:
    assert table.parts_of(key) == parts


def test_keys_that_would_be_one_text_are_lists(table: SqlTable) -> None:
    rows = [{"number": "1-2", "town": "3"}, {"number": "1", "town": "2-3"}, {"number": "4", "town": "Ulm"}]
    assert [*table.by_key(rows)] == ['["1-2", "3"]', '["1", "2-3"]', "4-Ulm"]


def test_its_layer_shows_the_file_and_takes_what_is_written(table: SqlTable) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("ATTACH ':memory:' AS base")
    connection.execute(MADE)
    connection.execute("""INSERT INTO base."odd "" name" VALUES ('Ulm', 1, 'old')""")
    for statement in statements_of_layer(table):
        connection.execute(statement)
    connection.execute("""UPDATE "odd "" name" SET note = 'new'""")
    connection.execute("""INSERT INTO "odd "" name" (town) VALUES ('Aue')""")
    shown = connection.execute('SELECT * FROM "odd "" name"').fetchall()
    kept = connection.execute('SELECT * FROM base."odd "" name"').fetchall()
    connection.close()
    assert (shown, kept) == ([("Ulm", 1, "new"), ("Aue", 7, None)], [("Ulm", 1, "old", 2)])
