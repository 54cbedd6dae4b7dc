"""TRAJECTORY: how the agent got there. Calls made and not made, facts looked up, reasons given.

The end state alone cannot tell a well-founded refusal from silence; these checks can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from ..schema.reward import Check, CriterionResult
from ..schema.task import Called, Evidence, NotCalled, Reason, Task, TrajectoryCheck, render_call


def trajectory(task: Task, messages: Sequence[AnyMessage], *, in_basis: bool, solo: bool = False) -> CriterionResult:
    """Run each check over the messages; a failure names the turn that broke it, where there is one.

    In solo the agent makes the customer's calls too, so that the side of a check does not matter there.
    """
    criteria = task.evaluation_criteria
    wanted = (criteria.trajectory if criteria else None) or []
    checks = [_check(check, messages, _first_reason(wanted, messages), solo=solo) for check in wanted]
    return CriterionResult(
        criterion="TRAJECTORY",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No trajectory checks to evaluate",
    )


def _check(check: TrajectoryCheck, messages: Sequence[AnyMessage], reason_at: int | None, *, solo: bool) -> Check:
    if isinstance(check, Reason):
        met = _reason_at(check, messages) is not None
        why = "" if met else "no message of the agent gives this reason in any of its phrasings"
        return Check(name=f"reason: {_phrasing(check.any_of[0])}", met=met, explanation=why)
    name = f"{check.check}: {render_call(check.name, check.arguments)}"
    made = [(turn, call, result) for turn, call, result in _calls(messages) if _matches(check, call, solo)]
    if isinstance(check, NotCalled):
        why = f"called in turn {made[0][0]}" if made else ""
        return Check(name=name, met=not made, explanation=why)
    succeeded = [(turn, result) for turn, _, result in made if result is not None and not result.error]
    if isinstance(check, Called):
        return Check(name=name, met=bool(succeeded), explanation="" if succeeded else _never(bool(made)))
    return _evidence(check, name, succeeded, reason_at, tried=bool(made))


def _evidence(
    check: Evidence, name: str, succeeded: list[tuple[int, ToolMessage]], reason_at: int | None, *, tried: bool
) -> Check:
    if check.shows is not None:
        name = f"{name} shows {check.shows!r}"
    showing = [turn for turn, result in succeeded if check.shows is None or check.shows in (result.content or "")]
    if not showing:
        why = f"turn {succeeded[0][0]} did not show it" if succeeded else _never(tried)
        return Check(name=name, met=False, explanation=why)
    if reason_at is not None and showing[0] > reason_at:
        why = f"looked up in turn {showing[0]}, after the reason was given in turn {reason_at}"
        return Check(name=name, met=False, explanation=why)
    return Check(name=name, met=True)


def _never(tried: bool) -> str:
    return "no such call succeeded" if tried else "no such call was made"


def _calls(messages: Sequence[AnyMessage]) -> list[tuple[int, ToolCall, ToolMessage | None]]:
    """Every call with the turn it was made in and its result."""
    found = []
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        for offset, call in enumerate(message.tool_calls or [], start=turn + 1):
            result = messages[offset] if offset < len(messages) else None
            found.append((turn, call, result if isinstance(result, ToolMessage) else None))
    return found


def _matches(check: Called | NotCalled | Evidence, call: ToolCall, solo: bool) -> bool:
    if check.name != call.name or (check.requestor != call.requestor and not solo):
        return False
    return all(key in call.arguments and _same(value, call.arguments[key]) for key, value in check.arguments.items())


def _same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.casefold() == got.casefold()
    return bool(wanted == got)


def _first_reason(checks: Sequence[TrajectoryCheck], messages: Sequence[AnyMessage]) -> int | None:
    turns = [
        turn for check in checks if isinstance(check, Reason) and (turn := _reason_at(check, messages)) is not None
    ]
    return min(turns, default=None)


def _reason_at(check: Reason, messages: Sequence[AnyMessage]) -> int | None:
    for turn, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and any(_says(message.text, phrasing) for phrasing in check.any_of):
            return turn
    return None


def _says(text: str, phrasing: str | list[str]) -> bool:
    fragments = [phrasing] if isinstance(phrasing, str) else phrasing
    return all(_flat(fragment) in _flat(text) for fragment in fragments)


def _flat(text: str) -> str:
    # Models write typographic apostrophes where authors type straight ones.
    return re.sub(r"\s+", " ", text.casefold().replace("’", "'")).strip()


def _phrasing(phrasing: str | list[str]) -> str:
    return phrasing if isinstance(phrasing, str) else " … ".join(phrasing)
