"""What can be found out in a task's world: what the customer says, what the gold path shows, and what looking it up
with the agent's own tools adds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from ..agents.plausible import Pool, pool_of
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..environment.toolkit import ToolSpec
from ..patterns import TOKEN
from ..schema.scenario import Instructions
from ..schema.task import Task
from ..schema.transcript import readable

_ROUNDS = 2
_FAR = 4
_CALLS = 25  # of a tool in a round, so that a world with much in it costs no more than a small one
_COMBINATIONS = 100  # of several arguments, likewise


_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class _Reach:
    """``pool``: values by the name of the argument or field; ``texts``: everything said or shown, in one text."""

    pool: Pool
    texts: str


def said_by_customer(task: Task) -> str:
    """All that the customer knows and may tell, the ticket and the messages before the conversation."""
    scenarios = [task.user_scenario, *(follow_up.user_scenario for follow_up in task.episodes or [])]
    told = [one.instructions for one in scenarios]
    parts = [one.render() if isinstance(one, Instructions) else one for one in told] + [task.ticket or ""]
    parts += [one.say for scenario in scenarios for one in scenario.interrupts or []]
    return "\n".join([*parts, *(message.content or "" for message in task.history)])


def reach(task: Task, domain: Domain, *, far: bool = False) -> _Reach:
    """Look up, with every tool that reads by one argument, what is known; and again with what that showed.

    ``far``: also with tools of several arguments, and as far as it takes to get from a name to another variant of an
    item that they ordered. That is what a claim that something cannot be known needs; it costs half a second.
    """
    said = said_by_customer(task)
    pool = pool_of(task, domain)
    env = domain.environment(task)
    texts = [said]
    for action in task.gold_actions:
        result = env.call(action.name, action.arguments, action.requestor)
        texts.append("" if result.error else readable(result.content))  # an error only says what it was given
    tokens = [token for token in TOKEN.findall(said) if re.search(r"[\d@]", token)]
    names = re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", said)
    env = domain.environment(task)
    readers = [spec for spec in env.tool_specs() if spec.kind == "read"]
    made: set[str] = set()
    for round_number in range(_FAR if far else _ROUNDS):
        for spec in readers:
            for arguments in _guesses(spec, pool, tokens if round_number == 0 else [], names if far else None):
                call = json.dumps([spec.name, arguments], sort_keys=True)
                if call not in made:
                    made.add(call)
                    texts.append(_look_up(env, spec, arguments, pool))
    return _Reach(pool, "\n".join(texts))


def _guesses(spec: ToolSpec, pool: Pool, tokens: list[str], names: list[str] | None) -> list[dict[str, Any]]:
    """Arguments for a tool from what is known: values of these names, or words that the customer says.

    Without ``names``, the first and last names that they say, only for tools that need no more than one argument.
    """
    needed = [name for name, p in spec.signature.parameters.items() if p.default is p.empty]
    if not needed:
        return [{}]
    if len(needed) > 1 and names is None:
        return []
    if len(needed) > 1:
        known = product(*([v for v in pool.get(name, []) if isinstance(v, str)] for name in needed))
        # Who calls can be found by first and last name and a number of theirs.
        words = [(*name.split(), token) for name in names or () for token in tokens] if len(needed) == 3 else []
        return [dict(zip(needed, values, strict=True)) for values in (*words, *islice(known, _COMBINATIONS))]
    values = [*dict.fromkeys([v for v in pool.get(needed[0], []) if isinstance(v, str)] + tokens)]
    return [{needed[0]: value} for value in values[:_CALLS]]


def _look_up(env: Environment, spec: ToolSpec, arguments: dict[str, Any], pool: Pool) -> str:
    result = env.call(spec.name, arguments)
    if result.error:
        return ""
    try:
        shown = json.loads(result.content)
    except (ValueError, RecursionError):
        # An id by itself, which has to have the name of what it is for.
        shown = (
            dict.fromkeys(re.findall(r"[a-z]+_id", spec.name), result.content)
            if _WORD.fullmatch(result.content)
            else None
        )
    for name, value in _named_values("", shown):
        if value not in pool[name]:
            pool[name].append(value)
    return readable(result.content)


def _named_values(name: str, shown: Any) -> Iterator[tuple[str, Any]]:
    """Values by the names they may be asked for: ``orders`` and ``line_ids`` hold an order_id and a line_id each."""
    if isinstance(shown, dict):
        if shown and all(isinstance(value, dict) for value in shown.values()):
            yield from ((_singular_id(name), key) for key in shown)
        for key, value in shown.items():
            yield from _named_values(key, value)
    elif isinstance(shown, list):
        for value in shown:
            yield from _named_values(name if isinstance(value, (dict, list)) else _singular_id(name), value)
    elif shown is not None:
        yield name, shown


def _singular_id(plural: str) -> str:
    stem = plural.removesuffix("s")
    return stem if stem.endswith("_id") else f"{stem}_id"
