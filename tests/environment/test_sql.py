"""Worlds over an SQLite file: each goes its own way, the file never changes, and the rows that differ are known."""

from __future__ import annotations

import hashlib
import sqlite3
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.environment import sql
from pytest_tau.environment.delta import ABSENT
from pytest_tau.environment.sql import SqlBase, SqlDatabase
from pytest_tau.errors import DomainError
from pytest_tau.schema.values import canonical
from tests.environment.town import SCHEMA, made_of, people, town_in, world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return town_in(tmp_path)


@pytest.fixture
def base(folder: Path) -> SqlBase:
    return SqlBase(SqlDatabase, folder / "db.sqlite")


class TestStatements:
    def test_worlds_go_their_own_ways_and_the_file_stays(self, base: SqlBase) -> None:
        before = hashlib.sha256(base.path.read_bytes()).digest()
        one, other = world(base), world(base)
        one.sql("UPDATE person SET name = upper(name) WHERE id < ?", 3)
        other.sql("DELETE FROM person WHERE id = 1")
        assert (people(one), people(other), people(world(base))) == (
            {1: "ADA", 2: "BO", 5: "Cy"}, {2: "Bo", 5: "Cy"}, {1: "Ada", 2: "Bo", 5: "Cy"},
        )  # fmt: skip
        assert hashlib.sha256(base.path.read_bytes()).digest() == before

    def test_a_world_that_nobody_has_any_more_is_closed_at_once(self, base: SqlBase) -> None:
        db = world(base)
        connection = db._connection
        assert people(db)
        gone = weakref.ref(db)
        del db
        assert gone() is None, "it lives in a circle until the garbage collector comes"
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")

    def test_a_new_row_has_the_next_number_and_the_defaults(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("INSERT INTO person (name) VALUES (?)", "Di")
        db.sql("INSERT INTO person (name, town) VALUES ('Eli', 'Kivik')")
        assert db.sql("SELECT * FROM person WHERE id > 5 ORDER BY id") == [
            {"id": 6, "name": "Di", "town": "Lund", "photo": None},
            {"id": 7, "name": "Eli", "town": "Kivik", "photo": None},
        ]

    @pytest.mark.parametrize("function", ["last_insert_rowid", "changes", "total_changes"])
    def test_what_a_view_cannot_tell_of_the_last_write_is_refused(self, base: SqlBase, function: str) -> None:
        db = world(base)
        db.sql("INSERT INTO person (name) VALUES ('Di')")
        with pytest.raises(
            ValueError, match=rf"{function}\(\) is not known here, .*: SELECT the row by what was written"
        ):
            db.sql(f"SELECT {function}()")
        assert db.sql("SELECT id FROM person WHERE name = 'Di'") == [{"id": 6}]

    def test_a_row_is_not_found_by_the_number_that_a_view_has_not(self, base: SqlBase) -> None:
        db = world(base)
        for statement in ("DELETE FROM person WHERE rowid = 1", "SELECT _rowid_ FROM person"):
            with pytest.raises(ValueError, match=r"rowid is not known here, where .*: SELECT the row by"):
                db.sql(statement)
        assert people(db) == {1: "Ada", 2: "Bo", 5: "Cy"}

    def test_a_strict_table_keeps_the_types_of_its_values(self, tmp_path: Path) -> None:
        row = "INSERT INTO t VALUES (1, '007', 1)"
        db = made_of(f"CREATE TABLE t (id INTEGER PRIMARY KEY, code ANY, n INTEGER) STRICT; {row}", tmp_path)
        db.sql("UPDATE t SET n = 2")
        assert db.sql("SELECT * FROM t") == [{"id": 1, "code": "007", "n": 2}]
        with pytest.raises(ValueError, match=r"cannot store TEXT value in INTEGER column t\.n"):
            db.sql("UPDATE t SET n = 'two'")

    def test_joins_views_and_statements_over_tables_with_layers(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("DELETE FROM visit WHERE person = 2")
        db.sql("INSERT INTO visit SELECT id, '2026-05-01', name FROM person WHERE town = 'Ystad'")
        joined = "SELECT name, day FROM person JOIN visit ON person.id = visit.person WHERE name = 'Bo'"
        assert db.sql(joined) == [{"name": "Bo", "day": "2026-05-01"}]
        db.sql("UPDATE person SET town = 'Ystad'")
        assert db.sql("SELECT * FROM townsfolk") == [{"town": "Ystad", "people": 3}]
        db.sql("DELETE FROM visit")
        assert db.sql("SELECT COUNT(*) AS left FROM visit") == [{"left": 0}]

    def test_names_that_need_quotes(self, base: SqlBase) -> None:
        db = world(base)
        db.sql('UPDATE "odd ""name" SET "select" = 2.5 WHERE "a b" = ?', "x")
        assert db.delta().records == {'odd "name': {"x": {"a b": "x", "select": 2.5}}}

    def test_bytes_are_shown_as_hex(self, base: SqlBase) -> None:
        assert world(base).sql("SELECT photo FROM person WHERE id = 1") == [{"photo": "0aff"}]

    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("INSERT INTO person (id, name) VALUES (1, 'again')", "UNIQUE constraint failed: person"),
            ("UPDATE person SET id = 2 WHERE id = 1", "UNIQUE constraint failed: person"),
            ("INSERT INTO person (id) VALUES (9)", "NOT NULL constraint failed: person.name"),
            ("SELECT * FROM nowhere", "no such table: nowhere"),
            ("SELEC 1", 'near "SELEC": syntax error'),
            ("DROP TABLE person", "not authorized"),
            ("ATTACH ':memory:' AS other", "not authorized"),
            ("PRAGMA base.writable_schema = 1", "not authorized"),
            ("CREATE TABLE mine (x)", "not authorized"),
            ("SELECT load_extension('x')", "not authorized"),
        ],
    )
    def test_what_is_refused(self, base: SqlBase, statement: str, problem: str) -> None:
        db = world(base)
        with pytest.raises(ValueError, match=problem):
            db.sql(statement)
        assert people(db) == {1: "Ada", 2: "Bo", 5: "Cy"}

    @pytest.mark.parametrize("word", ["ABORT", "FAIL", "IGNORE", "REPLACE"])
    @pytest.mark.parametrize(
        "statement",
        [
            "INSERT OR {} INTO person (id, name, town) VALUES (7, 'Gi', 'Kivik'), (1, 'Eve', 'Ystad')",
            "INSERT OR {} INTO person (id, name) VALUES (7, NULL)",
            "UPDATE OR {} person SET name = NULL WHERE id = 1",
            "UPDATE OR {} person SET name = 'Eve' WHERE id = 1",
            "UPDATE OR {} person SET id = 2 WHERE id = 1",
            "UPDATE OR {} visit SET day = '2026-01-03' WHERE day < '2026-01-03' AND person = 1",
        ],
    )
    def test_a_conflict_is_solved_as_the_statement_says(self, base: SqlBase, statement: str, word: str) -> None:
        asked = statement.format(word)
        tables = ("SELECT id, name, town FROM person ORDER BY id", "SELECT * FROM visit ORDER BY person, day")
        with closing(sqlite3.connect(":memory:")) as plain:
            plain.executescript(SCHEMA)
            db = world(base)
            for _ in range(2):  # of rows of the file, then of rows of the layer
                assert _fails(lambda: plain.execute(asked)) == _fails(lambda: db.sql(asked))
                for table in tables:
                    assert [tuple(row.values()) for row in db.sql(table)] == plain.execute(table).fetchall()

    def test_keys_that_the_file_takes_for_one_are_one(self, tmp_path: Path) -> None:
        code = "CREATE TABLE code (text TEXT PRIMARY KEY COLLATE NOCASE, n INTEGER); INSERT INTO code VALUES ('a', 1)"
        db = made_of(code, tmp_path)
        with pytest.raises(ValueError, match=r"UNIQUE constraint failed: code\.text"):
            db.sql("INSERT INTO code VALUES ('A', 2)")
        db.sql("REPLACE INTO code VALUES ('A', 2)")
        assert db.sql("SELECT * FROM code WHERE text = 'a'") == [{"text": "A", "n": 2}]

    def test_a_table_without_a_key_can_only_be_read(self, base: SqlBase) -> None:
        db = world(base)
        assert db.sql("SELECT * FROM log") == [{"line": "begun"}]
        with pytest.raises(DomainError, match="the table 'log' has no primary key"):
            db.sql("INSERT INTO log VALUES ('more')")
        assert [problem for problem in base.problems() if "'log' has no primary key" in problem]


class TestDifferences:
    def test_only_rows_that_differ_in_the_end(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("UPDATE person SET name = 'Eve' WHERE id = 1")
        db.sql("UPDATE person SET name = 'Ada' WHERE id = 1")
        db.sql("DELETE FROM person WHERE id = 2")
        db.sql("INSERT INTO person (id, name, town) VALUES (2, 'Bo', 'Ystad')")
        assert db.delta().records == {}
        db.sql("DELETE FROM visit WHERE day = '2026-01-02' AND person = 1")
        assert db.delta().records == {"visit": {"1-2026-01-02": ABSENT}}

    def test_the_changed_key_is_another_row(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("UPDATE person SET id = 8 WHERE id = 5")
        gone = {"id": 8, "name": "Cy", "town": None, "photo": None}
        assert db.delta().records == {"person": {"5": ABSENT, "8": gone}}

    def test_keys_of_bytes(self, tmp_path: Path) -> None:
        rows = "INSERT INTO t VALUES (x'01', 'a'), (x'02', 'b')"
        db = made_of(f"CREATE TABLE t (id BLOB PRIMARY KEY, v); {rows}", tmp_path)
        db.sql("UPDATE t SET v = 'c'")
        db.sql("UPDATE t SET v = 'a' WHERE id = x'01'")
        db.sql("DELETE FROM t WHERE id = x'02'")
        assert db.delta().records == {"t": {"02": ABSENT}}

    @pytest.mark.parametrize("name", ["hidden", "base", "main", "new", "old"])
    def test_tables_with_names_of_ours(self, tmp_path: Path, name: str) -> None:
        db = made_of(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, n)", tmp_path)
        db.patch({name: {"1": {"n": 3}}}, where="here")
        assert db.delta().records == {name: {"1": {"id": 1, "n": 3}}}

    def test_text_that_is_not_in_utf_8(self, tmp_path: Path) -> None:
        latin = "INSERT INTO t VALUES (1, CAST(x'46fc72' AS TEXT), 1)"
        db = made_of(f"CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n); {latin}", tmp_path)
        db.sql("UPDATE t SET n = 2")
        assert db.delta().records == {"t": {"1": {"id": 1, "v": "F\ufffdr", "n": 2}}}
        assert db.sql("SELECT hex(v) AS v FROM t") == [{"v": "46FC72"}]

    def test_a_copy_goes_its_own_way(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("DELETE FROM person WHERE id = 1")
        twin = db.copy()
        db.sql("DELETE FROM person WHERE id = 2")
        twin.sql("INSERT INTO person (name) VALUES ('Di')")
        assert (people(db), people(twin)) == ({5: "Cy"}, {2: "Bo", 5: "Cy", 6: "Di"})

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["put", "put over", "put aside", "set", "drop", "drop all"]),
                st.integers(1, 8),
                st.sampled_from(["Lund", "Ystad"]),
            ),
            max_size=12,
        )
    )
    def test_a_layer_behaves_like_the_table_itself(self, steps: list[tuple[str, int, str]]) -> None:
        with closing(sqlite3.connect(":memory:")) as plain:
            plain.executescript(SCHEMA)
            db = world(_SHARED)
            for step, number, town in steps:
                statement, values = {
                    "put": ("INSERT INTO person (id, name, town) VALUES (?, 'Z', ?)", (number, town)),
                    "put over": ("REPLACE INTO person (id, name, town) VALUES (?, 'Y', ?)", (number, town)),
                    "put aside": ("INSERT OR IGNORE INTO person (id, name, town) VALUES (?, 'X', ?)", (number, town)),
                    "set": ("UPDATE person SET town = ? WHERE id >= ?", (town, number)),
                    "drop": ("DELETE FROM person WHERE id = ?", (number,)),
                    "drop all": ("DELETE FROM person WHERE town = ?", (town,)),
                }[step]
                failed = [_fails(lambda: plain.execute(statement, values)), _fails(lambda: db.sql(statement, *values))]  # noqa: B023
                assert failed[0] == failed[1]
            rows = plain.execute("SELECT id, name, town FROM person ORDER BY id").fetchall()
            assert [tuple(row.values()) for row in db.sql("SELECT id, name, town FROM person ORDER BY id")] == rows
            before = {str(row["id"]): row for row in world(_SHARED).sql("SELECT * FROM person")}
            after = {str(row["id"]): row for row in db.sql("SELECT * FROM person")}
            differs = {
                key: after.get(key, ABSENT)
                for key in {*before, *after}
                if key not in before or key not in after or canonical(before[key]) != canonical(after[key])
            }
            assert db.delta().records.get("person", {}) == differs


def _fails(run: Any) -> bool:
    try:
        run()
    except (sqlite3.Error, ValueError):
        return True
    return False


@pytest.fixture(scope="module", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    global _SHARED
    path = tmp_path_factory.mktemp("sql") / "db.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(SCHEMA)
    _SHARED = SqlBase(SqlDatabase, path)


_SHARED: SqlBase


class TestHostileArguments:
    """A model chooses what a ``?`` stands for, and in some domains the statement."""

    @pytest.mark.parametrize("value", [10**30, "\ud800", [1], {"a": 1}, object()])
    def test_a_value_that_no_column_holds_is_refused_as_any_bad_argument(self, base: SqlBase, value: object) -> None:
        with pytest.raises(ValueError, match=r"."):
            world(base).sql("SELECT * FROM person WHERE id = ?", value)

    @pytest.mark.parametrize(
        "statement",
        [
            "ATTACH '/tmp/x' AS other", "DETACH base", "PRAGMA writable_schema = 1", "VACUUM", "DROP TABLE base.person",
            "CREATE TABLE mine (a)", "SELECT load_extension('x')", "BEGIN", "SELECT 1; DROP TABLE person",
        ],
    )  # fmt: skip
    def test_a_statement_can_read_and_change_rows_and_nothing_else(self, base: SqlBase, statement: str) -> None:
        before = base.path.read_bytes()
        with pytest.raises(ValueError, match=r"."):
            world(base).sql(statement)
        assert base.path.read_bytes() == before

    def test_the_files_own_tables_are_not_written_to_by_their_full_name(self, base: SqlBase) -> None:
        db = world(base)
        db.sql("DELETE FROM person WHERE id = 1")
        with pytest.raises(ValueError, match="not authorized"):
            db.sql("DELETE FROM base.person")
        assert people(db) == {2: "Bo", 5: "Cy"}

    def test_one_that_never_ends_is_ended(self, base: SqlBase, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sql, "_LOOK", 1000)
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
        db = world(base)
        with pytest.raises(ValueError, match="takes too long and was ended"):
            db.sql(endless)
        assert people(db) == {1: "Ada", 2: "Bo", 5: "Cy"}


def test_a_column_of_that_name_is_no_rowid(tmp_path: Path) -> None:
    db = made_of("CREATE TABLE t (k TEXT PRIMARY KEY, ROWID TEXT); INSERT INTO t VALUES ('a', 'x');", tmp_path)
    db.sql("UPDATE t SET ROWID = 'y' WHERE rowid = 'x'")
    assert db.sql("SELECT * FROM t WHERE rowid = 'y'") == [{"k": "a", "ROWID": "y"}]
