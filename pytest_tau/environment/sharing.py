"""What a core schema of pydantic is made of, and whether what it makes of JSON may hold parts of that JSON itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

# What pydantic's validators make new objects of, or what cannot be changed.
_MAKES_ANEW = frozenset(
    """model model-field model-fields typed-dict typed-dict-field dataclass dataclass-args dataclass-field list dict str
    int float bool none nullable default literal union tagged-union definitions definition-ref date datetime time enum
    decimal""".split()  # noqa: SIM905
)


def shares(schema: Any) -> bool:
    """Whether a validator with this core schema may give back objects that it was given, and not copies of them."""
    return not all(kind in _MAKES_ANEW for kind in kinds(schema))


def kinds(schema: Any) -> Iterator[str]:
    """The kinds of validators that a core schema is made of; "any" where it does not say what is inside."""
    if isinstance(schema, dict):
        kind = schema.get("type")
        parts: Iterable[Any] = schema.values()
        if isinstance(kind, str):  # else these are fields by name
            yield kind
            extra = schema.get("extra_behavior"), (schema.get("config") or {}).get("extra_fields_behavior")
            if "allow" in extra or _INSIDE.get(kind, "type") not in schema:
                yield "any"
            parts = [part for name, part in schema.items() if name not in _NO_SCHEMAS]
        for part in parts:
            yield from kinds(part)
    elif isinstance(schema, (list, tuple)):
        for part in schema:
            yield from kinds(part)


_INSIDE = {"list": "items_schema", "dict": "values_schema"}
_NO_SCHEMAS = ("type", "metadata", "serialization", "cls", "config", "default")
