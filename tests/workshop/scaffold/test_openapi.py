"""A domain from an OpenAPI file, whose texts never become code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_tau import Environment
from tests.workshop.scaffold.sources import KENNEL, begin, kennel


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


def test_what_is_added_after_a_deletion_has_a_key_of_its_own(folder: Path) -> None:
    env = begin("--from-openapi", str(kennel(folder / "api.json"))).environment()
    assert not env.call("remove_dog", {"id": 1}).error
    assert [json.loads(env.call("add_dog", {"name": "Odd"}).content)["id"] for _ in range(2)] == [5, 6]


def test_a_list_has_the_records_that_were_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(json.dumps(KENNEL))
    asked = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in ("status", "name")]
    content["paths"]["/dogs"]["get"]["parameters"] += asked
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    assert "taken and not heeded: list_dogs(limit)" in capsys.readouterr().out
    every = json.loads(env.call("list_dogs", {}).content)
    some = json.loads(env.call("list_dogs", {"status": "reserved"}).content)
    assert some == [dog for dog in every if dog["status"] == "reserved"] != every
    assert json.loads(env.call("list_dogs", {"status": "reserved", "name": "Nobody"}).content) == []


def test_a_list_does_not_heed_what_no_record_can_be_equal_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(json.dumps(KENNEL))
    several = {"type": "array", "items": {"type": "string"}}
    asked = [("status", several), ("id", {"type": "string"}), ("name", {"enum": ["Rex"]})]
    content["paths"]["/dogs"]["get"]["parameters"] = [{"name": n, "in": "query", "schema": s} for n, s in asked]
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    assert "taken and not heeded: list_dogs(status, id)" in capsys.readouterr().out
    assert json.loads(env.call("list_dogs", {"status": ["reserved"], "id": "1"}).content)


ORDERS = {
    "openapi": "3.1.0",
    "components": {
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer"},
                    "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A word."},
                    "amount": {"oneOf": [{"type": "null"}, {"type": "integer"}]},
                    "kind": {"const": "order", "type": "string"},
                    "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                },
            }
        },
        "pathItems": {"Bulk": {"post": {"operationId": "bulk", "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}},
        }}}},
    },
    "paths": {
        "/orders/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                {"name": "expand", "in": "query", "schema": {"type": "string"}},
            ],
            "get": {
                "operationId": "get_order",
                "parameters": [
                    {"name": "expand", "in": "query", "schema": {"type": "boolean"}, "description": "All."},
                    {"name": "id", "in": "path", "required": True, "type": "integer", "description": "One."},
                ],
                "responses": {"200": {"content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/Order"},
                }}}},
            },
            "put": {"operationId": "put_order", "requestBody": {"content": {"application/json": {"schema": {
                "oneOf": [{"type": "object", "properties": {"note": {"type": "string"}}}, {"type": "object"}],
            }}}}},
        },
        "/bulk": {"$ref": "#/components/pathItems/Bulk"},
    },
}  # fmt: skip


@pytest.fixture
def orders(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Environment, str]:
    """The world of ORDERS, and what was said when it was made."""
    (folder / "api.json").write_text(json.dumps(ORDERS), encoding="utf-8")
    return begin("--from-openapi", "api.json").environment(), capsys.readouterr().out


def test_a_field_that_may_be_null_has_its_type(orders: tuple[Environment, str]) -> None:
    found = json.loads(orders[0].call("get_order", {"id": 1}).content)
    assert (type(found["note"]), found["amount"], found["kind"]) == (str, 1, "order")
    sets = next(tool for tool in orders[0].tool_specs() if tool.name == "update_order")
    properties = sets.schema["function"]["parameters"]["properties"]
    assert {"note", "amount"} < set(properties)
    assert properties["note"]["description"] == "A word."


def test_a_parameter_of_an_operation_takes_the_place_of_that_of_its_path(orders: tuple[Environment, str]) -> None:
    gets = next(tool for tool in orders[0].tool_specs() if tool.name == "get_order")
    properties = gets.schema["function"]["parameters"]["properties"]
    assert {name: one["description"] for name, one in properties.items()} == {"id": "One.", "expand": "All."}


def test_what_a_written_tool_does_not_heed_is_told(orders: tuple[Environment, str]) -> None:
    assert "taken and not heeded: get_order(expand)" in orders[1]


def test_a_request_that_carries_no_fields_is_an_argument(orders: tuple[Environment, str]) -> None:
    tools = {tool.name: tool.schema["function"]["parameters"] for tool in orders[0].tool_specs()}
    assert tools["bulk"]["properties"]["body"]["items"] == {"type": "integer"}  # behind the reference of its path
    assert tools["bulk"]["required"] == ["body"]
    assert "body" in tools["put_order"]["properties"]
    assert "body" not in tools["put_order"]["required"]


def test_names_that_toolkits_and_databases_have_themselves(folder: Path) -> None:
    content = json.loads(json.dumps(KENNEL).replace("/dogs", "/state"))
    content["paths"]["/state"]["post"]["operationId"] = "sql"
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    assert "sql_2" in {tool.name for tool in env.tool_specs()}
    assert "state_" in env.tools.db.tables


def test_fields_that_are_called_as_what_the_tools_are_made_of(folder: Path) -> None:
    content = json.loads(json.dumps(KENNEL))
    dog = content["components"]["schemas"]["Dog"]
    dog["properties"] |= {one: {"type": "string"} for one in ("key", "record")}
    content["paths"]["/dogs/{dogId}"]["patch"]["requestBody"]["content"]["application/json"]["schema"] = dog
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    made = json.loads(env.call("add_dog", {"name": "Odd", "key": "K", "record": "R"}).content)
    assert [made[name] for name in ("id", "key", "record")] == [5, "K", "R"]
    assert json.loads(env.call("rename_dog", {"id": 2, "name": "Fly", "record": "R"}).content)["record"] == "R"


def test_what_stands_beside_parts_and_null_among_values(folder: Path) -> None:
    content = json.loads(json.dumps(KENNEL))
    schemas = content["components"]["schemas"]
    dog = schemas["Dog"]
    dog["properties"]["status"] = {"allOf": [{"$ref": "#/components/schemas/Status"}], "description": "How it is."}
    schemas["Status"] = {"type": "string", "nullable": True, "enum": [None, "free", "gone"]}
    schemas["Base"] = {"properties": {"id": dog["properties"].pop("id")}}
    schemas["Dog"] = {"allOf": [{"$ref": "#/components/schemas/Base"}], **dog, "required": ["name", "status"]}
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    dogs = json.loads(env.call("list_dogs", {}).content)
    assert [(dog["id"], dog["status"], "name" in dog) for dog in dogs] == [
        (1, "gone", True), (2, "free", True), (3, "gone", True), (4, "free", True),
    ]  # fmt: skip
    made = next(tool for tool in env.tool_specs() if tool.name == "add_dog").schema["function"]["parameters"]
    assert made["properties"]["status"]["enum"] == ["free", "gone"]
    assert made["properties"]["status"]["description"] == "How it is."


def test_two_fields_of_one_name_and_values_of_another_type(folder: Path) -> None:
    content = json.loads(json.dumps(KENNEL))
    dog = content["components"]["schemas"]["Dog"]
    dog["properties"] |= {"shotsGiven": {"type": "integer"}, "shots_given": {"type": "string"}}
    dog["properties"] |= {"home": {"type": "string", "enum": [False, "SE"]}, "size": {"type": "number", "enum": [1]}}
    content["paths"]["/dogs"]["post"]["operationId"] = "tool"
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    env = begin("--from-openapi", "api.json").environment()
    assert [dog["home"] for dog in json.loads(env.call("list_dogs", {}).content)] == ["SE", False] * 2
    assert json.loads(env.call("tool_2", {"name": "Odd", "shots_given": 3, "size": 1}).content)["shots_given"] == 3


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


def test_parts_in_a_circle_or_of_another_type_say_nothing(folder: Path) -> None:
    dog = "#/components/schemas/Dog"
    content = json.loads(json.dumps(KENNEL))
    content["components"]["schemas"]["Dog"] = {"allOf": [{"properties": 5}, {"$ref": dog}, {"$ref": dog}]}
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8")
    begin("--from-openapi", "api.json")


PETS = {
    "definitions": {
        "Pet": {
            "type": "object",
            "required": ["id", "name", "status"],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "status": {"type": "string"}},
        }
    },
    "paths": {
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "type": "integer"}],
            "get": {
                "operationId": "getPet",
                "parameters": [{"name": "verbose", "in": "query", "type": "boolean"}],
                "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
            },
            "put": {
                "operationId": "updatePet",
                "parameters": [{"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}],
            },
        }
    },
}


def test_a_task_gives_an_operation_all_that_it_wants(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That the tasks have no faults is seen by :func:`begin`."""
    (folder / "api.json").write_text(json.dumps(PETS), encoding="utf-8")
    begin("--from-openapi", "api.json")
    assert "It runs already" in capsys.readouterr().out
    task = json.loads((folder / "tasks/shop/change_the_name.json").read_text(encoding="utf-8"))
    look, sets = (action["arguments"] for action in task["evaluation_criteria"]["actions"])
    assert (set(look), set(sets)) == ({"id"}, {"id", "name", "status"})


def test_a_file_of_another_editor_and_texts_that_no_file_holds(folder: Path) -> None:
    content = json.loads(json.dumps(PETS))
    content["definitions"]["Pet"]["properties"]["kind"] = {"enum": ["dog \ud800", "cat"]}
    (folder / "api.json").write_text(json.dumps(content), encoding="utf-8-sig", newline="\r\n")
    env = begin("--from-openapi", "api.json").environment()
    assert json.loads(env.call("get_pet", {"id": 2}).content)["kind"] == "dog ?"
