"""A domain from the tools of an MCP server and what they answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.cli import main
from tau_workshop.scaffold import files_of, write
from tau_workshop.scaffold import mcp as from_mcp
from tests.workshop.scaffold.sources import MCP_TOOLS, ROOMS


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


def test_of_very_many_records_the_first_are_taken_and_it_is_said() -> None:
    rooms = [{"room_id": f"R{number}", "view": "over the sea"} for number in range(501)]
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": json.dumps(rooms)})
    assert len(world.tables[0].rows) == 500
    assert "list_rooms returned 501 records: db.json has the first 500" in world.todo


@pytest.mark.parametrize("rate", ["NaN", "1e999", "-1e999"])
def test_records_with_numbers_that_no_json_holds_and_without_a_key(folder: Path, rate: str) -> None:
    rooms = f'[{{"room_id": null, "number": 1, "rate": {rate}}}, {{"room_id": "R2", "number": 2, "rate": 2.5}}]'
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": rooms})
    write(files_of(world), folder)
    env = load_domain("domains/shop").environment()
    assert json.loads(env.call("get_room", {"number": 1}).content)["rate"] is None


def test_tools_named_as_ours_do_what_ours_do(folder: Path) -> None:
    strings = {name: {"type": "string"} for name in ("room_id", "view")}
    more = [
        {"name": "get_room", "inputSchema": {"properties": {"room_id": strings["room_id"]}, "required": ["room_id"]}},
        {"name": "updateRoom", "inputSchema": {"properties": strings, "required": ["room_id"]}},
    ]
    world = from_mcp.world("shop", [*more, *MCP_TOOLS], {"list_rooms": json.dumps(ROOMS)})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0
    env = load_domain("domains/shop").environment()
    assert json.loads(env.call("update_room", {"room_id": "R2", "view": "new"}).content)["view"] == "new"
    assert json.loads(env.call("get_room", {"room_id": "R2"}).content)["view"] == "new"
    assert [one for one in world.todo if "get_room" in one or "update_room" in one] == []


def test_what_is_asked_of_a_tool_beside_the_key_is_told(folder: Path) -> None:
    strings = {name: {"type": "string"} for name in ("room_id", "view")}
    more = [
        {"name": "get_room", "inputSchema": {"properties": strings, "required": ["room_id"]}},
        {"name": "list_rooms", "inputSchema": {"properties": strings}, "annotations": {"readOnlyHint": True}},
    ]
    world = from_mcp.world("shop", more, {"list_rooms": json.dumps(ROOMS)})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0
    env = load_domain("domains/shop").environment()
    assert json.loads(env.call("get_room", {"room_id": "R2", "view": "all"}).content)["view"] == "over the yard"
    assert [one.rpartition(": ")[2] for one in world.todo if "heeded" in one] == [
        "get_room(view)",
        "list_rooms(room_id, view)",
    ]


def test_whole_numbers_among_others_are_numbers_with_decimals(folder: Path) -> None:
    rooms = f'[{{"number": 1, "view": "sea", "rate": 2.5}}, {{"number": 2.5, "view": "yard", "rate": {"9" * 400}}}]'
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": rooms})
    write(files_of(world), folder)
    env = load_domain("domains/shop").environment()
    room = json.loads(env.call("update_room", {"number": 1, "rate": 3}).content)
    assert (room["number"], room["rate"]) == (1.0, 3.0)
    assert json.loads(env.call("get_room", {"number": 2.5}).content)["rate"] is None


def test_no_task_is_made_with_a_tool_that_is_still_to_be_written(folder: Path) -> None:
    """A look-up by what is no key: what it does nobody knows."""
    other = {"name": "get_room", "inputSchema": {"properties": {"view": {"type": "string"}}, "required": ["view"]}}
    world = from_mcp.world("shop", [other, *MCP_TOOLS], {"list_rooms": json.dumps(ROOMS)})
    assert not world.wishes
    assert "write what get_room does in tools.py" in world.todo


@pytest.mark.parametrize("answer", ["", "no json", "[]", "[1]", '[{"a": 1}, {"a": 1}]', "[" * 5000])
def test_answers_that_are_no_records_are_no_tables(answer: str, folder: Path) -> None:
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": answer})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0
