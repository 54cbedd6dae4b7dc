"""Schemas: what they refer to, their types and their arguments."""

from typing import Any

import pytest

from tau_workshop.scaffold.json_schema import SchemaReader, choices_of, kind_of


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({"type": "string"}, "str"),
        ({"type": ["integer", "null"]}, "int"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "float"),
        ({"enum": ["a", "b", None]}, "Literal['a', 'b']"),
        ({"const": "a"}, "Literal['a']"),
        ({"type": "integer", "enum": ["a", 1]}, "Any"),
        ({"type": "array", "items": {"$ref": "#/$defs/one"}}, "list[str]"),
        ({"properties": {"a": {}}}, "dict[str, Any]"),
        ({"$ref": "#/$defs/circle"}, "Any"),
        ({"$ref": "#/nowhere"}, "Any"),
        ("no schema", "Any"),
    ],
)
def test_types(schema: Any, annotation: str) -> None:
    whole = {"$defs": {"one": {"type": "string"}, "circle": {"$ref": "#/$defs/circle"}}}
    assert SchemaReader(whole).type_of(schema) == annotation


def test_parts_are_merged() -> None:
    parts = [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]
    found = SchemaReader({}).resolve({"allOf": parts, "description": "Both."})
    assert (set(found["properties"]), found["required"], found["description"]) == ({"a", "b"}, ["a", "b"], "Both.")


def test_arguments_that_are_needed_come_first() -> None:
    schema = {"properties": {"self": {}, "Most": {"type": "integer"}, "id": {"type": "string"}}, "required": ["id"]}
    first, *rest = SchemaReader(schema).arguments_of(schema)
    assert (first.name, first.type, first.default) == ("id", "str", None)
    assert {one.name: one.type for one in rest}["most"] == "int | None"
    assert "self" not in {one.name for one in rest}


def test_null_is_no_kind_and_no_choice() -> None:
    assert kind_of({"type": ["null", "string"]}) == "string"
    assert kind_of({"type": ["null"]}) is None
    assert choices_of({"enum": [None, 1]}) == [1]
