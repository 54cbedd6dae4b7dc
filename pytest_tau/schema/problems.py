"""What pydantic found wrong, in a clause of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import AliasChoices, BaseModel, ValidationError

from ..printable import one_line

Located = tuple[tuple[Any, ...], Any]
"""The path of a problem, and the problem."""

_NO_OBJECT = {"dict_type", "model_type"}  # of which pydantic speaks in the words of Python
_LONGEST = 300  # characters of what a file or a model wrote, in a sentence of ours


def first_problem(error: ValidationError, most: int = 1) -> str:
    """The first problem of a pydantic error as one clause, with the path where it is; or the first ``most`` of them."""
    problems = error.errors(include_url=False, include_context=False)
    details = _of_objects([(one["loc"], one) for one in problems])
    more = f" (and {len(details) - most} more)" if len(details) > most else ""
    return one_line("; ".join(_clause(loc, one) for loc, one in details[:most]) + more)


def unread_keys(written: Any, read: Any, path: str = "") -> Iterator[tuple[str, str, set[str]]]:
    """The keys of JSON that pydantic ignored when it made ``read`` of it.

    Yields the path of the object, with a dot behind it, the key, and the fields that the object leaves out.
    """
    if isinstance(written, Mapping) and isinstance(read, BaseModel):
        if read.model_config.get("extra") == "allow":
            return
        fields = fields_by_key(type(read))
        for key, value in written.items():
            if key in fields:
                yield from unread_keys(value, getattr(read, fields[key]), f"{path}{key}.")
            else:
                yield path, str(key), fields.keys() - written.keys()
    elif isinstance(written, Mapping) and isinstance(read, Mapping):
        for key, value in written.items():
            yield from unread_keys(value, read.get(key), f"{path}{key}.")
    elif isinstance(written, list) and isinstance(read, (list, tuple)):
        for position, (value, made) in enumerate(zip(written, read, strict=False)):
            yield from unread_keys(value, made, f"{path.removesuffix('.')}[{position}].")


def fields_by_key(model: type[BaseModel]) -> dict[str, str]:
    """The names of a model's fields, by each key that they are read from."""
    found = {name: name for name in model.model_fields}
    for name, field in model.model_fields.items():
        for alias in (field.alias, field.validation_alias):
            if isinstance(alias, AliasChoices):
                found.update((choice, name) for choice in alias.choices if isinstance(choice, str))
            elif isinstance(alias, str):
                found[alias] = name
    return found


def _clause(loc: tuple[Any, ...], problem: Any) -> str:
    path = ".".join(str(part) for part in loc)
    told = "Input should be an object" if problem["type"] in _NO_OBJECT else problem["msg"][:_LONGEST]
    return f"{path[:_LONGEST] + ': ' if path else ''}{told}"


def _of_objects(found: list[Located]) -> list[Located]:
    """The problems, where an object or a text may stand those of the object alone: that it is no text is none."""
    for place in [loc[:-1] for loc, one in found if one["type"] == "string_type" and loc[-1:] == ("str",)]:
        depth = len(place)
        inside = [loc for loc, _ in found if loc[:depth] == place and loc != (*place, "str")]
        if inside and all(len(loc) > depth + 1 for loc in inside):
            kept = [(loc, one) for loc, one in found if loc != (*place, "str")]
            # Without the name of the class, which pydantic writes into the path.
            found = [((*place, *loc[depth + 1 :]) if loc in inside else loc, one) for loc, one in kept]
    return found
