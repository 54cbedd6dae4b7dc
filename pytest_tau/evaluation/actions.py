"""ACTION: each gold action was called, by either side and in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..environment.replay import calls_with_results
from ..schema.messages import AnyMessage, ToolCall
from ..schema.reward import Check, CriterionResult
from ..schema.task import Action, Task


def actions(
    task: Task, messages: Sequence[AnyMessage], *, parity: bool, in_basis: bool, solo: bool = False
) -> CriterionResult:
    """A gold action is met when some call matches it; one call may meet several.

    Without parity the call must also have succeeded and come from the right side: in solo that is always the agent.
    """
    pairs = list(calls_with_results(messages))
    checks = []
    for gold in task.gold_actions:
        if parity:
            met = any(_matches_reference(gold, call) for call, _ in pairs)
        else:
            met = any(_matches(gold, call, solo) and not result.error for call, result in pairs)
        checks.append(Check(name=str(gold), met=met, explanation="" if met else "no such call was made"))
    return CriterionResult(
        criterion="ACTION",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No actions to evaluate",
    )


def _matches_reference(gold: Action, call: ToolCall) -> bool:
    """The reference's rule: without ``compare_args`` only the arguments that the call itself has are compared."""
    keys = call.arguments if gold.compare_args is None else gold.compare_args
    return gold.name == call.name and _restricted(gold.arguments, keys) == _restricted(call.arguments, keys)


def _matches(gold: Action, call: ToolCall, solo: bool) -> bool:
    """Our rule: without ``compare_args`` all arguments are compared; null is as good as leaving one out."""
    if gold.name != call.name or (gold.requestor != call.requestor and not solo):
        return False
    if gold.compare_args is None:
        return all(gold.arguments.get(k) == call.arguments.get(k) for k in {*gold.arguments, *call.arguments})
    return _restricted(gold.arguments, gold.compare_args) == _restricted(call.arguments, gold.compare_args)


def _restricted(arguments: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: arguments[key] for key in keys if key in arguments}
