"""A town in an SQLite file: tables with every sort of key, and a domain over it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from pytest_tau.environment.sql import SqlBase, SqlDatabase

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


def town_in(folder: Path) -> Path:
    """The folder of its domain, made in another."""
    made = folder / "town"
    made.mkdir()
    with closing(sqlite3.connect(made / "db.sqlite")) as db:
        db.executescript(SCHEMA)
    (made / "tools.py").write_text(TOOLS, encoding="utf-8")
    (made / "policy.md").write_text("Be kind.", encoding="utf-8")
    spec = "from pytest_tau.environment import DomainSpec\nfrom .tools import TownTools\n"
    (made / "domain.py").write_text(f"{spec}domain = DomainSpec(tools=TownTools)\n", encoding="utf-8")
    return made


def world(base: SqlBase) -> SqlDatabase:
    """A fresh database."""
    made = base.fresh()
    assert isinstance(made, SqlDatabase)
    return made


def made_of(script: str, folder: Path) -> SqlDatabase:
    """A fresh database over a file that a script makes."""
    with closing(sqlite3.connect(folder / "db.sqlite")) as file:
        file.executescript(script)
    return world(SqlBase(SqlDatabase, folder / "db.sqlite"))


def people(db: SqlDatabase) -> dict[int, str]:
    """The names of all, by id."""
    return {row["id"]: row["name"] for row in db.sql("SELECT id, name FROM person ORDER BY id")}
