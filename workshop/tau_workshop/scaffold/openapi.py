"""A domain from an OpenAPI file (3.x or 2.0, JSON): its operations become tools, its resources tables.

A path that ends in a parameter (``/pets/{petId}``) whose GET returns an object is a resource: a table with a few made
records. Its usual operations (list, get, create, change, delete) are written in full; every other operation is a tool
with its arguments, which says that nobody has written yet what it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from pytest_tau.errors import SettingsError, reason
from pytest_tau.files import decode, loads

from .json_schema import DEEPEST, SchemaReader, choices_of, list_at
from .tables import change, finder_call, look_up, wishes
from .world import (
    OWN_TOOLS,
    Argument,
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

_VERBS = ("get", "post", "put", "patch", "delete")
_MADE = 4
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath")


def world(name: str, file: Path) -> SourceWorld:
    """Read it.

    Raises:
        SettingsError: it is no OpenAPI file in JSON, or has no operation.
    """
    try:
        content = loads(decode(file.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{file}: cannot be read as JSON: {reason(error)}") from None
    if not isinstance(content, dict) or not isinstance(content.get("paths"), dict):
        raise SettingsError(f"{file}: not an OpenAPI file: it has no paths")
    return _SpecReader(content).world(name, str(file))


class _SpecReader:
    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content, self._schemas = content, SchemaReader(content)
        self._names = set(OWN_TOOLS)
        self.tables: dict[str, SourceTable] = {}
        self._paths: dict[str, str] = {}  # of a resource, to its table
        self.open: list[str] = []
        self.unheeded: list[str] = []

    def world(self, name: str, where: str) -> SourceWorld:
        operations = list(self._operations())
        if not operations:
            raise SettingsError(f"{where}: it has no operation")
        models: set[str] = set()
        for path, verb, operation in operations:
            if verb == "get" and path.endswith("}"):
                self._resource(path, operation, models)
        methods = [self._method(path, verb, operation) for path, verb, operation in operations]
        tables = tuple(self.tables.values())
        changes = [update for table in tables if (update := change(table)) and update.name not in self._names]
        looks = [look for table in tables if (look := look_up(table)).name not in self._names]
        methods += [*looks, *changes]
        todo = [f"write what {tool} does in tools.py" for tool in self.open]
        todo += self.unheeded
        if not tables:
            from . import blank

            return blank.world(name, *methods, todo=(*todo, "write your records into schema.py and db.json"))
        todo += ["put records of yours into db.json", "write the rules of your agents into policy.md"]
        info = self._content.get("info")
        title = info.get("title") if isinstance(info, dict) else None
        return SourceWorld(name, f"{title or name}", tables, tuple(methods), wishes(tables, methods), todo=tuple(todo))

    def _operations(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        for path, item in self._content["paths"].items():
            found = self._schemas.resolve(item)
            for verb in _VERBS:
                if isinstance(operation := found.get(verb), dict):
                    given = [*list_at(found, "parameters"), *list_at(operation, "parameters")]
                    # An operation's own takes the place of the path's one of that name.
                    own = {(str(one.get("name")), str(one.get("in"))): one for one in map(self._schemas.resolve, given)}
                    yield str(path), verb, {**operation, "parameters": [*own.values()]}

    def _body(self, operation: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
        """The schema of what a request carries, and whether it has to."""
        for parameter in operation["parameters"]:
            if parameter.get("in") == "body":
                return self._schemas.resolve(parameter.get("schema")), parameter.get("required") is True
        carried = self._schemas.resolve(operation.get("requestBody"))
        return self._media(carried), carried.get("required") is True

    def _answer(self, operation: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema of what comes back when all is well."""
        answers = operation.get("responses")
        for status, answer in answers.items() if isinstance(answers, dict) else ():
            if str(status).startswith("2"):
                resolved = self._schemas.resolve(answer)
                return self._media(resolved) or self._schemas.resolve(resolved.get("schema"))
        return {}

    def _media(self, holder: Mapping[str, Any]) -> Mapping[str, Any]:
        content = holder.get("content")
        for kind in content.values() if isinstance(content, dict) else ():
            if isinstance(kind, dict) and (found := self._schemas.resolve(kind.get("schema"))):
                return found
        return {}

    def _resource(self, path: str, operation: Mapping[str, Any], models: set[str]) -> None:
        *before, parameter = [part for part in path.split("/") if part]
        schema = self._answer(operation)
        properties = schema.get("properties")
        named = [part for part in before if not part.startswith("{")]
        if not isinstance(properties, dict) or not properties or not named:
            return
        by_name = {snake(name): name for name in reversed(properties)}  # of "petId" and "pet_id" the first counts
        properties = {name: inner for name, inner in properties.items() if by_name[snake(name)] == name}
        key = self._key(snake(parameter.strip("{}")), {snake(name) for name in properties}, singular(snake(named[-1])))
        if key is None or (attribute := table_name(named[-1])) in self.tables:
            return
        needed = list_at(schema, "required")
        columns = []
        for name, inner in properties.items():
            own = snake(name) == key or name in needed
            columns.append(Column(snake(name), self._schemas.type_of(inner), not own, self._schemas.describe(inner)))
        rows = self._rows(properties, key)
        model = distinct(camel(singular(attribute)), models)
        self.tables[attribute] = SourceTable(attribute, model, (key,), tuple(columns), rows)
        self._paths[path] = attribute

    @staticmethod
    def _key(parameter: str, fields: set[str], one: str) -> str | None:
        """The field that a resource is found by: as its parameter is called, or what is left of that."""
        candidates = (parameter, parameter.removeprefix(f"{one}_"), "id", "uuid", "name", "slug")
        return next((name for name in candidates if name in fields), None)

    def _rows(self, properties: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
        """A few records, the same ones every time."""
        rng, rows = Random(1), {}
        for number in range(1, _MADE + 1):
            row = {snake(name): self._value(name, inner, rng, number) for name, inner in properties.items()}
            rows[str(row[key])] = row
        return rows

    def _value(self, name: str, schema: Any, rng: Random, number: int, depth: int = 0) -> Any:
        schema = self._schemas.resolve(schema)
        if values := choices_of(schema):
            return values[number % len(values)]
        kind = self._schemas.type_of(schema, depth)
        if kind.startswith("list"):
            return [self._value(name, schema.get("items"), rng, number, depth + 1)] if depth < DEEPEST else []
        if kind.startswith("dict"):
            inner = schema.get("properties")
            pairs = inner.items() if isinstance(inner, dict) and depth < DEEPEST else ()
            return {str(one): self._value(str(one), part, rng, number, depth + 1) for one, part in pairs}
        made = {"int": number, "float": float(number), "bool": number % 2 == 0}
        return made.get(kind, f"{snake(name).replace('_', ' ')} {rng.choice(_WORDS)} {number}")

    def _method(self, path: str, verb: str, operation: Mapping[str, Any]) -> Method:
        words = re.sub(r"[{}]", "", path)
        name = distinct(snake(str(operation.get("operationId") or f"{verb}_{words}")), self._names)
        about = str(operation.get("summary") or operation.get("description") or "")
        arguments, sent = self._arguments(operation)
        table = self.tables.get(self._paths.get(path, ""))
        written = self._writing_method(path, verb, table, sent)
        made = written or self._listing(path, verb, name, arguments)
        if made is None:
            self.open.append(name)
            body: tuple[str, ...] = unwritten(name)
            return Method(name, arguments, "Any", about, verb != "get", body)
        returns, body, keyed = made
        if keyed and table is not None:
            parameter = next((a for a in arguments if a.name in (snake(path.rpartition("{")[2].strip("}")),)), None)
            own = Argument(table.key[0], table.column(table.key[0]).type, parameter.about if parameter else "")
            arguments = (own, *(a for a in arguments if a is not parameter and a.name != own.name))
        if written is not None and (filled := table or self._collection(path)) is not None:
            self._tell_unheeded(name, arguments, [*filled.key, *(c.name for c in filled.columns if c.name in sent)])
        return Method(name, arguments, returns, about, verb != "get", body)

    def _writing_method(
        self, path: str, verb: str, table: SourceTable | None, sent: list[str]
    ) -> tuple[str, tuple[str, ...], bool] | None:
        """What the method returns, its body, and whether it takes a record's key; None for another operation."""
        if table is not None:
            key, record = table.key[0], finder_call(table)
            if verb == "get":
                return table.model, (f"return {record}",), True
            if verb == "delete":
                gone = f"del self.db.{table.name}[str({key})]"
                return table.model, (f"gone = {record}", gone, "return gone"), True
            settable = [name for name in sent if name != key and any(c.name == name for c in table.columns)]
            pairs = ", ".join(f'"{name}": {name}' for name in settable)
            if not settable:
                return None
            own = distinct("record", {*sent})
            lines = (
                f"{own} = {record}",
                f"for name, value in {{{pairs}}}.items():",
                "    if value is not None:",
                f"        setattr({own}, name, value)",
                f"return {own}",
            )
            return table.model, lines, True
        table = self._collection(path)
        if table is None:
            return None
        columns = {column.name for column in table.columns}
        key = table.key[0]
        if verb != "post" or not {c.name for c in table.columns if not c.optional and c.name != key} <= set(sent):
            return None
        given = ", ".join(f'"{name}": {name}' for name in sent if name in columns and name != key)
        own, number = distinct("key", taken := {*sent}), distinct("number", taken)
        made = number if table.column(key).type == "int" else f'f"{table.one}-{{{number}}}"'
        fresh = f"{key} if {key} is not None else {made}" if key in sent else made
        added = (
            f"{number} = len(self.db.{table.name}) + 1",
            f"while str({made}) in self.db.{table.name}:  # where others were deleted",
            f"    {number} += 1",
            f"{own} = {fresh}",
            f"if str({own}) in self.db.{table.name}:",
            f'    raise ValueError(f"there is a {table.one} {{{own}}} already")',
            f'record = {table.model}.model_validate({{"{key}": {own}, {given}}})',
            f"self.db.{table.name}[str({own})] = record",
            "return record",
        )
        return table.model, added, False

    def _collection(self, path: str) -> SourceTable | None:
        """The table whose records a path has below it."""
        name = next((t for p, t in self._paths.items() if p.rpartition("/")[0] == path.rstrip("/")), None)
        return None if name is None else self.tables[name]

    def _listing(
        self, path: str, verb: str, name: str, arguments: Sequence[Argument]
    ) -> tuple[str, tuple[str, ...], bool] | None:
        """A method that lists records, those alone that have the values asked for; as :meth:`_writing_method`."""
        table = self._collection(path) if verb == "get" else None
        if table is None:
            return None
        kinds = {column.name: _compared(column.type) for column in table.columns}
        heeded = [one.name for one in arguments if (kind := kinds.get(one.name)) and kind == _compared(one.type)]
        self._tell_unheeded(name, arguments, heeded)
        wanted = ", ".join(f'"{one}": {one}' for one in heeded)
        found = f"list(self.db.{table.name}.values())"
        if not wanted:
            return f"list[{table.model}]", (f"return {found}[:20]",), False
        body = (
            f"wanted = {{name: value for name, value in {{{wanted}}}.items() if value is not None}}",
            f"found = {found}",
            "return [one for one in found if all(getattr(one, name) == wanted[name] for name in wanted)][:20]",
        )
        return f"list[{table.model}]", body, False

    def _tell_unheeded(self, name: str, arguments: Sequence[Argument], heeded: Sequence[str]) -> None:
        if others := [one.name for one in arguments if one.name not in heeded]:
            self.unheeded.append(not_heeded(name, others))

    def _arguments(self, operation: Mapping[str, Any]) -> tuple[tuple[Argument, ...], list[str]]:
        """All arguments, required ones first, and the names of those that the request's body has."""
        taken: set[str] = {"self"}
        needed: list[Argument] = []
        optional: list[Argument] = []
        sent: list[str] = []
        for parameter in operation["parameters"]:
            if parameter.get("in") in ("path", "query", "formData") and isinstance(parameter.get("name"), str):
                schema, told = parameter.get("schema") or parameter, str(parameter.get("description") or "")
                must = parameter.get("required") is True
                self._schemas.add(parameter["name"], schema, must, told, taken, needed, optional)
        body, must = self._body(operation)
        properties = body.get("properties")
        required = list_at(body, "required")
        if body and not isinstance(properties, dict):  # a list, a text, or one of several objects
            self._schemas.add("body", body, must, self._schemas.describe(body), taken, needed, optional)
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            if snake(name) in taken:
                continue
            sent.append(snake(name))
            self._schemas.add(name, schema, name in required, self._schemas.describe(schema), taken, needed, optional)
        return (*needed, *optional), sent


def _compared(annotation: str) -> str:
    """What values of a type can be equal to, by its source text; "" for lists and objects, of which parts are meant."""
    kind = annotation.removesuffix(" | None")
    kind = "str" if kind.startswith("Literal[") else "float" if kind == "int" else kind
    return "" if kind.startswith(("list[", "dict[")) else kind
