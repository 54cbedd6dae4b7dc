"""A domain out of a log, as an author would begin it: :mod:`.inferring` guesses, and the code says each guess."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_tau.environment.results import FAILED
from pytest_tau.environment.toolkit import Toolkit
from pytest_tau.errors import RecordingError
from pytest_tau.printable import one_line
from pytest_tau.recordings.logged import LoggedConversation

from ..scaffold.json_schema import SchemaReader, kind_of
from ..scaffold.world import Argument, Column, Method, SourceTable, SourceWorld
from .inferring import GuessedTable, GuessedTool, GuessedWorld, infer, some_of, types_of

ANSWERS = SourceTable(
    "answers",
    "Answer",
    ("call",),
    (
        Column("call", "str"),
        Column("result", "str"),
        Column("error", "bool"),
        Column("changes", "dict[str, dict[str, dict[str, Any]]]"),
    ),
    {},
)
MADE = SourceTable("made", "MadeCall", ("call",), (Column("call", "str"), Column("times", "int")), {})
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]"}
_TAKEN = {*dir(Toolkit), "db", "parity", "now", "self"}

_HELPERS = (
    "def _answer(self, name: str, arguments: dict[str, Any]) -> str:",
    '    """What the log has for a call; raises ValueError where it has nothing, or an error."""',
    "    key = call_key(name, arguments)",
    "    if key not in self.db.answers:",
    '        raise ValueError(f"nothing is recorded for {key}")',
    "    answer = self.db.answers.read(key)",
    "    if answer.error:",
    "        raise ValueError(answer.result)",
    "    return answer.result",
    "",
    "def _note(self, name: str, arguments: dict[str, Any]) -> None:",
    '    """Notes that a call which writes was made: also where nothing is known of what it does, it is no nothing."""',
    "    key = call_key(name, arguments)",
    "    made = self.db.made.get(key) or MadeCall(call=key, times=0)",
    "    self.db.made[key] = MadeCall(call=key, times=made.times + 1)",
    "",
    "def _change(self, name: str, arguments: dict[str, Any]) -> str:",
    '    """Changes what the log says that this call changed; raises ValueError as _answer() does."""',
    "    key = call_key(name, arguments)",
    "    answer = self.db.answers.read(key) if key in self.db.answers else None",
    "    if answer is None or not (answer.error or answer.changes):",
    "        self._note(name, arguments)  # nothing else would show it",
    "    result = self._answer(name, arguments)",
    "    for table, records in self.db.answers.read(key).changes.items():",
    "        for record, fields in records.items():",
    "            self._put(table, record, fields)",
    "    return result",
    "",
    "def _put(self, table: str, key: str, fields: dict[str, Any]) -> Any:",
    '    """Sets fields of a record, or makes it."""',
    "    records = self.db.tables[table]",
    "    known = records[key].model_dump() if key in records else {}",
    "    records[key] = records.base.adapter.validate_python({**known, **fields})",
    "    return records[key]",
)
_CALL_KEY = (
    "def call_key(name: str, arguments: dict[str, Any]) -> str:",
    '    """A call as one text: what answers are recorded under."""',
    "    given = {key: _number(value) for key, value in sorted(arguments.items()) if value is not None}",
    '    return f"{name}({json.dumps(given, sort_keys=True, ensure_ascii=False)[1:-1]})"',
    "",
    "",
    "def _number(value: Any) -> Any:",
    "    if isinstance(value, float) and value.is_integer():",
    "        return int(value)",
    "    if isinstance(value, list):",
    "        return [_number(one) for one in value]",
    "    if isinstance(value, dict):",
    "        return {key: _number(one) for key, one in value.items() if one is not None}",
    "    return value",
)


def world_of(name: str, conversations: Sequence[LoggedConversation]) -> SourceWorld:
    """The domain behind some conversations.

    Raises:
        RecordingError: no tool is called in them.
    """
    guessed = infer(conversations)
    if not guessed.tools:
        raise RecordingError("no tool is called in this log, so there is no world to infer from it")
    schemas = {
        tool["function"]["name"]: tool["function"] for one in conversations for tool in one.meta.get("tools") or []
    }
    odd = [tool.name for tool in guessed.tools if not _can_be_written(tool)]
    methods = [_method(tool, schemas.get(tool.name, {})) for tool in guessed.tools if tool.name not in odd]
    called = {tool.name for tool in guessed.tools}
    unused = {known: schema for known, schema in schemas.items() if known not in called}
    methods += [_unused_method(schema) for known, schema in unused.items() if _is_tool(known)]
    odd += [known for known in unused if not _is_tool(known)]
    todo = [
        "Read each line that says Guess in tools.py; replace what answers by record by the rule itself.",
        "domains/NAME/policy.md: it is the log's system prompt, or a form to fill.".replace("NAME", name),
    ]
    todo += [f"The tool {one} is left out: its name or an argument's cannot be written in tools.py." for one in odd]
    return SourceWorld(
        name,
        "what the log of its conversations shows",
        (*(_table(table) for table in guessed.tables), _answers(guessed), MADE),
        tuple(methods),
        (),
        imports=("import json",),
        todo=tuple(todo),
        helpers=_HELPERS,
        preamble=_CALL_KEY,
        policy=next((str(one.meta["system"]) for one in conversations if one.meta.get("system")), ""),
    )


def _can_be_written(tool: GuessedTool) -> bool:
    names = {name for sample in tool.samples for name in sample.arguments}
    return _is_tool(tool.name) and all(map(_is_name, names))


def _is_tool(name: str) -> bool:
    return _is_name(name) and name != "tool"  # which would hide what marks those after it as tools


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_") and name not in _TAKEN


def _table(table: GuessedTable) -> SourceTable:
    columns = []
    for name in dict.fromkeys(name for row in table.rows.values() for name in row):
        values = [row.get(name) for row in table.rows.values()]
        optional = any(value is None for value in values)
        columns.append(Column(name, types_of([value for value in values if value is not None]), optional))
    return SourceTable(table.name, table.model, (table.argument,), tuple(columns), table.rows)


def _answers(guessed: GuessedWorld) -> SourceTable:
    """The recorded answers of all tools that are no look-up of a record, and errors of those as well."""
    rows: dict[str, Mapping[str, Any]] = {}
    for key, (sample, changes) in guessed.answers.items():
        text = sample.text.removeprefix(FAILED) if sample.error else sample.text
        rows[key] = {"call": key, "result": text, "error": sample.error, "changes": changes}
    for tool in guessed.tools:
        for sample in tool.samples if tool.table is not None else ():
            if sample.error:
                text = sample.text.removeprefix(FAILED)
                rows.setdefault(sample.key, {"call": sample.key, "result": text, "error": True, "changes": {}})
    return SourceTable(ANSWERS.name, ANSWERS.model, ANSWERS.key, ANSWERS.columns, rows)


def _method(tool: GuessedTool, schema: Mapping[str, Any]) -> Method:
    arguments = _arguments(tool, schema)
    given = "{" + ", ".join(f'"{one.name}": {one.name}' for one in arguments) + "}"
    call = f'"{tool.name}", {given}'
    # The reason names another tool, and a line end in that name would end the comment.
    why = one_line(f"# Guess: it {'writes' if tool.writes else 'only looks'}, because {tool.why}.")
    body: tuple[str, ...]
    if tool.rule is not None:
        table, key, fields = tool.rule
        shown = ", ".join(
            f'"{n}": {value if kind == "argument" else repr(value)}' for n, (kind, value) in fields.items()
        )
        body = (
            why,
            f"# Guess: a rule that all {len(tool.samples)} calls of the log follow; what it refuses is not known.",
            f"if call_key({call}) in self.db.answers:",
            f"    self._change({call})",
            f"    return self.db.{table.name}[{key}]",
            f"if {key} not in self.db.{table.name}:",
            f"    return self._change({call})",
            f'return self._put("{table.name}", {key}, {{{shown}}})',
        )
    elif tool.writes:
        body = (
            why,
            "# Guess: no rule is seen, so it does what the log has for these arguments.",
            f"return self._change({call})",
        )
    elif (look_up := tool.table) is not None:
        body = (
            why,
            f"# Guess: a record of {look_up.name} by {look_up.argument}.",
            f"if {look_up.argument} in self.db.{look_up.name}:",
            f"    return self.db.{look_up.name}[{look_up.argument}]",
            f"return self._answer({call})",
        )
    elif tool.constant is not None:
        body = (why, "# Guess: it always answers this.", f"return {tool.constant!r}")
    else:
        body = (
            why,
            "# Guess: no table is seen behind it, so it answers what was recorded.",
            f"return self._answer({call})",
        )
    about = str(schema.get("description") or "")
    return Method(tool.name, arguments, "Any", about, tool.writes, body)


def _unused_method(schema: Mapping[str, Any]) -> Method:
    """A tool that the agent had and never called."""
    tool = GuessedTool(str(schema["name"]), [])
    given = "{" + ", ".join(f'"{one.name}": {one.name}' for one in _arguments(tool, schema)) + "}"
    body = ("# Guess: the log has no call of it.", f'return self._answer("{tool.name}", {given})')
    return Method(tool.name, _arguments(tool, schema), "Any", str(schema.get("description") or ""), False, body)


def _arguments(tool: GuessedTool, schema: Mapping[str, Any]) -> tuple[Argument, ...]:
    """The arguments: from the tool's schema where the log has it, else by use; those with a default come last."""
    parameters = schema.get("parameters")
    parameters = parameters if isinstance(parameters, Mapping) else {}
    declared, resolve = parameters.get("properties"), SchemaReader(parameters).resolve
    declared = {k: resolve(v) for k, v in declared.items() if _is_name(k)} if isinstance(declared, Mapping) else {}
    required = parameters.get("required")
    required = required if isinstance(required, list) else []
    names = list(dict.fromkeys([*declared, *(name for sample in tool.samples for name in sample.arguments)]))
    made = []
    for name in names:
        values = [sample.arguments.get(name) for sample in tool.samples]
        kind = (
            _declared_type(declared[name], resolve)
            if name in declared
            else types_of([v for v in values if v is not None])
        )
        always = bool(values) and all(value is not None for value in values)
        needed = name in required if name in declared else always
        # What a call of the log left out can be left out, whatever its schema says.
        needed = needed and (always or not values)
        told = declared.get(name, {}).get("description")
        some = ", ".join(f'"{one}"' for one in some_of([value for value in values if value is not None]))
        about = str(told or (f"One of {some}, as far as the log shows." if some else ""))
        kind = kind if needed else f"{kind} | None" if kind != "Any" else kind
        made.append(Argument(name, kind, about, None if needed else "None"))
    return tuple(sorted(made, key=lambda one: one.default is not None))


def _declared_type(schema: Mapping[str, Any], resolve: Callable[[Any], Mapping[str, Any]]) -> str:
    kind = kind_of(schema)
    if kind == "array":
        inner = _SIMPLE.get(str(kind_of(resolve(schema.get("items")))))
        return f"list[{inner}]" if inner in ("str", "int", "float", "bool") else "list[Any]"
    return _SIMPLE.get(kind, "Any") if isinstance(kind, str) else "Any"
