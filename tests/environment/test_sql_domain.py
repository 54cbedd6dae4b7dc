"""A domain over an SQLite file: tools, errors, what a task patches, and what check says of the file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, load_domain, simulate
from pytest_tau.environment.delta import Change
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.sql import SqlBase, SqlDatabase
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import DomainError, TaskError
from tests.builders import task
from tests.environment.town import made_of, people, town_in, world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return town_in(tmp_path)


@pytest.fixture
def base(folder: Path) -> SqlBase:
    return SqlBase(SqlDatabase, folder / "db.sqlite")


@pytest.fixture
def domain(folder: Path) -> Domain:
    return load_domain(folder)


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


def test_changes_that_are_not_in_the_file_yet_are_not_left_out(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "db.sqlite", isolation_level=None)) as program:
        program.execute("PRAGMA journal_mode = wal")
        program.execute("INSERT INTO person (name) VALUES ('Di')")
        with pytest.raises(DomainError, match=r"db\.sqlite-wal: the last changes may lie there alone: close the prog"):
            load_domain(folder)
        program.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert load_domain(folder).environment().call("find", {"name": "Di"}).content != "[]"
