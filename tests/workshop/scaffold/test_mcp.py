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


@pytest.mark.parametrize("answer", ["", "no json", "[]", "[1]", '[{"a": 1}, {"a": 1}]', "[" * 5000])
def test_answers_that_are_no_records_are_no_tables(answer: str, folder: Path) -> None:
    world = from_mcp.world("shop", MCP_TOOLS, {"list_rooms": answer})
    write(files_of(world), folder)
    assert main(["check", "domains/shop"]) == 0
