"""Every source gives a domain without faults, whose tasks can be solved, are not trivial and are graded well."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_tau import load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.environment.domain import Domain
from pytest_tau.errors import SettingsError
from pytest_tau.generation.scaffold import files_of, openapi, sqlite, write
from pytest_tau.generation.scaffold import mcp as from_mcp
from pytest_tau.generation.scaffold.world import World
from tests.generation.scaffold.sources import FUNCTIONS, KENNEL, MCP_TOOLS, ROOMS, kennel, music


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def begin(*arguments: str) -> Domain:
    """Begin the domain ``shop`` as a user does, and see that it is a good one."""
    assert main(["new", "domain", "shop", *arguments]) == 0
    assert main(["check", "domains/shop"]) == 0
    assert main(["audit", "shop", "--mutants", "6"]) == 0
    assert len(load_tasks("shop")) == 2
    return load_domain("domains/shop")


def test_from_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain = begin()
    out = capsys.readouterr().out
    assert "shop: no findings" in out
    assert "  pytest --tau-domain shop --tau-k 4" in out
    assert [tool.name for tool in domain.environment().tool_specs()] == [
        "get_ticket", "update_ticket", "close_ticket", "transfer_to_human_agents",
    ]  # fmt: skip
    assert {path.name for path in folder.iterdir()} >= {"conftest.py", "pytest.ini", ".github", "domains", "tasks"}


def test_what_is_there_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n", encoding="utf-8")
    (folder / "conftest.py").write_text("# mine\n", encoding="utf-8")
    assert main(["new", "domain", "shop"]) == 0
    assert (folder / "conftest.py").read_text(encoding="utf-8") == "# mine\n"
    assert not (folder / "pytest.ini").exists()
    assert main(["new", "domain", "shop"]) == 2
    assert "already exists; choose another name" in capsys.readouterr().err


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


def test_from_openapi(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = begin("--from-openapi", str(kennel(folder / "api.json"))).environment()
    assert "write what upload_photo does in tools.py" in capsys.readouterr().out
    tools = {tool.name: tool for tool in env.tool_specs()}
    assert [tools[name].writes for name in ("list_dogs", "get_dog_by_id", "add_dog", "rename_dog", "remove_dog")] == [
        False, False, True, True, True,
    ]  # fmt: skip
    assert tools["add_dog"].schema["function"]["parameters"]["required"] == ["name"]
    dog = json.loads(env.call("get_dog_by_id", {"id": 2}).content)
    assert (dog["id"], dog["status"], type(dog["tags"])) == (2, 'it\'s "home"', list)
    assert json.loads(env.call("rename_dog", {"id": 2, "name": "Fly"}).content)["name"] == "Fly"
    assert json.loads(env.call("add_dog", {"name": "Odd"}).content)["id"] == 5
    assert not env.call("remove_dog", {"id": 1}).error
    assert env.call("get_dog_by_id", {"id": 1}).content == "Error: Dog 1 not found"
    assert env.call("upload_photo", {"dog_id": 1}).content == "Error: upload_photo: not written yet"


def test_from_functions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bakery_tools.py").write_text(FUNCTIONS, encoding="utf-8")
    env = begin("--from-functions", "bakery_tools:TOOLS").environment()
    assert "let the functions work on self.db" in capsys.readouterr().out
    tools = {tool.name: tool for tool in env.tool_specs()}
    assert tools["get_stock"].schema["function"]["description"] == "How many loaves are left."
    described = tools["get_stock"].schema["function"]["parameters"]["properties"]
    assert [described[name]["description"] for name in ("loaf", "unit")] == [
        "What it is made of, such as rye.",
        "Unit.",
    ]
    assert (tools["get_stock"].writes, tools["order_loaves"].writes) == (False, True)
    assert json.loads(env.call("get_stock", {"loaf": "rye"}).content) == {"loaf": "rye", "left": "3", "unit": "pieces"}
    assert env.call("order_loaves", {"loaf": "rye", "number": 2}).content == "2 x rye"


def test_the_commands_find_the_functions_beside_the_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `pytest-tau`, whose path does not have the current folder; importing from there is not kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "own_bakery.py").write_text(FUNCTIONS, encoding="utf-8")
    assert main(["new", "domain", "shop", "--from-functions", "own_bakery:TOOLS"]) == 0
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.delitem(sys.modules, "own_bakery")
    assert main(["check", "domains/shop"]) == 0


@pytest.mark.parametrize("answer", [json.dumps(ROOMS), json.dumps({"rooms": ROOMS, "total": 2})])
def test_from_tools_of_mcp(folder: Path, answer: str) -> None:
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": answer})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0
    env = load_domain("domains/shop").environment()
    assert [room["room_id"] for room in json.loads(env.call("list_rooms", {}).content)] == ["R1", "R2"]
    assert json.loads(env.call("get_room", {"room_id": "R2"}).content)["view"] == "over the yard"
    assert env.call("book_room", {"room_id": "R1"}).content == "Error: book_room: not written yet"
    assert "write what book_room does in tools.py" in world.todo


@pytest.mark.parametrize("answer", ["", "no json", "[]", "[1]", '[{"a": 1}, {"a": 1}]', "[" * 5000])
def test_answers_that_are_no_records_are_no_tables(answer: str, folder: Path) -> None:
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": answer})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0


def test_a_task_to_fill_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin()
    assert main(["new", "task", "shop", "lost_lamp"]) == 0
    assert "Replace every …" in capsys.readouterr().out
    task = json.loads((folder / "tasks/shop/lost_lamp.json").read_text(encoding="utf-8"))
    assert task["evaluation_criteria"]["actions"][0]["arguments"] == {"ticket_id": "…"}
    assert main(["check", "domains/shop"]) == 1
    assert (
        "task 'lost_lamp': evaluation_criteria.actions[0] fails: Error: Ticket … not found" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("domain", "My Shop"), "'My Shop' is not a domain name"),
        (("domain", "../shop"), "'../shop' is not a domain name"),
        (("task", "mock", "../x"), "'../x' is not a task id"),
        (("domain", "shop", "--from-sqlite", "none.db"), "none.db: there is no such file"),
        (("domain", "shop", "--from-sqlite", "text"), "text: not an SQLite database that can be read"),
        (("domain", "shop", "--from-openapi", "text"), "text: cannot be read as JSON"),
        (("domain", "shop", "--from-openapi", "list.json"), "list.json: not an OpenAPI file: it has no paths"),
        (("domain", "shop", "--from-openapi", "none.json"), "none.json: it has no operation"),
        (("domain", "shop", "--from-functions", "json"), "write module:list, not 'json'"),
        (("domain", "shop", "--from-functions", "json:dumps"), "json:dumps must be a list of functions"),
        (("domain", "shop", "--from-functions", "no_such_module:X"), "no_such_module:X: ModuleNotFoundError"),
        (("domain", "shop", "--from-mcp", "http://127.0.0.1:9/mcp"), "http://127.0.0.1:9/mcp does not answer"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "text").write_text("no database", encoding="utf-8")
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "none.json").write_text('{"paths": {"/x": {"get": 1}, "/y": 2}}', encoding="utf-8")
    if "--from-mcp" in arguments:
        pytest.importorskip("mcp", reason="the MCP SDK is not installed (pytest-tau[mcp])")
    assert main(["new", *arguments]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_texts_of_a_source_never_become_code(folder: Path) -> None:
    hostile = '"""\nimport os\nos.mkdir("owned")\n\\x'
    content = json.loads(json.dumps(KENNEL).replace("What it listens to.", json.dumps(hostile)[1:-1]))
    content["info"]["title"] = hostile
    content["paths"]["/dogs"]["post"]["summary"] = hostile
    content["components"]["schemas"]["Dog"]["properties"]["status"]["enum"] = [hostile, "'); import os #"]
    content["components"]["schemas"]["Dog"]["properties"][hostile] = {"type": "string"}
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    begin("--from-openapi", "api.json")
    assert not (folder / "owned").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "domains").write_text("a file", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be written"):
        write({"domains/shop/x.py": ""}, tmp_path)


@pytest.mark.parametrize(
    "read", [lambda f: sqlite.world("x", music(f / "a.db")), lambda f: openapi.world("x", kennel(f / "a.json"))]
)
def test_the_same_source_gives_the_same_bytes(tmp_path: Path, read: Callable[[Path], World]) -> None:
    (tmp_path / "again").mkdir()
    assert files_of(read(tmp_path)) == files_of(read(tmp_path / "again"))


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/mine.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="already exists"):
        write({"tasks/mine.json": "{}"}, tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_texts_that_no_file_holds(tmp_path: Path) -> None:
    (file,) = write({"policy.md": "a\ud800b"}, tmp_path)
    assert file.read_text("utf-8") == "a?b"
