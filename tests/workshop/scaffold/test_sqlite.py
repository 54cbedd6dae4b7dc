"""A world from an SQLite file: whatever its names, types and keys are, what is written can be loaded."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import SettingsError
from tau_workshop.scaffold import files_of, sqlite, write
from tau_workshop.scaffold.world import SourceWorld
from tests.workshop.scaffold.sources import begin, music

SONG = "CREATE TABLE song (id INTEGER PRIMARY KEY, name TEXT)"
FIRST = "INSERT INTO song VALUES (1, 'A long one')"


def read(folder: Path, *statements: str, name: str = "x.db") -> SourceWorld:
    """The world of a database that these statements make."""
    with closing(sqlite3.connect(folder / name)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return sqlite.world("shop", folder / name)


def records(world: SourceWorld, folder: Path) -> dict[str, Any]:
    """What the written domain holds."""
    write(files_of(world), folder)
    state: dict[str, Any] = load_domain(folder / "domains/shop").environment().dump()["agent"]
    return state


def columns(world: SourceWorld) -> Sequence[tuple[str, str, bool]]:
    (table,) = world.tables
    return [(column.name, column.type, column.optional) for column in table.columns]


@pytest.mark.parametrize("name", ["my #1 100%.db", "what?.db", "é ü.db"])
def test_a_file_of_any_name_is_read_and_no_other_is_made(tmp_path: Path, name: str) -> None:
    assert [table.name for table in read(tmp_path, SONG, FIRST, name=name).tables] == ["song"]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_rows_that_stand_in_the_log_of_an_open_database_are_read(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as db:
        for statement in ("PRAGMA journal_mode = wal", SONG, "PRAGMA wal_checkpoint", FIRST):
            db.execute(statement)
        (table,) = sqlite.world("shop", tmp_path / "x.db").tables
    assert list(table.rows) == ["1"]
    assert sqlite.world("shop", tmp_path / "x.db").tables  # when it is closed, without a log to read
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


def test_types_are_those_of_the_values(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "CREATE TABLE song (id INTEGER PRIMARY KEY, a INT, b, c TEXT, d REAL, e, f BLOB)",
        "INSERT INTO song VALUES (1, 1, 1, 'x', 1, NULL, x'00'), (2, NULL, 2.5, 5, 2, NULL, 'text')",
    )
    assert columns(found) == [
        ("id", "int", False),
        ("a", "int", True),
        ("b", "float", False),
        ("c", "str", False),
        ("d", "float", False),
        ("e", "str", True),
    ]
    assert records(found, tmp_path)["song"]["2"] == {"id": 2, "a": None, "b": 2.5, "c": "5", "d": 2.0, "e": None}
    assert "song: f left out of schema.py and db.json, which cannot hold bytes" in found.todo


def test_tables_without_records_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    tables = ["empty (id INTEGER PRIMARY KEY)", "song (id INTEGER PRIMARY KEY, title TEXT)"]
    made = [f"CREATE TABLE {table}" for table in [*tables, "cover (hash BLOB PRIMARY KEY, title TEXT)"]]
    rows = [f"INSERT INTO {name} VALUES ({key}, 'one')" for name, key in (("song", "1"), ("cover", "x'00'"))]  # noqa: S608
    found = read(tmp_path, *made, *rows)
    assert [table.name for table in found.tables] == ["song"]
    assert [line for line in found.todo if "left out:" in line] == [
        "empty is left out: it has no row with a key",
        "cover is left out: its key holds bytes, which db.json cannot hold",
    ]


def test_computed_columns_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    table = (
        "CREATE TABLE line (id INTEGER PRIMARY KEY, n INTEGER, twice INTEGER AS (n * 2), half REAL AS (n / 2) STORED)"
    )
    world = read(tmp_path, table, "INSERT INTO line (n) VALUES (4)")
    assert [name for name, _, _ in columns(world)] == ["id", "n"]
    assert "line: twice, half left out, which SQLite computes: compute it in the tools" in world.todo


def test_infinite_numbers_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    values = "INSERT INTO song VALUES (1, 9e999), (2, -9e999), (3, 0.5)"
    found = read(tmp_path, "CREATE TABLE song (id INTEGER PRIMARY KEY, price REAL)", values)
    assert [song["price"] for song in records(found, tmp_path)["song"].values()] == [None, None, 0.5]
    assert "song: infinite numbers are null in db.json, which cannot hold them" in found.todo


@pytest.mark.parametrize(
    ("statements", "keys", "lost"),
    [
        (["(id TEXT PRIMARY KEY, name TEXT)", "(NULL, 'one'), ('b', 'two')"], ["b"], 1),
        (["(name TEXT, n INT)", "('x', 1), ('x', 2), (NULL, 3)"], ["x"], 2),
        (["(a TEXT, b TEXT, PRIMARY KEY (b, a))", "('x', 'y'), ('y', 'x')"], ["y-x", "x-y"], 0),
        (["(a TEXT, b TEXT, PRIMARY KEY (b, a))", "('x-y', 'z'), ('x', 'y-z'), ('y', 'z-x')"], ["z-x-y", "y-z-x"], 1),
    ],
)
def test_rows_have_a_key_of_their_own_or_are_left_out_and_it_is_said(
    tmp_path: Path, statements: list[str], keys: list[str], lost: int
) -> None:
    schema, rows = statements
    found = read(tmp_path, f"CREATE TABLE song {schema}", f"INSERT INTO song VALUES {rows}")  # noqa: S608
    assert list(records(found, tmp_path)["song"]) == keys
    said = [f"song: {lost} rows are not in db.json, because they have no key or that of another row"]
    assert [line for line in found.todo if "db.json" in line] == said * bool(lost)


def test_of_very_many_rows_the_first_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MOST_ROWS", 2)
    (cut,) = (line for line in read(tmp_path, SONG, FIRST, *_more(2, 3)).todo if "rows" in line)
    assert cut == "song has 3 rows: db.json has the first 2"
    (tmp_path / "x.db").unlink()
    assert not [line for line in read(tmp_path, SONG, FIRST, *_more(2)).todo if "rows" in line]


def _more(*numbers: int) -> list[str]:
    return [f"INSERT INTO song VALUES ({number}, 'Song number {number}')" for number in numbers]  # noqa: S608


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["tables", "delta", "class", "Straße", "1st;--", "values"])
def test_a_table_may_have_any_name(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, SONG.replace("song", f'"{name}"'), FIRST.replace("song", f'"{name}"'))
    (table,) = found.tables
    assert records(found, tmp_path)[table.name]["1"]["name"] == "A long one"
    env = load_domain(tmp_path / "domains/shop").environment()
    assert not env.call(f"get_{table.one}", {"id": 1}).error
    assert not env.call(f"update_{table.one}", {"id": 1, "name": "Another"}).error
    env.changes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "name", ["model_config", "schema", "from", "_x", "größe", "id 2", "model_dump", "song", "list"]
)
def test_a_column_may_have_any_name(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, SONG.replace("name", f'"{name}"'), FIRST)
    column = found.tables[0].columns[1].name
    assert records(found, tmp_path)["song"]["1"] == {"id": 1, column: "A long one"}
    env = load_domain(tmp_path / "domains/shop").environment()
    assert json.loads(env.call("update_song", {"id": 1, column: "Another"}).content)[column] == "Another"


def test_a_column_is_called_as_the_type_of_others(tmp_path: Path) -> None:
    create = "CREATE TABLE lists (id INTEGER PRIMARY KEY, str TEXT, float REAL, weight REAL)"
    found = read(tmp_path, create, "INSERT INTO lists VALUES (1, NULL, NULL, 2.5)")
    records(found, tmp_path)
    env = load_domain(tmp_path / "domains/shop").environment()
    assert json.loads(env.call("update_list", {"id": 1, "weight": 3.5}).content)["weight"] == 3.5


def test_relations_are_followed_where_the_table_is_there(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)",
        "CREATE TABLE empty (id INTEGER PRIMARY KEY)",
        "CREATE TABLE song (id INTEGER PRIMARY KEY, album INT REFERENCES album, other INT REFERENCES empty)",
        "INSERT INTO album VALUES (1, 'An album')",
        "INSERT INTO song VALUES (1, 1, NULL), (2, 1, NULL)",
    )
    assert [table.name for table in found.tables] == ["album", "song"]
    methods = [method.name for method in found.methods]
    assert "list_songs_by_album" in methods
    assert "list_songs_by_other" not in methods


@pytest.mark.parametrize(
    "statements",
    [
        [],
        [SONG],
        ["CREATE TABLE song (id BLOB PRIMARY KEY, name TEXT)", "INSERT INTO song VALUES (x'00', 'one')"],
        ["CREATE TABLE song (id TEXT PRIMARY KEY, name TEXT)", "INSERT INTO song VALUES (NULL, 'one')"],
    ],
)
def test_a_database_without_records_is_refused(tmp_path: Path, statements: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"x\.db: it has no table with rows"):
        read(tmp_path, *statements)


def test_a_table_whose_name_is_no_text(tmp_path: Path) -> None:
    path = music(tmp_path / "db")
    path.write_bytes(path.read_bytes().replace(b"tableAlbumAlbum", b"tableAlbu\xdaAlbum"))
    with pytest.raises(SettingsError, match=r"not an SQLite database that can be read: .*utf-8"):
        sqlite.world("music", path)


def test_from_sqlite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = begin("--from-sqlite", str(music(folder / "music.db"))).environment()
    assert "delete the tools that your agents do not have" in capsys.readouterr().out
    names = {tool.name for tool in env.tool_specs()}
    assert {"get_track", "update_album", "list_tracks_by_album_id", "list_employees_by_reports_to"} <= names
    assert "get_empty" not in names
    track = json.loads(env.call("get_track", {"track_id": 2}).content)
    assert track == {"track_id": 2, "name": "Ropes", "album_id": 1, "unit_price": 1.0, "media_type_id": 2}
    assert len(json.loads(env.call("list_tracks_by_album_id", {"album_id": 1}).content)) == 2
    assert json.loads(env.call("get_playlist_track", {"playlist_id": 1, "track_id": 3}).content)["track_id"] == 3
    assert env.call("get_track", {"track_id": 9}).content == "Error: Track 9 not found"
    assert not env.call("update_track", {"track_id": 1, "unit_price": 2.5}).error
    assert [(c.path, c.after) for c in env.changes()] == [("unit_price", 2.5)]


def test_a_key_of_numbers_of_both_kinds_is_found(tmp_path: Path) -> None:
    world = read(tmp_path, "CREATE TABLE rate (rate NUMERIC PRIMARY KEY)", "INSERT INTO rate VALUES (1), (2.5)")
    write(files_of(world), tmp_path)
    env = load_domain(tmp_path / "domains/shop").environment()
    assert not any(env.call("get_rate", {"rate": rate}).error for rate in (1, 1.0, 2.5))


def test_what_a_source_names_does_nothing_to_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(folder / "x.db")) as db:
        for statement in (SONG, FIRST, "INSERT INTO song VALUES (2, 'Another')", 'CREATE TABLE "\x1b[31mempty\n" (id)'):
            db.execute(statement)
        db.commit()
    begin("--from-sqlite", "x.db")
    assert "\\x1b[31mempty  is left out" in capsys.readouterr().out
