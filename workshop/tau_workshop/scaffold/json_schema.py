"""JSON Schema, as OpenAPI files, MCP servers and logs of tools have it: what it refers to, its types, its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .world import Argument, distinct, snake

DEEPEST = 4
"""Levels of lists and of merged schemas that are read; below, anything may be."""
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


class SchemaReader:
    """Reads the schemas of a whole, into which their references point."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        self._whole = whole

    def resolve(self, given: Any, depth: int = 0) -> Mapping[str, Any]:
        """A schema behind its references and the choice of it or null.

        An empty one where they lead nowhere or in a circle.
        """
        schema: Any = given
        for _ in range(20):
            if not isinstance(schema, dict):
                return {}
            if not isinstance(pointer := schema.get("$ref"), str):
                break
            target: Any = self._whole
            for step in pointer.removeprefix("#/").split("/"):
                target = target.get(step.replace("~1", "/")) if isinstance(target, dict) else None
            schema = target
        parts = [*list_at(schema, "allOf"), *_only_choice(schema)]
        if parts and depth < DEEPEST:
            merged: dict[str, Any] = {}
            properties: dict[str, Any] = {}
            required: list[Any] = []
            beside = {name: inner for name, inner in schema.items() if name not in ("allOf", "anyOf", "oneOf")}
            for part in [*(self.resolve(inner, depth + 1) for inner in parts[:20]), beside]:
                inner = part.get("properties")
                properties |= inner if isinstance(inner, dict) else {}
                required += list_at(part, "required")
                merged |= part
            return {**merged, **({"properties": properties} if properties else {}), "required": required}
        return {} if "$ref" in schema else schema

    def type_of(self, schema: Any, depth: int = 0) -> str:
        """The annotation of a schema's values, as source text."""
        schema = self.resolve(schema)
        kind = kind_of(schema)
        values = choices_of(schema)
        if values and all(isinstance(value, str) for value in values):
            return f"Literal[{', '.join(map(repr, values))}]"
        if kind == "array" and depth < DEEPEST:
            return f"list[{self.type_of(schema.get('items'), depth + 1)}]"
        if kind == "object" or "properties" in schema:
            return "dict[str, Any]"
        plain = _SIMPLE.get(str(kind), "Any")
        held = {plain, "int"} if plain == "float" else {plain}
        return plain if {type(value).__name__ for value in values} <= held else "Any"

    def describe(self, schema: Any) -> str:
        """What a schema says of its values."""
        return str(self.resolve(schema).get("description") or "")

    def arguments_of(self, schema: Mapping[str, Any]) -> tuple[Argument, ...]:
        """The properties of an object as arguments."""
        needed: list[Argument] = []
        optional: list[Argument] = []
        taken = {"self"}
        properties = schema.get("properties")
        required = list_at(schema, "required")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            self.add(name, inner, name in required, self.describe(inner), taken, needed, optional)
        return (*needed, *optional)

    def add(
        self,
        name: str,
        schema: Any,
        is_needed: bool,
        told: str,
        taken: set[str],
        needed: list[Argument],
        optional: list[Argument],
    ) -> None:
        """Add an argument to those that are needed or to the others, under a name of its own."""
        made, kind = distinct(snake(name), taken), self.type_of(schema)
        if is_needed:
            needed.append(Argument(made, kind, told))
        else:
            optional.append(Argument(made, kind if kind == "Any" else f"{kind} | None", told, "None"))


def list_at(holder: Mapping[str, Any], key: str) -> list[Any]:
    """A list inside of an object; an empty one where it is missing or something else."""
    found = holder.get(key)
    return found if isinstance(found, list) else []


def _only_choice(schema: Mapping[str, Any]) -> list[Any]:
    """The schema of a field that may be null, where that is said as a choice of two; else nothing."""
    found = [one for kind in ("anyOf", "oneOf") for one in list_at(schema, kind)]
    found = [one for one in found if not isinstance(one, dict) or one.get("type") != "null"]
    return found if len(found) == 1 else []


def choices_of(schema: Mapping[str, Any]) -> list[Any]:
    """The values that a schema allows, without null, which stands there for a field that may be empty."""
    given = [schema["const"]] if "const" in schema else list_at(schema, "enum")
    return [value for value in given if value is not None]


def kind_of(schema: Mapping[str, Any]) -> Any:
    """The type that a schema names, without null."""
    kind = schema.get("type")
    return next((one for one in kind if one != "null"), None) if isinstance(kind, list) else kind
