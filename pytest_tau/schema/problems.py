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


def as_read(read: Any, dumped: Any) -> Any:
    """What pydantic dumped of ``read`` by alias, with the keys that its models read their fields from."""
    if isinstance(read, BaseModel) and isinstance(dumped, Mapping):
        made = {}
        names = {field.serialization_alias or name: name for name, field in type(read).model_fields.items()}
        for key, value in dumped.items():
            if name := names.get(key):
                made[_last_key(type(read), name)] = as_read(getattr(read, name), value)
            else:
                made[key] = value
        return made
    if isinstance(read, Mapping) and isinstance(dumped, Mapping):
        return {key: as_read(read.get(key), value) for key, value in dumped.items()}
    if isinstance(read, (list, tuple)) and isinstance(dumped, list) and len(read) == len(dumped):
        return [as_read(*both) for both in zip(read, dumped, strict=True)]
    return dumped


def _last_key(model: type[BaseModel], name: str) -> str:
    """The key that a field is read from; the last where it has several, so that any of them that is added counts."""
    alias = model.model_fields[name].validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return next((one for one in reversed(choices) if isinstance(one, str)), name)


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
