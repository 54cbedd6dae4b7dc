"""ACTION: each gold action was called, by either side and in any order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...environment.environment import Environment
from ...schema.calls import Action
from ...schema.messages import AnyMessage, ToolCall, ToolMessage
from ...schema.reward import Check, CriterionResult
from ...schema.task import Task
from ...schema.transcript import calls_with_results
from .scene import taken_as

_ABSENT = object()


def actions(
    task: Task,
    messages: Sequence[AnyMessage],
    *,
    parity: bool,
    in_basis: bool,
    solo: bool = False,
    sets: Mapping[str, Collection[str]] = MappingProxyType({}),
    defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    env: Environment | None = None,
) -> CriterionResult:
    """A gold action is met when some call matches it; one call may meet several.

    Without parity the call must also have succeeded and come from the right side: in solo that is always the agent.
    ``sets``: of the tools, the arguments that are lists whose order means nothing; under parity it does.
    ``defaults``: what their arguments are if a call leaves them out; under parity they are left out.
    ``env``: a world of the domain, whose tools say what they take for the same; under parity nothing but what is.
    """
    made: dict[str, list[tuple[ToolCall, ToolMessage]]] = {}
    for call, result in calls_with_results(messages):
        made.setdefault(call.name, []).append((call, result))
    checks = []
    for gold in task.gold_actions:
        pairs = made.get(gold.name, [])
        if parity:
            met = any(_matches_reference(gold, call) for call, _ in pairs)
        else:
            unordered, missing = sets.get(gold.name, ()), defaults.get(gold.name, {})
            met = any(
                not result.error and _matches(gold, call, solo, unordered, missing, env) for call, result in pairs
            )
        checks.append(Check(name=str(gold), met=met, explanation="" if met else "no such call was made"))
    return CriterionResult(
        criterion="ACTION",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No actions to evaluate",
    )


def same_call(gold: Action, call: ToolCall, env: Environment) -> bool:
    """Whether a call in this world is the gold action, as the criterion compares them."""
    return _matches_reference(gold, call) if env.domain.parity else _matches(gold, call, env.solo, (), {}, env)


def _matches_reference(gold: Action, call: ToolCall) -> bool:
    """The reference's rule: without ``compare_args`` only the arguments that the call itself has are compared."""
    keys = call.arguments if gold.compare_args is None else gold.compare_args
    return gold.name == call.name and _select_arguments(gold.arguments, keys) == _select_arguments(call.arguments, keys)


def _matches(
    gold: Action,
    call: ToolCall,
    solo: bool,
    sets: Collection[str],
    defaults: Mapping[str, Any],
    env: Environment | None,
) -> bool:
    """Our rule: without ``compare_args`` all are compared; null or the default is as good as no argument.

    What the tool takes for the same value is the same, as 2 and "2" where it is a number.
    """
    if gold.name != call.name or (gold.requestor != call.requestor and not solo):
        return False
    if gold.compare_args is None and gold.arguments == call.arguments:
        return True
    due, made = (_sort_sets({**defaults, **one.arguments}, sets) for one in (gold, call))
    if gold.compare_args is None:
        keys, absent = {*due, *made}, None
    else:
        keys, absent = set(gold.compare_args), _ABSENT
    return all(due.get(k, absent) == made.get(k, absent) or (k in due and taken_as(call, k, due[k], env)) for k in keys)


def _sort_sets(arguments: dict[str, Any], sets: Collection[str]) -> dict[str, Any]:
    lists = {name for name in sets if isinstance(arguments.get(name), list)}
    return {**arguments, **{name: sorted(arguments[name], key=repr) for name in lists}}


def _select_arguments(arguments: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: arguments[key] for key in keys if key in arguments}
