"""Tools that fail at the boundary between agent and environment, on purpose and never inside the database.

``timeout:0.2`` lets one call in five of the agent time out. What the agent reads is the fault; the record keeps beside
it what really happened (``ToolMessage.fault``), and grading goes by that, so that a fault is never the agent's error.

timeout, connection   no result. A write has happened or not, both are drawn; the agent has to find out
rate_limit            refused, with a text that says when to try again; nothing has happened
server_error          refused; nothing has happened
partial               the result is cut off, or empty; a write has happened
stale                 a read returns what the same read returned before, where that has changed
misleading            a read with one wrong value
schema_drift          the fields of a result are named otherwise
slow:seconds          the result comes late: the seconds are counted, nobody waits for them

Transient faults (the default) let the same call through after ``IN_A_ROW`` faults at the latest. With
``timeout:0.2:persistent`` a call that has failed fails each time. Several kinds at once are joined by "+". Draws depend
on the seed and on the number of the call in its trial, and on nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from random import Random
from typing import Any

from ..environment.environment import ToolResult
from ..errors import SettingsError
from ..schema.messages import InjectedFault

DEFAULT_RATE, DEFAULT_SECONDS = 0.2, 30.0
IN_A_ROW = 2
ALL = "all"

_AMBIGUOUS = ("timeout", "connection")
_REFUSED = ("rate_limit", "server_error")
_READS_ONLY = ("stale", "misleading")
KINDS = (*_AMBIGUOUS, *_REFUSED, "partial", "stale", "misleading", "schema_drift", "slow")

_TEXTS = {
    "timeout": "Error: the request timed out after 30 s. It is not known whether it was carried out.",
    "connection": "Error: the connection was reset before a response arrived.",
    "rate_limit": "Error: 429 Too Many Requests. Nothing was done. Retry after 2 seconds.",
    "server_error": "Error: 503 Service Unavailable. Nothing was done. Try again later.",
}


@dataclass(frozen=True)
class FaultDose:
    """A kind of fault as it is asked for; ``rate`` is the share of calls, ``seconds`` how slow a slow one is."""

    kind: str
    rate: float = DEFAULT_RATE
    persistent: bool = False
    seconds: float = 0.0

    def __str__(self) -> str:
        seconds = f"{self.seconds:g}" if self.kind == "slow" else ""
        plain = self.rate == DEFAULT_RATE
        rate = "" if plain and self.seconds in (0.0, DEFAULT_SECONDS) else f"{self.rate:g}"
        seconds = "" if self.seconds == DEFAULT_SECONDS and plain else seconds
        return ":".join(filter(None, (self.kind, seconds, rate, "persistent" if self.persistent else "")))


@dataclass(frozen=True)
class FaultPlan:
    """Faults that act together."""

    doses: tuple[FaultDose, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.doses))

    @property
    def rate(self) -> float:
        """The share of calls that meet any of them."""
        return sum(dose.rate for dose in self.doses)


def read_faults(text: str) -> list[FaultPlan]:
    """The plans that a comma-separated text asks for, each once and in its order.

    Raises:
        SettingsError: one sentence: what cannot be read, and what to write instead.
    """
    plans: dict[str, FaultPlan] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        for plan in _plans(part):
            plans.setdefault(str(plan), plan)
    if not plans:
        raise SettingsError(f"no fault is named: write {ALL}, or some of {', '.join(KINDS)}")
    return list(plans.values())


def _plans(part: str) -> Iterator[FaultPlan]:
    name, _, rest = part.partition(":")
    if name == ALL:
        for kind in KINDS:
            kind_with_seconds = f"slow:{DEFAULT_SECONDS:g}" if kind == "slow" and rest else kind
            yield FaultPlan((_dose(f"{kind_with_seconds}:{rest}" if rest else kind, part),))
        return
    plan = FaultPlan(tuple(_dose(piece.strip(), part) for piece in part.split("+")))
    if plan.rate > 1.0:
        raise SettingsError(f"faults '{part}': their rates add up to {plan.rate:g}, but the sum must not exceed 1")
    yield plan


def _dose(piece: str, part: str) -> FaultDose:
    kind, *rest = piece.split(":")
    if kind not in KINDS:
        raise SettingsError(f"faults '{part}': there is no fault '{kind}': use {', '.join(KINDS)}")
    persistent = bool(rest) and rest[-1] in ("persistent", "transient") and rest.pop() == "persistent"
    seconds = _number(part, rest.pop(0), 1e6) if kind == "slow" and rest else DEFAULT_SECONDS
    rate = _number(part, rest.pop(0), 1.0) if rest else DEFAULT_RATE
    if rest:
        raise SettingsError(
            f"faults '{part}': {rest[0]!r} is one part too many; write for example timeout:0.2 or slow:30:0.2"
        )
    return FaultDose(kind, rate, persistent, seconds if kind == "slow" else 0.0)


def _number(part: str, text: str, most: float) -> float:
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text) or not 0.0 <= float(text) <= most:
        what = "a rate from 0 to 1, as in timeout:0.2" if most == 1.0 else "seconds, as in slow:30:0.2"
        raise SettingsError(f"faults '{part}': {text!r} is not {what}")
    return float(text)


class ToolFaults:
    """The faults of one trial, for ``domain.environment(faults=…)``.

    Args:
        kinds: as ``--tau-faults`` has one plan: "timeout:0.2", "timeout:0.1+stale:0.1". A FaultPlan is taken as well.
        seed: of the trial.

    Raises:
        SettingsError: the kinds cannot be read.
    """

    def __init__(self, kinds: str | FaultPlan, seed: int = 0) -> None:
        if isinstance(kinds, str):
            plans = read_faults(kinds)
            if len(plans) != 1:
                raise SettingsError(f"'{kinds}' are several plans; faults that act together are joined with '+'")
            kinds = plans[0]
        self.plan = kinds
        self._seed = seed
        self._calls = 0
        self._streaks: dict[str, int] = {}
        self._stuck: dict[str, FaultDose] = {}
        self._read: dict[str, str] = {}

    def answer(
        self, name: str, arguments: dict[str, Any], tool: Callable[[], ToolResult], *, writes: bool
    ) -> ToolResult:
        """The result of the trial's next call, with the fault that it meets, if it meets one."""
        self._calls += 1
        rng = Random(f"{self._seed}/{self._calls}")
        key = json.dumps([name, arguments], sort_keys=True, default=repr)
        dose = self._draw_fault(key, rng, writes=writes)
        result = None if dose is None else self._faulty(dose, key, rng, tool, writes=writes)
        if dose is None or result is None:
            self._streaks[key] = 0
            true = tool()
            if not writes and not true.error:
                self._read[key] = true.content
            return true
        met = result.fault is not None  # a fault that cannot show in a result leaves it as it is
        self._streaks[key] = self._streaks.get(key, 0) + 1 if met else 0
        if dose.persistent and met:
            self._stuck[key] = dose
        return result

    def _draw_fault(self, key: str, rng: Random, *, writes: bool) -> FaultDose | None:
        """The fault that a call meets by lot."""
        lot = rng.random()
        if key in self._stuck:
            return self._stuck[key]
        for dose in self.plan.doses:
            if lot < dose.rate:
                free = dose.kind == "slow" or dose.persistent or self._streaks.get(key, 0) < IN_A_ROW
                return dose if free and not (writes and dose.kind in _READS_ONLY) else None
            lot -= dose.rate
        return None

    def _faulty(
        self, dose: FaultDose, key: str, rng: Random, tool: Callable[[], ToolResult], *, writes: bool
    ) -> ToolResult | None:
        """What the agent reads; None where the fault cannot show in this call."""
        if dose.kind in (*_AMBIGUOUS, *_REFUSED):
            again = key in self._stuck  # a call that fails for ever is made once at most
            happened = dose.kind in _AMBIGUOUS and writes and rng.random() < 0.5 and not again
            true = tool() if happened else None
            return _error(_TEXTS[dose.kind], dose.kind, true)
        true = tool()
        if true.error and dose.kind != "slow":
            return true  # it has failed by itself
        before = self._read.get(key)
        if not writes and not true.error:
            self._read[key] = true.content
        content, detail = true.content, None
        if dose.kind == "stale":
            if before is None or before == true.content:
                return true
            content, detail = before, "an earlier result of the same call"
        elif dose.kind == "partial":
            content = "" if rng.random() < 0.3 else true.content[: len(true.content) // 2]
        elif dose.kind == "misleading":
            found = _mislead(true.content, rng)
            if found is None:
                return true
            content, detail = found
        elif dose.kind == "schema_drift":
            content = _drift(true.content)
            if content == true.content:
                return true
        mark = InjectedFault(kind=dose.kind, result=true.content, error=true.error, seconds=dose.seconds, detail=detail)
        return replace(true, content=content, fault=mark)


def _error(text: str, kind: str, true: ToolResult | None) -> ToolResult:
    mark = InjectedFault(
        kind=kind,
        happened=true is not None,
        result=None if true is None else true.content,
        error=true is not None and true.error,
    )
    return ToolResult(text, error=True, fault=mark)


def _mislead(content: str, rng: Random) -> tuple[str, str] | None:
    """A result with one wrong value, and where; None where it holds nothing that could be wrong."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    places = [path for path, leaf in _leaves(value) if _wrong(leaf, rng) is not None]
    if not places:
        return None
    path = rng.choice(places)
    holder = value
    for step in path[:-1]:
        holder = holder[step]
    true = holder[path[-1]]
    holder[path[-1]] = _wrong(true, rng)
    return json.dumps(value), f"{'.'.join(map(str, path))} is {json.dumps(true)}"


def _leaves(value: Any, path: Sequence[Any] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        if path:
            yield tuple(path), value
        return
    for name, one in items:
        yield from _leaves(one, (*path, name))


def _wrong(leaf: Any, rng: Random) -> Any:
    """Another value of the same kind; None for what has none. Texts stay, but for numbers that are written as texts."""
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, int):
        return leaf + rng.randint(1, 9)
    if isinstance(leaf, float) and isfinite(leaf):
        # The first formula leaves -10 as it is, and neither changes what is too large for it.
        return next((wrong for wrong in (round(leaf * 1.1 + 1, 2), leaf + 1) if wrong != leaf), None)
    if isinstance(leaf, str) and re.fullmatch(r"\d+\.\d+", leaf):
        wrong = float(leaf) * 1.1 + 1
        return f"{wrong:.2f}" if isfinite(wrong) else None
    return None


def _drift(content: str) -> str:
    """A JSON result with the fields that another version of its service would have."""
    try:
        return json.dumps({"apiVersion": "2", "items": [_camel_case_names(json.loads(content))]})
    except (ValueError, RecursionError):
        return content


def _camel_case_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            re.sub(r"(?<=[a-z])_([a-z])", lambda f: f[1].upper(), name): _camel_case_names(v)
            for name, v in value.items()
        }
    return [_camel_case_names(one) for one in value] if isinstance(value, list) else value
