"""Worlds over an SQLite file: each goes its own way, the file never changes, and the rows that differ are known."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import grade, load_domain, simulate
from pytest_tau.environment import sql
from pytest_tau.environment.delta import ABSENT, Change
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.sql import SqlBase, SqlDatabase
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.schema.values import canonical
from tests.builders import task

SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT DEFAULT 'Lund', photo BLOB);
CREATE TABLE visit (person INTEGER, day TEXT, note TEXT, PRIMARY KEY (person, day));
CREATE TABLE "odd ""name" ("a b" TEXT PRIMARY KEY, "select" REAL);
CREATE TABLE log (line TEXT);
CREATE VIEW townsfolk AS SELECT town, COUNT(*) AS people FROM person GROUP BY town;
INSERT INTO person VALUES (1, 'Ada', 'Lund', x'0aff'), (2, 'Bo', 'Ystad', NULL), (5, 'Cy', NULL, NULL);
INSERT INTO visit VALUES (1, '2026-01-02', 'tea'), (1, '2026-01-03', NULL), (2, '2026-01-02', 'rain');
INSERT INTO "odd ""name" VALUES ('x', 1.5);
INSERT INTO log VALUES ('begun');
"""
TOOLS = '''
from typing import Any
from pytest_tau.environment import SqlDatabase, Toolkit, tool


class TownTools(Toolkit):
    db: SqlDatabase

    @tool(reads=True)
    def find(self, name: str) -> list[dict[str, Any]]:
        """Find a person."""
        return self.sql("SELECT * FROM person WHERE name = ?", name)

    @tool(writes=True)
    def move(self, person: int, town: str) -> dict[str, Any]:
        """Move a person."""
        self.sql("UPDATE person SET town = ? WHERE id = ?", town, person)
        return self.sql("SELECT * FROM person WHERE id = ?", person)[0]

    @tool(reads=True)
    def sneak(self, person: int) -> str:
        """Says that it reads."""
        self.sql("DELETE FROM person WHERE id = ?", person)
        return "ok"
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "town"
    made.mkdir()
    with closing(sqlite3.connect(made / "db.sqlite")) as db:
        db.executescript(SCHEMA)
    (made / "tools.py").write_text(TOOLS, encoding="utf-8")
    (made / "policy.md").write_text("Be kind.", encoding="utf-8")
    spec = "from pytest_tau.environment import DomainSpec\nfrom .tools import TownTools\n"
    (made / "domain.py").write_text(f"{spec}domain = DomainSpec(tools=TownTools)\n", encoding="utf-8")
    return made


@pytest.fixture
def base(folder: Path) -> SqlBase:
    return SqlBase(SqlDatabase, folder / "db.sqlite")


@pytest.fixture
def domain(folder: Path) -> Domain:
    return load_domain(folder)


def world(base: SqlBase) -> SqlDatabase:
    made = base.fresh()
    assert isinstance(made, SqlDatabase)
    return made


def made_of(script: str, folder: Path) -> SqlDatabase:
    with closing(sqlite3.connect(folder / "db.sqlite")) as file:
        file.executescript(script)
    return world(SqlBase(SqlDatabase, folder / "db.sqlite"))


def people(db: SqlDatabase) -> dict[int, str]:
    return {row["id"]: row["name"] for row in db.sql("SELECT id, name FROM person ORDER BY id")}


def test_changes_that_are_not_in_the_file_yet_are_not_left_out(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "db.sqlite", isolation_level=None)) as program:
        program.execute("PRAGMA journal_mode = wal")
        program.execute("INSERT INTO person (name) VALUES ('Di')")
        with pytest.raises(DomainError, match=r"db\.sqlite-wal: the last changes may lie there alone: close the prog"):
            load_domain(folder)
        program.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert load_domain(folder).environment().call("find", {"name": "Di"}).content != "[]"


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


class TestDomain:
    def test_tools_errors_and_changes(self, domain: Domain) -> None:
        env = domain.environment()
        assert json.loads(env.call("find", {"name": "Bo"}).content)[0]["town"] == "Ystad"
        assert not env.call("move", {"person": 2, "town": "Lund"}).error
        assert env.changes() == [Change("person", "2", "town", "Ystad", "Lund")]
        assert env.dump()["agent"]["person"]["2"]["town"] == "Lund"
        with pytest.raises(DomainError, match="the tool sneak of domain 'town' declares that it reads"):
            env.call("sneak", {"person": 1})

    def test_gold_replay_grading_and_initial_rows(self, domain: Domain) -> None:
        played = task(
            criteria={
                "actions": [{"action_id": "a", "name": "move", "arguments": {"person": 9, "town": "Lund"}}],
                "reward_basis": ["DB"],
            },
            initial_state={
                "initialization_data": {
                    "agent_data": {"person": {"9": {"id": 9, "name": "Io", "town": "Oslo"}, "1": {"town": "Umeå"}}}
                }
            },
        )
        good, idle = simulate(played, domain), simulate(played, domain, agent="noop")
        assert (grade(played, good, domain).value, grade(played, idle, domain).value) == (1.0, 0.0)
        (difference,) = grade(played, idle, domain).results[0].differences
        assert (difference.table, difference.key, difference.path) == ("person", "9", "town")
        (row,) = domain.environment(played).tools.sql("SELECT * FROM person WHERE id = 1")
        assert (row["name"], row["town"]) == ("Ada", "Umeå")

    def test_a_milestone_about_a_record_is_told_what_to_ask_instead(self, domain: Domain) -> None:
        when = {"check": "record", "table": "person", "key": "1", "path": "town", "value": "Ystad"}
        asked = task(criteria={"milestones": [{"id": "moved", "when": when}]})
        assert list(task_problems(asked, domain)) == [
            "evaluation_criteria.milestones[0]: 'record' looks at tables of JSON, and this side's are in SQL: ask with "
            "an assertion"
        ]

    def test_a_new_row_has_the_key_that_it_is_given_under(self, base: SqlBase) -> None:
        db = world(base)
        db.patch({"person": {"9": {"name": "Io"}}, "visit": {'["9", "2026-03-01"]': {"note": "cake"}}}, where="here")
        assert people(db)[9] == "Io"
        (row,) = db.sql("SELECT * FROM visit WHERE note = 'cake'")
        assert row == {"person": 9, "day": "2026-03-01", "note": "cake"}

    def test_a_new_row_holds_the_null_that_it_is_given(self, base: SqlBase) -> None:
        db = world(base)
        db.patch({"person": {"9": {"name": "Io", "town": None}, "10": {"name": "Jo"}}}, where="here")
        assert [row["town"] for row in db.sql("SELECT town FROM person WHERE id > 8 ORDER BY id")] == [None, "Lund"]
        with pytest.raises(DomainError, match=r"here: person\['9'\]: NOT NULL constraint failed: person\.name"):
            world(base).patch({"person": {"9": {"name": None}}}, where="here")

    def test_what_a_patch_of_a_row_does_not_name_stays(self, base: SqlBase) -> None:
        db = world(base)
        db.patch({"person": {"1": {"id": 1, "name": "Eda"}, "2": {"town": None}, "5": {"name": "Cyd"}}}, where="here")
        assert db.sql("SELECT name, town, typeof(photo) AS kind FROM person ORDER BY id") == [
            {"name": "Eda", "town": "Lund", "kind": "blob"},
            {"name": "Bo", "town": None, "kind": "null"},
            {"name": "Cyd", "town": None, "kind": "null"},
        ]

    @pytest.mark.parametrize(
        ("data", "sentence"),
        [
            ({"person": {"9": {"id": 10, "name": "Io"}}}, r"person\['9'\]: its id would be 10; give it under that key"),
            ({"person": {"1": {"id": 2}}}, r"person\['1'\]: its id would be 2; give it under that key"),
            ({"visit": {"9-2026-03-01": {"note": "cake"}}}, "a new row needs person and day"),
        ],
        ids=["a new one", "one that is there", "a key that could be several"],
    )
    def test_a_key_that_its_row_contradicts_is_refused(self, base: SqlBase, data: Any, sentence: str) -> None:
        with pytest.raises(DomainError, match=sentence):
            world(base).patch(data, where="here")

    def test_two_keys_that_read_alike_are_two_rows(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "db.sqlite")) as db:
            db.executescript(
                "CREATE TABLE line (o TEXT, i TEXT, n INTEGER, at TEXT DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (o, i));"
                "INSERT INTO line VALUES ('a-b', 'c', 1, ''), ('a', 'b-c', 1, '')"
            )
        both, one = (world(SqlBase(SqlDatabase, tmp_path / "db.sqlite")) for _ in range(2))
        both.sql("UPDATE line SET n = 2")
        one.sql("UPDATE line SET n = 2 WHERE o = 'a'")
        assert len(both.state()["line"]) == 2
        assert len(both.delta().records["line"]) == 2
        assert both.delta() != one.delta()
        one.sql("UPDATE line SET n = 2 WHERE o = 'a-b'")  # in another order than the first world
        assert both.delta() == one.delta()
        assert [one.partition(": the ")[2].partition(",")[0] for one in both._base.problems()] == [
            "column 'at' of 'line' takes its value from the clock"
        ]

    @pytest.mark.parametrize(
        ("default", "origin"),
        [
            ("(strftime('%s'))", "the clock"),
            ("(datetime())", "the clock"),
            ("(unixepoch ())", "the clock"),
            ("(lower(hex(randomblob(8))))", "chance"),
            ("(abs(random()))", "chance"),
            ("(date('2026-05-01'))", None),
            ("'current_dated'", None),
        ],
    )
    def test_defaults_that_are_not_the_same_in_each_trial(
        self, tmp_path: Path, default: str, origin: str | None
    ) -> None:
        made = made_of(f"CREATE TABLE note (id INTEGER PRIMARY KEY, mark TEXT DEFAULT {default})", tmp_path)
        told = [one for one in made._base.problems() if f"column 'mark' of 'note' takes its value from {origin}" in one]
        assert len(told) == len([*made._base.problems()]) == (origin is not None)

    @pytest.mark.parametrize("kind", ["STORED", "VIRTUAL"])
    def test_a_table_with_a_computed_column_can_only_be_read(self, tmp_path: Path, kind: str) -> None:
        with closing(sqlite3.connect(tmp_path / "db.sqlite")) as file:
            file.execute(f"CREATE TABLE line (id INTEGER PRIMARY KEY, n INTEGER, twice INTEGER AS (n * 2) {kind})")
            file.execute("INSERT INTO line (n) VALUES (4)")
            file.commit()
        db = world(SqlBase(SqlDatabase, tmp_path / "db.sqlite"))
        assert db.sql("SELECT * FROM line") == [{"id": 1, "n": 4, "twice": 8}]
        (problem,) = db._base.problems()
        assert problem.endswith(
            "the column 'twice' of 'line' is computed, so tools can only read the table: compute it in a view of the "
            "file, or in the tools"
        )
        with pytest.raises(DomainError, match="the column 'twice' of 'line' is computed"):
            db.sql("UPDATE line SET n = 5")

    def test_a_table_with_an_empty_key_can_only_be_read(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "db.sqlite")) as file:
            file.executescript(
                "CREATE TABLE part (line TEXT, at TEXT, n INTEGER, PRIMARY KEY (line, at));"
                "CREATE TABLE sound (id TEXT PRIMARY KEY, n INTEGER);"
                "INSERT INTO part VALUES ('a', NULL, 1), ('a', NULL, 2); INSERT INTO sound VALUES ('a', 1)"
            )
        db = world(SqlBase(SqlDatabase, tmp_path / "db.sqlite"))
        assert len(db.sql("SELECT * FROM part")) == 2
        (problem,) = db._base.problems()
        assert "a row of 'part' has NULL in its key (line, at), so tools can only read the table" in problem
        with pytest.raises(DomainError, match="a row of 'part' has NULL in its key"):
            db.sql("UPDATE part SET n = n + 1")
        with pytest.raises(ValueError, match=r"NOT NULL constraint failed: sound\.id"):
            db.sql("INSERT INTO sound (n) VALUES (2)")

    def test_an_initial_state_that_cannot_be(self, domain: Domain) -> None:
        data: dict[str, Any] = {"initialization_data": {"agent_data": {"nowhere": {"1": {}}}}}
        with pytest.raises(TaskError, match="the database has no table 'nowhere'; it has person, visit"):
            domain.environment(task(initial_state=data))

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(DomainError, match="the database is not there"):
            SqlBase(SqlDatabase, tmp_path / "db.sqlite")
        (tmp_path / "db.sqlite").write_text("no database at all, but long enough to be one" * 50, encoding="utf-8")
        with pytest.raises(DomainError, match="the database cannot be read: file is not a database"):
            SqlBase(SqlDatabase, tmp_path / "db.sqlite")


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
