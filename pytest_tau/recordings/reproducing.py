"""The world that a logged conversation took place in, as far as its results tell, and how much of the log it explains.

The log shows records: in the first result that holds one it is as it was before the conversation, unless a call has
changed it by then. Where such a record differs from the domain's own, it goes into the task's initial state; where
replaying is as good without it, it is left out again. So the world is the smallest from which every recorded result
follows, and :class:`CallCheck` says of each call whether it does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from pydantic import ValidationError

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..environment.results import FAILED
from ..environment.table_base import TableBase
from ..environment.toolkit import tools_of
from ..errors import DomainError, TauError
from ..files import loads_or_text
from ..printable import cut, one_line
from ..schema.messages import AnyMessage, Requestor, ToolCall, ToolMessage
from ..schema.problems import first_problem
from ..schema.scenario import UserScenario
from ..schema.task import InitializationData, InitialState, Task
from ..schema.transcript import calls_with_results

How = Literal["same", "covered", "differs", "unknown tool"]
Patch = dict[str, dict[str, dict[str, Any]]]
"""Records by side (``agent``, ``user``), table and key."""
_DEEPEST = 4
_TRIED = 40  # records of a patch that are tried to be done without


@dataclass(frozen=True)
class CallCheck:
    """Whether a recorded result follows from the world.

    Attributes:
        call: the call.
        how: ``same``: it returns what was recorded. ``covered``: all of that, and fields that the log does not have.
            ``differs``: something else. ``unknown tool``: the domain has no such tool.
        recorded, returned: both results.
    """

    call: ToolCall
    how: How
    recorded: str
    returned: str

    @property
    def holds(self) -> bool:
        """Whether it follows."""
        return self.how in ("same", "covered")


@dataclass(frozen=True)
class Reproduction:
    """What a replay of a conversation in a domain gave.

    Attributes:
        checks: of each call, in order.
        patch: the records of the initial state that are not the domain's own.
        problems: sentences about what contradicts the domain's schema or rules.
        initial_state: the initial state of a task in this world; None where the domain's own world will do.
    """

    checks: Sequence[CallCheck]
    patch: Patch = field(default_factory=dict)
    problems: Sequence[str] = ()
    initial_state: InitialState | None = None

    @property
    def share(self) -> float:
        """The part of the calls whose results follow, 0 to 1; 1 without any."""
        return sum(check.holds for check in self.checks) / len(self.checks) if self.checks else 1.0


def reproduce(messages: Sequence[AnyMessage], domain: Domain, initial: InitialState | None = None) -> Reproduction:
    """Find the smallest world for a conversation, and replay it there.

    Args:
        messages: the conversation.
        domain: the domain that its tools are of.
        initial: what the log itself says of the state it began in.

    Raises:
        RecordingError: calls and results do not pair up.
        DomainError: the domain is broken.
    """
    pairs = list(calls_with_results(messages))
    world = _Worlds(domain, initial)
    problems: list[str] = []
    checks, patch = world.checks(pairs, {}), Patch()
    if world.problem and initial is not None:
        problems.append(f"the initial state in the log does not fit: {world.problem}")
        world = _Worlds(domain, None)
        checks = world.checks(pairs, {})
    if not all(check.holds for check in checks):
        failing = [pair for pair, check in zip(pairs, checks, strict=True) if not check.holds]
        shown, problems = _shown_records(pairs, failing, domain)
        patched = world.checks(pairs, shown)
        if shown and _good(patched) >= _good(checks):
            checks, patch = _without_needless(world, pairs, shown, patched)
    unknown = dict.fromkeys(check.call.name for check in checks if check.how == "unknown tool")
    problems += [f"the domain has no tool '{name}'" for name in unknown]
    told = [one_line(one) for one in dict.fromkeys(problems)]
    return Reproduction(checks, patch, told, world.initial_state(patch))


class _Worlds:
    """Worlds of a domain in which some records are others."""

    def __init__(self, domain: Domain, initial: InitialState | None) -> None:
        self._domain = domain
        self._initial = initial
        self.problem = ""

    def initial_state(self, patch: Patch) -> InitialState | None:
        """The log's own initial state, with these records."""
        if not any(patch.values()):
            return self._initial
        given = self._initial.initialization_data if self._initial else None
        data: dict[str, Any] = {} if given is None else given.model_dump(exclude_none=True)
        for side, tables in patch.items():
            base = self._domain.base if side == "agent" else self._domain.user_base
            side_data = {**data.get(f"{side}_data", {})}
            for name, records in tables.items():
                table = base.tables[name] if base is not None else None
                if table is not None and table.listed is not None:
                    # A list can only be replaced as a whole.
                    merged = {**table.raw, **{k: {**table.raw.get(k, {}), **record} for k, record in records.items()}}
                    side_data[name] = list(merged.values())
                elif table is not None and table.singleton:
                    side_data[name] = {**side_data.get(name, {}), **records[""]}
                else:
                    side_data[name] = {**side_data.get(name, {}), **records}
            data[f"{side}_data"] = side_data
        made = InitializationData.model_validate(data)
        initial = self._initial or InitialState()
        return initial.model_copy(update={"initialization_data": made})

    def checks(self, pairs: Sequence[tuple[ToolCall, ToolMessage]], patch: Patch) -> list[CallCheck]:
        """What each call returns there."""
        try:
            env = world_in(self._domain, self.initial_state(patch))
        except TauError as error:
            self.problem = str(error)
            return [CallCheck(call, "differs", result.content or "", "") for call, result in pairs]
        return [checked_call(env, call, result) for call, result in pairs]


def world_in(domain: Domain, initial: InitialState | None) -> Environment:
    """A fresh world in an initial state, without its messages; raises TaskError and DomainError."""
    if initial is not None:
        initial = initial.model_copy(update={"message_history": None})
    scenario = UserScenario(instructions="(a logged conversation)")
    return domain.environment(Task(id="log", domain=domain.name, user_scenario=scenario, initial_state=initial))


def follows(recorded: str, returned: str) -> How:
    """Whether a recorded result follows from what a tool returns now."""
    if recorded == returned:
        return "same"
    first, second = loads_or_text(recorded), loads_or_text(returned)
    if isinstance(first, str) or isinstance(second, str):
        return "same" if _words(recorded) == _words(returned) else "differs"
    if first == second:
        return "same"
    return "covered" if _covers(first, second) else "differs"


def _covers(part: Any, whole: Any) -> bool:
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        return all(_covers(value, whole.get(key)) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(_covers, part, whole))
    return bool(part == whole)


_WORD = re.compile(r"[\w.$%-]+")


def _words(text: str) -> list[str]:
    """The words of a text; a period at its end and capitals mean nothing."""
    return [word.rstrip(".") for word in _WORD.findall(text.casefold())]


def _good(checks: Sequence[CallCheck]) -> int:
    return sum(check.holds for check in checks)


def checked_call(env: Environment, call: ToolCall, result: ToolMessage) -> CallCheck:
    """Make a recorded call again, and compare."""
    recorded = result.content or ""
    if not is_known(env, call.name, call.requestor):
        return CallCheck(call, "unknown tool", recorded, "")
    made = env.execute(call.name, call.arguments, call.requestor)
    # Our tools' errors begin with a word that those of other programs need not have.
    prefix = FAILED if result.error and made.error else ""
    how = follows(recorded.removeprefix(prefix), made.content.removeprefix(prefix))
    return CallCheck(call, how, recorded, made.content)


def is_known(env: Environment, name: str, requestor: Requestor) -> bool:
    """Whether a side has a tool."""
    toolkit = env.tools if requestor == "assistant" else env.user_tools
    return toolkit is not None and name in tools_of(type(toolkit))


def _without_needless(
    world: _Worlds, pairs: Sequence[tuple[ToolCall, ToolMessage]], patch: Patch, checks: list[CallCheck]
) -> tuple[list[CallCheck], Patch]:
    """Leave out each record without which as much follows."""
    keys = [(side, table, key) for side, tables in patch.items() for table, held in tables.items() for key in held]
    for side, table, key in keys[:_TRIED]:
        less = {
            s: {t: {k: v for k, v in held.items() if (s, t, k) != (side, table, key)} for t, held in tables.items()}
            for s, tables in patch.items()
        }
        less = {s: {t: held for t, held in tables.items() if held} for s, tables in less.items()}
        tried = world.checks(pairs, less)
        if _good(tried) >= _good(checks):
            patch, checks = less, tried
    return checks, patch


def _shown_records(
    pairs: Sequence[tuple[ToolCall, ToolMessage]], failing: Sequence[tuple[ToolCall, ToolMessage]], domain: Domain
) -> tuple[Patch, list[str]]:
    """The records that results show before anything has changed them, where they are not the domain's own.

    Only results that do not follow from the domain's own records are looked at.
    """
    looked_at = {id(result) for _, result in failing}
    env = domain.environment()
    patch: Patch = {}
    problems: list[str] = []
    seen: set[tuple[str, str, str]] = set()
    written: set[str] = set()
    for call, result in pairs:
        if result.error or not is_known(env, call.name, call.requestor):
            continue
        value = loads_or_text(result.content or "")
        if env.writes(call.name, call.requestor):
            written |= set(_texts(call.arguments)) | set(_texts(value))
            continue
        for shown in _objects(value) if id(result) in looked_at else ():
            place = _place(shown, call, domain)
            if place is None:
                continue
            side, table, key = place
            if (side, table.name, key) in seen or key in written:
                continue
            seen.add((side, table.name, key))
            record, problem = _record(table, key, shown)
            if problem:
                problems.append(f"{table.describe(key)} as {call.name} shows it: {problem}")
            if record is not None:
                patch.setdefault(side, {}).setdefault(table.name, {})[key] = record
    return patch, problems


def _record(table: TableBase, key: str, shown: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """What of a shown record differs from the domain's own, to be merged; and what does not fit the schema."""
    known = _properties(table)
    unknown = [name for name in shown if name not in known]
    problem = f"the schema has no field '{unknown[0]}'" if unknown else ""
    record = {name: value for name, value in shown.items() if name in known}
    own = table.raw.get(key)
    if own is None and (key_field := _key_field(table)) and key_field in known:
        record.setdefault(key_field, key)
    try:
        table.adapter.validate_python({**(own or {}), **record})
    except ValidationError as error:
        return None, first_problem(error)
    if own is not None:
        normal = table.normal(key)
        record = {name: value for name, value in record.items() if not _covers(value, normal.get(name))}
    return record or None, problem


def _place(shown: Mapping[str, Any], call: ToolCall, domain: Domain) -> tuple[str, TableBase, str] | None:
    """The table and key of a shown record: the table whose fields it has most of."""
    best: tuple[float, str, TableBase, str] | None = None
    bases = (("agent", domain.base), ("user", domain.user_base))
    for side, base in bases:
        for table in base.tables.values() if base is not None else ():
            known = _properties(table)
            if not known:
                continue
            alike = len(known & set(shown)) / len(known | set(shown))
            key = _key_of(table, shown, call)
            if key is not None and alike >= 0.5 and (best is None or alike > best[0]):
                best = (alike, side, table, key)
    return None if best is None else best[1:]


def _key_of(table: TableBase, shown: Mapping[str, Any], call: ToolCall) -> str | None:
    if table.singleton:
        return ""
    name = _key_field(table)
    value = shown.get(name, call.arguments.get(name)) if name else None
    if isinstance(value, str) and value:
        return value
    return next((text for text in call.arguments.values() if isinstance(text, str) and text in table.raw), None)


@lru_cache(maxsize=256)
def _properties(table: TableBase) -> frozenset[str]:
    """The fields of a table's records; empty where they are not fixed."""
    try:
        schema = table.adapter.json_schema()
    except Exception:  # a model may hold what has no JSON schema
        return frozenset()
    while "$ref" in schema:
        schema = {**schema["$defs"][schema["$ref"].rpartition("/")[2]], "$defs": schema["$defs"]}
    return frozenset(schema.get("properties") or ())


@lru_cache(maxsize=256)
def _key_field(table: TableBase) -> str | None:
    """The field in which a record has its own key."""
    if table.listed is not None:
        return table.listed
    sample = list(table.raw.items())[:20]
    names = {name for key, record in sample if isinstance(record, Mapping) for name, v in record.items() if v == key}
    always = [name for name in names if all(isinstance(r, Mapping) and r.get(name) == key for key, r in sample)]
    if sample:
        return sorted(always)[0] if always else None
    known = sorted(_properties(table))
    one = table.name.removesuffix("s")
    return next((name for name in (f"{one}_id", "id", *(n for n in known if n.endswith("_id"))) if name in known), None)


def _objects(value: Any, levels: int = _DEEPEST) -> Iterator[Mapping[str, Any]]:
    """The objects in a result, the outer ones first."""
    if isinstance(value, Mapping):
        yield value
    if levels and isinstance(value, (Mapping, list)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _objects(inner, levels - 1)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)


def contradiction(check: CallCheck) -> str:
    """A check that does not hold, as a sentence."""
    shown = json.dumps(check.call.arguments, ensure_ascii=False)
    if check.how == "unknown tool":
        return one_line(f"{check.call.name}({shown}): the domain has no such tool")
    place, recorded, returned = _first_difference(loads_or_text(check.recorded), loads_or_text(check.returned))
    at = f" at {place}" if place else ""
    return one_line(f"{check.call.name}({shown}) returns {returned}{at} where the log has {recorded}")


def _first_difference(recorded: Any, returned: Any, place: str = "") -> tuple[str, str, str]:
    """Where a result is not as recorded, and both values there as text."""
    if isinstance(recorded, Mapping) and isinstance(returned, Mapping):
        for name, value in recorded.items():
            here = f"{place}.{name}".lstrip(".")
            if name not in returned:
                return here, _shorten(value), "nothing"
            if not _covers(value, returned[name]):
                return _first_difference(value, returned[name], here)
    if isinstance(recorded, list) and isinstance(returned, list) and len(recorded) == len(returned):
        for number, (value, other) in enumerate(zip(recorded, returned, strict=True)):
            if not _covers(value, other):
                return _first_difference(value, other, f"{place}[{number}]")
    return place, _shorten(recorded), _shorten(returned)


def _shorten(value: Any) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 120)


def refuse_unfit(domain: Domain, found: Reproduction, logged: str | None = None) -> None:
    """Raise DomainError where it is another domain: it has none of the tools that are called.

    One is enough where the log names another one, ``logged``, as domains may share tools. A copy of it has them all.
    """
    unknown = [check.call.name for check in found.checks if check.how == "unknown tool"]
    if unknown and len(unknown) == len(found.checks):
        raise DomainError(
            f"the domain '{domain.name}' has none of the tools that the log calls; name another with --domain"
        )
    if unknown and logged not in (None, domain.name):
        raise DomainError(
            f"the log is of the domain '{logged}', and '{domain.name}' has no tool '{unknown[0]}'; name another with "
            "--domain"
        )
