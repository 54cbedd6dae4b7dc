"""A domain from an MCP server: its tools with their schemas, and tables of the records that they have returned."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from . import blank
from .json_schema import SchemaReader
from .tables import as_ours, change, look_up, wishes
from .world import (
    OWN_TOOLS,
    Column,
    Method,
    SourceTable,
    SourceWorld,
    camel,
    distinct,
    not_heeded,
    singular,
    snake,
    table_name,
    unwritten,
)

_KEYS = ("id", "key", "uuid", "code", "number", "name")
_MOST_ROWS = 500
_LONGEST = 300  # digits, so that it is a float as well


def _reads(tool: Mapping[str, Any]) -> bool:
    return bool((tool.get("annotations") or {}).get("readOnlyHint"))


def world(name: str, tools: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> SourceWorld:
    """The world.

    Args:
        name: of the domain.
        tools: as the protocol lists them: name, description, inputSchema, annotations.
        answers: what some of them have answered without arguments, as text, by their names.
    """
    models: set[str] = set()
    taken = set(OWN_TOOLS)
    tables: dict[str, SourceTable] = {}
    methods: list[Method] = []
    cut: list[str] = []
    for tool in tools:
        method_name = distinct(snake(str(tool["name"])), taken)
        table, number = _table(method_name, answers.get(tool["name"], ""), models)
        if table is not None and table.name not in tables:
            tables[table.name] = table
            if number > _MOST_ROWS:
                cut.append(f"{method_name} returned {number} records: db.json has the first {_MOST_ROWS}")
        else:
            table = None
        schema = tool.get("inputSchema") or {}
        arguments = SchemaReader(schema).arguments_of(schema)
        about = str(tool.get("description") or "")
        if table is None:
            methods.append(Method(method_name, arguments, "Any", about, not _reads(tool), unwritten(method_name)))
        else:
            listed = (f"return list(self.db.{table.name}.values())",)
            methods.append(Method(method_name, arguments, f"list[{table.model}]", about, False, listed))
    for table in tables.values():
        methods = [as_ours(method, table) if method.is_open else method for method in methods]
    todo = [f"write what {method.name} does in tools.py" for method in methods if method.is_open]
    for method in methods:
        more = [one.name for one in method.arguments if one.default is not None]
        if more and not (method.is_open or method.writes):
            todo.append(not_heeded(method.name, more))
    if not tables:
        own = blank.world(name)
        return blank.world(name, *methods, todo=(*todo, *own.todo))
    for table in tables.values():
        own_tools = (look_up(table), change(table))
        methods += [method for method in own_tools if method is not None and method.name not in taken]
    todo += [*cut, "keep of the new tools what your server has", "write the rules of your agents into policy.md"]
    kept = tuple(tables.values())
    return SourceWorld(
        name, "the records of this server", kept, tuple(methods), wishes(kept, methods), todo=tuple(todo)
    )


def _table(tool: str, answer: str, models: set[str]) -> tuple[SourceTable | None, int]:
    """The records in an answer: a list of objects with a key, alone or as the only list inside an object; and
    how many there are."""
    try:
        # What no JSON can hold is null: NaN, and numbers that are too large.
        content = json.loads(answer, parse_constant=lambda _: None, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError):
        return None, 0
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else None
    if not isinstance(content, list) or not content or not all(isinstance(row, dict) for row in content):
        return None, 0
    rows = [{snake(str(name)): value for name, value in row.items()} for row in content[:_MOST_ROWS]]
    fields = [name for name in rows[0] if all(name in row for row in rows)]
    what = table_name(tool.removeprefix("list_").removeprefix("get_").removeprefix("all_"))
    names = (f"{singular(what)}_id", f"{singular(what)}_key", *_KEYS)
    told = [name for name in fields if all(row[name] is not None for row in rows)]
    key = next((name for name in names if name in told and len({str(row[name]) for row in rows}) == len(rows)), None)
    if key is None:
        return None, 0
    every = dict.fromkeys(name for row in rows for name in row)
    columns = tuple(_column(name, [row.get(name) for row in rows]) for name in every)
    for row in rows:  # of 2 and 2.5 both are numbers with decimals, also as keys
        row |= {c.name: float(row[c.name]) for c in columns if c.type == "float" and row.get(c.name) is not None}
    model = distinct(camel(singular(what)), models)
    return SourceTable(what, model, (key,), columns, {str(row[key]): row for row in rows}), len(content)


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _whole(number: str) -> int | None:
    return int(number) if len(number) < _LONGEST else None


def _column(name: str, values: list[Any]) -> Column:
    kinds = {type(value) for value in values if value is not None}
    plain = {str: "str", int: "int", float: "float", bool: "bool"}
    kinds = {float} if kinds == {int, float} else kinds
    kind = plain.get(next(iter(kinds)), "Any") if len(kinds) == 1 else "Any"
    return Column(name, kind, optional=None in values)
