"""What a log tells of the world behind it: tables and their keys, which tools write, and what they change.

Every conclusion is a guess, and the files that :mod:`.domains` writes mark it as one.

- A tool that returns a record by one argument is a look-up. The records are rows of a table that is named after it, as
  they were before any call of their conversation had changed them.
- A tool writes if its name says so, or if a look-up shows something else after it than before.
- What a write changes is the difference between the record that it returns and the record that was known. If every
  change of a tool sets the same values, or values of its arguments, that is its rule.
- Everything else answers what was recorded for its arguments.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_tau.evaluation.language.actions import READS, reads
from pytest_tau.files import loads
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.transcript import calls_made

from ..scaffold.world import camel, plural, singular, snake, table_name

_ENDINGS = ("details", "detail", "info", "information", "profile", "record", "data", "status")
_ALIKE = 0.5  # of the fields of a table, that a record which a write returns must have
_VERBS = {*READS, "get", "load", "describe", "open", "display"}
_CONSTANT = 2  # different calls with one answer, from which on it is taken for the tool's only answer


@dataclass(frozen=True)
class Sample:
    """One call of a log: in which conversation, with what result; ``value``: the result's JSON, or its text."""

    conversation: int
    name: str
    arguments: dict[str, Any]
    text: str
    value: Any
    error: bool
    requestor: str = "assistant"

    @property
    def key(self) -> str:
        """What the call is recorded under."""
        return call_key(self.name, self.arguments)


@dataclass
class GuessedTable:
    """A table: its name, the look-up that shows its records, the argument that is their key, and the rows."""

    name: str
    model: str
    tool: str
    argument: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def fields(self) -> set[str]:
        """The fields of all rows."""
        return {name for row in self.rows.values() for name in row}


Changes = dict[str, dict[str, dict[str, Any]]]
"""Fields by table and key."""


@dataclass
class GuessedTool:
    """A tool: how it was called, whether it writes, and how it answers.

    ``table``: of a look-up. ``constant``: its only answer. ``rule``: of a write that sets fields of one record: the
    table, the argument that is the key, and for each field ("value", v) or ("argument", name).
    """

    name: str
    samples: list[Sample]
    writes: bool = False
    why: str = ""
    table: GuessedTable | None = None
    constant: str | None = None
    rule: tuple[GuessedTable, str, dict[str, tuple[str, Any]]] | None = None


@dataclass
class GuessedWorld:
    """All that was concluded. ``answers``: results by call, with what the call changed."""

    tables: list[GuessedTable] = field(default_factory=list)
    tools: list[GuessedTool] = field(default_factory=list)
    answers: dict[str, tuple[Sample, Changes]] = field(default_factory=dict)


def call_key(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as one text: arguments by name, without those that are null; 5 and 5.0 are one value."""
    given = {key: _number(value) for key, value in sorted(arguments.items()) if value is not None}
    return f"{name}({json.dumps(given, sort_keys=True, ensure_ascii=False)[1:-1]})"


def _number(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_number(one) for one in value]
    if isinstance(value, dict):
        return {key: _number(one) for key, one in value.items() if one is not None}
    return value


def infer(conversations: Sequence[LoggedConversation]) -> GuessedWorld:
    """The world behind the agent's calls of some conversations."""
    samples = [
        _sample(number, call.name, call.arguments, result.content or "", result.error, call.requestor)
        for number, one in enumerate(conversations)
        for _, call, result in calls_made(one.messages)
        if result is not None and call.requestor == "assistant"
    ]
    by_name: dict[str, list[Sample]] = {}
    for sample in samples:
        by_name.setdefault(sample.name, []).append(sample)
    world = GuessedWorld(tools=[GuessedTool(name, own) for name, own in by_name.items()])
    for tool in world.tools:
        tool.writes, tool.why = _writes(tool, samples)
        if not tool.writes:
            _guess_read(tool, world)
    written = {tool.name for tool in world.tools if tool.writes}
    _collect(samples, world, written)
    for tool in world.tools:
        if tool.writes:
            tool.rule = _rule(tool, world)
    world.tables = [table for table in world.tables if table.rows]
    for tool in world.tools:
        if tool.table is not None and not tool.table.rows:
            tool.table = None
    return world


def _sample(number: int, name: str, arguments: dict[str, Any], text: str, error: bool, requestor: str) -> Sample:
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        value = text
    return Sample(number, name, arguments, text, value, error, requestor)


def _writes(tool: GuessedTool, samples: Sequence[Sample]) -> tuple[bool, str]:
    """Whether a tool writes, and why that is thought."""
    if reads(tool.name):
        return False, "its name says that it only looks"
    changed = _changes_a_look_up(tool.name, samples)
    if changed:
        return True, f"{changed} shows something else after it"
    answers = {sample.text for sample in tool.samples if not sample.error}
    if len(answers) == 1 and len({sample.key for sample in tool.samples}) >= _CONSTANT and not next(iter(answers)):
        return False, "it answers nothing"
    return True, "its name does not say that it only looks"


def _changes_a_look_up(name: str, samples: Sequence[Sample]) -> str:
    """The look-up that shows something else after a call of this tool than before, with nothing else between."""
    seen: dict[tuple[int, str], str] = {}
    since: dict[int, list[Sample]] = {}
    for sample in samples:
        if not reads(sample.name):
            since.setdefault(sample.conversation, []).append(sample)
            continue
        at = (sample.conversation, sample.key)
        before = seen.get(at)
        between = {one.name for one in since.get(sample.conversation, []) if not one.error}
        if before is not None and before != sample.text and between == {name}:
            return sample.name
        seen[at] = sample.text
        if before is not None:
            since[sample.conversation] = []
    return ""


def _guess_read(tool: GuessedTool, world: GuessedWorld) -> None:
    good = [sample for sample in tool.samples if not sample.error]
    answers = {sample.text for sample in good}
    if len(answers) == 1 and len({sample.key for sample in good}) >= _CONSTANT:
        tool.constant = good[0].text
        return
    argument = _key_argument(good)
    if argument is not None:
        name = table_name(_records_name(tool.name, argument))
        taken = {table.name for table in world.tables} | {"answers", "made"}
        if name not in taken:
            tool.table = GuessedTable(name, camel(singular(name)), tool.name, argument)
            world.tables.append(tool.table)


def _key_argument(samples: Sequence[Sample]) -> str | None:
    """The one argument of a look-up of records; None where its results are no records."""
    if not samples or not all(isinstance(sample.value, dict) and sample.value for sample in samples):
        return None
    names = {tuple(sample.arguments) for sample in samples}
    if len(names) != 1 or len(next(iter(names))) != 1:
        return None
    [name] = next(iter(names))
    shared = set.intersection(*(set(sample.value) for sample in samples))
    fits = shared and all(_is_field(key) for sample in samples for key in sample.value)
    texts = all(isinstance(sample.arguments[name], str) and sample.arguments[name] for sample in samples)
    own = all(sample.value.get(name, sample.arguments[name]) == sample.arguments[name] for sample in samples)
    # A mapping of names to ids, such as a list of all products, has fields of its own in each result.
    return name if fits and texts and own and 2 * len(shared) >= max(len(sample.value) for sample in samples) else None


def _is_field(name: str) -> bool:
    return name.isidentifier() and snake(name) == name and not name.startswith("_")


def _records_name(tool: str, argument: str) -> str:
    words = [word for word in snake(tool).split("_") if word]
    while len(words) > 1 and words[0] in _VERBS:
        words = words[1:]
    while len(words) > 1 and words[-1] in _ENDINGS:
        words = words[:-1]
    words = words[: words.index("by")] if "by" in words[1:] else words
    return plural("_".join(words)) if words else plural(argument.removesuffix("_id"))


def _collect(samples: Sequence[Sample], world: GuessedWorld, written: set[str]) -> None:
    """Rows as they were first shown, and answers with what they changed."""
    tables = {table.tool: table for table in world.tables}
    for table in world.tables:  # the fields that records of each table have, before writes are looked at
        for sample in samples:
            if sample.name == table.tool and not sample.error:
                table.rows.setdefault("", {}).update(sample.value)
    shapes = {table.name: set(table.rows.pop("")) for table in world.tables if "" in table.rows}
    now: dict[tuple[int, str, str], dict[str, Any]] = {}
    touched: set[tuple[int, str, str]] = set()
    for sample in samples:
        if sample.name in tables and not sample.error:
            table = tables[sample.name]
            key = sample.arguments[table.argument]
            place = (sample.conversation, table.name, key)
            if place not in touched:
                table.rows.setdefault(key, sample.value)
            now[place] = sample.value
            continue
        changes: Changes = {}
        if sample.name in written and not sample.error:
            found = _record_of(sample, world.tables, shapes)
            if found is not None:
                table, key, record = found
                place = (sample.conversation, table.name, key)
                before = now.get(place, {})
                changed = {name: value for name, value in record.items() if before.get(name) != value}
                changes = {table.name: {key: changed}}
                now[place] = {**before, **record}
                touched.add(place)
        known = world.answers.get(sample.key)
        # A call that failed first and worked later is taken as the one that worked.
        if known is None or (known[0].error and not sample.error):
            world.answers[sample.key] = (sample, changes)


def _record_of(
    sample: Sample, tables: Sequence[GuessedTable], shapes: Mapping[str, set[str]]
) -> tuple[GuessedTable, str, dict[str, Any]] | None:
    """The record that a write returns: by the table whose fields it has, and the key in it or in the arguments."""
    if not isinstance(sample.value, dict):
        return None
    best: tuple[float, GuessedTable, str] | None = None
    for table in tables:
        shape = shapes.get(table.name, set())
        key = sample.value.get(table.argument, sample.arguments.get(table.argument))
        union = shape | set(sample.value)
        alike = len(shape & set(sample.value)) / len(union) if union else 0.0
        if isinstance(key, str) and key and alike >= _ALIKE and (best is None or alike > best[0]):
            best = (alike, table, key)
    if best is None or not all(_is_field(name) for name in sample.value):
        return None
    return best[1], best[2], sample.value


def _rule(tool: GuessedTool, world: GuessedWorld) -> tuple[GuessedTable, str, dict[str, tuple[str, Any]]] | None:
    """The rule of a write, if every change that it made follows from it; two are needed to see one."""
    made = [world.answers[sample.key] for sample in tool.samples if not sample.error]
    if len({sample.key for sample, _ in made}) < 2 or any(len(changes) != 1 for _, changes in made):
        return None
    names = {name for _, changes in made for name in changes}
    table = next((one for one in world.tables if names == {one.name}), None)
    if table is None:
        return None
    # Of each call the key of the record and the fields that it changed.
    changed = [(sample, *next(iter(changes[table.name].items()))) for sample, changes in made]
    rules = [{n: _explain(value, sample.arguments) for n, value in fields.items()} for sample, _, fields in changed]
    if not rules[0] or any(rule != rules[0] for rule in rules):
        return None
    keys = (name for name in changed[0][0].arguments if all(s.arguments.get(name) == key for s, key, _ in changed))
    argument = next(keys, None)
    return None if argument is None else (table, argument, rules[0])


def _explain(value: Any, arguments: Mapping[str, Any]) -> tuple[str, Any]:
    name = next((name for name, given in arguments.items() if given == value and not isinstance(given, bool)), None)
    return ("value", value) if name is None else ("argument", name)


def types_of(values: Sequence[Any]) -> str:
    """The annotation that fits all of some values, as source text."""
    kinds = {_kind(value) for value in values if value is not None}
    if "list[Any]" in kinds and not any(_kind(one) == "list[Any]" for one in values if one):
        kinds.discard("list[Any]")  # of empty lists
        kinds = kinds or {"list[Any]"}
    if kinds == {"int", "float"}:
        return "int | float"
    return next(iter(kinds)) if len(kinds) == 1 else "Any"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, list):
        inner = types_of(value) if value else "Any"
        return f"list[{inner}]" if inner in ("str", "int", "bool", "float") else "list[Any]"
    if isinstance(value, dict):
        return "dict[str, Any]"
    return {str: "str", int: "int", float: "float"}.get(type(value), "Any")


def some_of(values: Sequence[Any]) -> Iterator[str]:
    """The few texts that an argument takes again and again; none where they are not few."""
    texts = Counter(value for value in values if isinstance(value, str))
    total = sum(texts.values())
    if total >= 4 and total == len(values) and len(texts) <= 5 and len(texts) * 2 <= total:
        yield from (text for text in texts if not re.search(r"\d", text))
