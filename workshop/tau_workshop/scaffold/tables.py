"""The tools and wishes that any table gives: look a record up, find those of a parent, change its fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from .world import Argument, Column, Method, SourceTable, Wish, distinct, plural

_PLAIN = ("str", "int", "float", "bool")
_FOUND = 20


def finder(table: SourceTable) -> str:
    """The private method that finds a record or says that there is none."""
    return f"_{table.one}"


def key_arguments(table: SourceTable) -> tuple[Argument, ...]:
    """The arguments that name a record."""
    example = next(iter(table.rows), "")
    told = f"Which {spoken_name(table.one)}" + (f', such as "{example}".' if len(table.key) == 1 and example else ".")
    return tuple(Argument(name, table.column(name).type, told) for name in table.key)


def finder_call(table: SourceTable) -> str:
    """The call of :func:`finder`, as source text."""
    return f"self.{finder(table)}({', '.join(table.key)})"


def spoken_name(name: str) -> str:
    """A name as people say it."""
    return name.strip("_").replace("_", " ")


def look_up(table: SourceTable) -> Method:
    """A record by its key."""
    about = f"Look up a {spoken_name(table.one)}."
    return Method(
        f"get_{table.one}", key_arguments(table), table.model, about, False, (f"return {finder_call(table)}",)
    )


def children(table: SourceTable, tables: Iterable[SourceTable]) -> Iterator[Method]:
    """The records that refer to a record of another table."""
    by_name = {other.name: other for other in tables}
    for column, parent in table.parents.items():
        if parent not in by_name:
            continue
        other = by_name[parent]
        body = (
            f'found = [row for row in self.db.{table.name}.scan() if row["{column}"] == {column}]',
            f"return [{table.model}.model_validate(dict(row)) for row in found[:{_FOUND}]]",
        )
        about = f"List the {spoken_name(plural(table.one))} of a {spoken_name(other.one)}, {_FOUND} at most."
        argument = Argument(column, table.column(column).type, f"Which {spoken_name(other.one)}.")
        yield Method(f"list_{plural(table.one)}_by_{column}", (argument,), f"list[{table.model}]", about, False, body)


def change(table: SourceTable) -> Method | None:
    """Set fields of a record; None where it has none that could be set."""
    fields = [c for c in table.columns if c.name not in table.key and c.name not in table.parents and c.type in _PLAIN]
    if not fields:
        return None
    arguments = [*key_arguments(table)]
    arguments += [
        Argument(c.name, f"{c.type} | None", c.about or f"The new {spoken_name(c.name)}.", "None") for c in fields
    ]
    about = f"Change fields of a {spoken_name(table.one)}; those that are left out stay as they are."
    body = _setting(table, [column.name for column in fields])
    return Method(f"update_{table.one}", tuple(arguments), table.model, about, True, body)


def _setting(table: SourceTable, fields: Iterable[str]) -> tuple[str, ...]:
    """The body of a tool that sets these fields, named as its arguments are."""
    names = list(fields)
    pairs = ", ".join(f'"{field}": {field}' for field in names)
    record = distinct(table.one, {*names, "name", "value"})  # a note may have a field "note"
    return (
        f"{record} = {finder_call(table)}",
        f"for name, value in {{{pairs}}}.items():",
        "    if value is not None:",
        f"        setattr({record}, name, value)",
        f"return {record}",
    )


def as_ours(method: Method, table: SourceTable) -> Method:
    """A tool that is named as one of ours with what ours does; as it was, where its arguments are others."""
    given, number, ours = [one.name for one in method.arguments], len(table.key), change(table)
    if method.name == f"get_{table.one}" and needed(method.arguments) == [*table.key]:
        return replace(method, returns=table.model, writes=False, body=look_up(table).body)
    if ours is not None and method.name == ours.name and given[:number] == [*table.key]:
        fields = given[number:]
        if fields and {*fields} <= {one.name for one in ours.arguments}:
            return replace(method, returns=table.model, body=_setting(table, fields))
    return method


def wishes(tables: Sequence[SourceTable], methods: Sequence[Method]) -> tuple[Wish, ...]:
    """Two changes, of the first records that have a text to change; before the second one asks for the text."""
    takes = {method.name: method.arguments for method in methods if not method.is_open}
    found: list[Wish] = []
    for table in tables:
        looks, sets = (takes.get(f"{verb}_{table.one}", ()) for verb in ("get", "update"))
        settable = {one.name for one in sets}
        if needed(looks) != [*table.key] or not {*table.key} < settable:
            continue
        also = tuple(one for one in needed(sets) if one not in table.key)  # as the record has them
        for key, row in table.rows.items():
            if any(row.get(one) is None for one in also):
                continue
            column = next(
                (
                    one
                    for one in map(_changeable(table), table.columns)
                    if one in settable and _is_text(row.get(one), key)
                ),
                "",
            )
            if column:
                new = _alter(str(row[column]).strip(), [str(other) for other in row.values()], spoken_name(column))
                found.append(Wish(table, key, column, new, bool(found), also))
            if len(found) == 2:
                return tuple(found)
    return tuple(found)


def needed(arguments: Iterable[Argument]) -> list[str]:
    """The names of those that have to be given."""
    return [one.name for one in arguments if one.default is None]


def _changeable(table: SourceTable) -> Callable[[Column], str]:
    """The name of a column that a tool can set to a text, else "" ."""
    fixed = {*table.key, *table.parents}
    return lambda column: column.name if column.type == "str" and column.name not in fixed else ""


def _is_text(value: object, key: str) -> bool:
    return isinstance(value, str) and len(value.strip()) > 3 and value.strip() not in key


def _alter(value: str, others: Sequence[str], what: str) -> str:
    """Another text of the same kind, which does not say the old one where that can be helped."""
    new = f"A new {what}"
    if "@" in value:
        new = "new.address@example.com"
    elif value.istitle():  # a name
        new = " ".join([*value.split()[:-1], "Lind"])
    coded = re.fullmatch(r"\S*\d\S*", value) and "@" not in value  # a date, or a number with letters
    return f"{value} B" if new in others or coded else new
