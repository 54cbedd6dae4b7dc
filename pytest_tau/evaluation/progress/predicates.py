"""When the predicates of milestones and minefields hold in a conversation: each as a timeline.

A timeline is a list of ``(moment, holds)`` in order: from that moment on the predicate holds, or does not. A moment is
the place of a message, from 0, for a call that of its result; what holds before anything was said has START. Before its
first entry a predicate does not hold. What happens again, such as a second call, is noted again: a milestone can be
reached by it.

What is about calls and messages is read off them at once (:func:`timeline`). What is about the world is looked at while
grading executes the writing calls again, after each of them (:func:`of_the_world`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ...environment.delta import ABSENT
from ...environment.environment import Environment
from ...environment.table import Table
from ...errors import TaskError
from ...schema.checks import Called, CallPattern, Evidence, Identified, Order, ReadBefore, Reason, TrajectoryCheck
from ...schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from ...schema.milestones import AllOf, Asserted, Not, OneOf, Predicate, RecordCount, RecordIs, Said
from ...schema.task import Task
from ...schema.transcript import calls_made, shows
from ...schema.values import canonical
from ..criteria.communicate import mentions
from ..criteria.said import how_given
from ..criteria.scene import pattern_matches
from ..criteria.trajectory import check_once

START = -1

Timeline = list[tuple[int, bool]]
Look = Callable[[Environment], bool]

_DIGIT = re.compile(r"\d")
_STEP = re.compile(r"[^.\[\]]+")
_MODEL = type(BaseModel)


@dataclass(frozen=True)
class PredicateContext:
    """The conversation that predicates are read off. In solo the side of a call does not matter."""

    task: Task
    messages: Sequence[AnyMessage]
    env: Environment
    solo: bool

    @cached_property
    def of_the_agent(self) -> list[tuple[int, str, str]]:
        """What the agent says: where, the text, and the text without its case."""
        return self._lines_by(AssistantMessage)

    @cached_property
    def of_the_customer(self) -> list[tuple[int, str, str]]:
        """What the customer says, likewise."""
        return self._lines_by(UserMessage)

    def _lines_by(self, speaker: type[AssistantMessage | UserMessage]) -> list[tuple[int, str, str]]:
        texts = ((at, one.text) for at, one in enumerate(self.messages) if isinstance(one, speaker))
        return [(at, text, text.casefold()) for at, text in texts if text]

    @cached_property
    def results(self) -> dict[str, list[tuple[int, ToolCall, ToolMessage]]]:
        """The calls that have a result, by tool, each with the place of that."""
        found: dict[str, list[tuple[int, ToolCall, ToolMessage]]] = {}
        for place, call, result in _results(self.messages):
            found.setdefault(call.name, []).append((place, call, result))
        return found


def of_the_world(predicate: Predicate) -> Iterator[tuple[int, Look]]:
    """The parts of a predicate that are about the state of the world, by the id of the object that says so."""
    if isinstance(predicate, Not):
        yield from of_the_world(predicate.of)
    elif isinstance(predicate, (AllOf, OneOf)):
        for part in predicate.of:
            yield from of_the_world(part)
    elif isinstance(predicate, RecordIs):
        yield id(predicate), _record(predicate)
    elif isinstance(predicate, RecordCount):
        yield id(predicate), _count(predicate)
    elif isinstance(predicate, Asserted):
        yield id(predicate), _assertion(predicate)


def timeline(predicate: Predicate, told: PredicateContext, seen: Mapping[int, Timeline]) -> Timeline:
    """When a predicate holds; ``seen`` has when those hold that were looked at in the world, by their ids."""
    if id(predicate) in seen:
        return seen[id(predicate)]
    if isinstance(predicate, Not):
        inner = timeline(predicate.of, told, seen)
        return [(START, True)] * (not inner or inner[0][0] > START) + [(at, not holds) for at, holds in inner]
    if isinstance(predicate, (AllOf, OneOf)):
        parts = [timeline(part, told, seen) for part in predicate.of]
        return _together(parts, all if isinstance(predicate, AllOf) else any)
    if isinstance(predicate, Said):
        return [(at, True) for at in _sayings(predicate, told)]
    return _of_check(predicate, told)  # type: ignore[arg-type]  # the world's own are all in ``seen``


def _together(parts: list[Timeline], holds_by: Callable[[Sequence[bool]], bool]) -> Timeline:
    """What holds where all parts do, or any does; noted again with each of them."""
    levels = [False] * len(parts)
    found: Timeline = []
    for moment in sorted({at for part in parts for at, _ in part}):
        news = [(i, holds) for i, part in enumerate(parts) for at, holds in part if at == moment]
        for i, holds in news:
            levels[i] = holds
        now = holds_by(levels)
        if now and any(holds for _, holds in news):
            found.append((moment, True))
        elif not now and found and found[-1][1]:
            found.append((moment, False))
    return found


def _sayings(said: Said, told: PredicateContext) -> Iterator[int]:
    # Words are looked for as they stand first, which is cheap; numbers may be written in other ways.
    words = {word for text in said.texts if not _DIGIT.search(text) for word in text.casefold().split()}
    likely = told.of_the_agent if said.by == "assistant" else told.of_the_customer
    for word in words:
        likely = [one for one in likely if word in one[2]]
    for at, text, _ in likely:
        if all(mentions(text, one) for one in said.texts):
            yield at


def _of_check(check: TrajectoryCheck, told: PredicateContext) -> Timeline:
    """When a check of TRAJECTORY is met by what has happened so far."""
    if isinstance(check, (Called, Evidence)):
        return [(at, True) for at in sorted(_successes(check, told))]
    if isinstance(check, Reason):
        said = [(at, how_given(check, text, told.messages[:at])) for at, text, _ in told.of_the_agent]
        best = "yes" if any(verdict == "yes" for _, verdict in said) else "unclear"
        return [(at, True) for at, verdict in said if verdict == best]
    if isinstance(check, (Order, Identified, ReadBefore)):
        return _first_met(check, told)
    # The others hold until something breaks them.
    found = check_once(check, told.task, told.messages, told.env, solo=told.solo)
    broken = [(found.turn, False)] if not found.met and found.turn is not None else []
    return [(START, True), *broken]


def _successes(check: Called | Evidence, told: PredicateContext) -> Iterator[int]:
    ways: list[tuple[CallPattern, str | None]] = [(check, None)]
    if isinstance(check, Evidence):
        ways = [(way, way.shows) for way in (check, *check.alternatives)]
    for pattern, wanted in ways:
        for place, call, result in told.results.get(pattern.name, ()):
            matches = not result.error and pattern_matches(pattern, call, told.solo, told.messages, place, told.env)
            if matches and shows(result, wanted):
                yield place


def _first_met(check: Order | Identified | ReadBefore, told: PredicateContext) -> Timeline:
    """What only calls and the customer's words can meet, so that nothing else is looked at."""
    for at, message in enumerate(told.messages):
        if isinstance(message, ToolMessage) or (isinstance(message, UserMessage) and isinstance(check, Identified)):
            so_far = told.messages[: at + 1]
            if check_once(check, told.task, so_far, told.env, solo=told.solo).met:
                return [(at, True)]
    return []


def _results(messages: Sequence[AnyMessage]) -> list[tuple[int, ToolCall, ToolMessage]]:
    """The calls that have a result, each with the place of that."""
    found: list[tuple[int, ToolCall, ToolMessage]] = []
    turn, offset = -1, 0
    for made_in, call, result in calls_made(messages):
        offset = offset + 1 if made_in == turn else 1
        turn = made_in
        if result is not None:
            found.append((turn + offset, call, result))
    return found


def _table(env: Environment, predicate: RecordIs | RecordCount) -> Table[Any]:
    tables = env.database(predicate.side).tables
    table = tables.get(predicate.table)
    if table is None:
        raise TaskError(
            f"a milestone or minefield is about the table '{predicate.table}'; there are {', '.join(tables)}"
        )
    return table


def _record(wanted: RecordIs) -> Look:
    path, key, value = steps_of(wanted.path), wanted.key, wanted.value
    if not path:
        return lambda env: key in _table(env, wanted)
    if len(path) > 1:
        return lambda env: same(value_at(record_of(_table(env, wanted), key), path), value)
    (step,) = path

    def look(env: Environment) -> bool:
        return same(_part(record_of(_table(env, wanted), key), step), value)

    return look


def _count(wanted: RecordCount) -> Look:
    fits = _fits([(steps_of(path), value) for path, value in wanted.where.items()])
    name = ("count", wanted.side, wanted.table, canonical(wanted.where))

    def look(env: Environment) -> bool:
        table = _table(env, wanted)
        memo = env.domain.memo
        if name not in memo:  # once a process: most records stay what they are
            memo[name] = {key for key in table.base.raw if fits(table.base.shared_record(key))}
        in_base = memo[name]
        number = len(in_base)
        for key, record in table.changed_records():
            number += (record is not ABSENT and fits(record)) - (key in in_base)
        return number >= wanted.at_least and (wanted.at_most is None or number <= wanted.at_most)

    return look


def _fits(where: list[tuple[list[str], Any]]) -> Callable[[Any], bool]:
    """Whether a record has these values at their paths; most often there is one, of a field."""
    if len(where) == 1 and len(where[0][0]) == 1:
        ((step,), value) = where[0]
        return lambda record: same(_part(record, step), value)
    return lambda record: all(same(value_at(record, path), value) for path, value in where)


def _assertion(wanted: Asserted) -> Look:
    def look(env: Environment) -> bool:
        try:
            return env.check(wanted)
        except Exception:  # as an assertion of the end state that raises is not met
            return False

    return look


def record_of(table: Table[Any], key: str) -> Any:
    """A record of a world, for reading only; ABSENT where there is none."""
    return table.read(key) if key in table else ABSENT


def steps_of(path: str) -> list[str]:
    """The parts of a path such as ``items[0].price``."""
    return _STEP.findall(path)


def value_at(record: Any, path: Sequence[str]) -> Any:
    """What stands at a path in a record, which is JSON or an object; ABSENT where nothing does."""
    for step in path:
        record = _part(record, step)
    return record


def _part(record: Any, step: str) -> Any:
    if isinstance(record, dict):
        return record.get(step, ABSENT)
    if isinstance(type(record), _MODEL):  # pydantic's own isinstance takes several times as long
        found = getattr(record, step, ABSENT)
        return _by_alias(record, step) if found is ABSENT else found
    if isinstance(record, list):
        return record[int(step)] if step.isdigit() and int(step) < len(record) else ABSENT
    return ABSENT


def _by_alias(record: BaseModel, step: str) -> Any:
    """The field that stands in the file under another name than the model's."""
    names = (name for name, one in type(record).model_fields.items() if step in (one.alias, one.serialization_alias))
    name = next(names, None)
    return ABSENT if name is None else getattr(record, name)


def same(found: Any, wanted: Any) -> bool:
    """Whether a value is a JSON value; true is not 1, and what is not there is null."""
    if type(found) is str or found is wanted:
        return bool(found == wanted)
    if found is ABSENT:
        return wanted is None
    value = found if isinstance(found, (str, int, float, bool, type(None))) else to_jsonable_python(found)
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)
