"""TRAJECTORY: how the agent got there. Calls made, not made and in which order, facts looked up, reasons given, the
customer known and asked, nothing told that is not theirs.

The end state alone cannot tell a well-founded refusal from silence, nor a change that was agreed from one that was
not; these checks can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..environment.environment import Environment
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from ..schema.reward import Check, CriterionResult
from ..schema.task import (
    Called,
    CallPattern,
    Confirmed,
    Evidence,
    Identified,
    NotCalled,
    NotSaid,
    Order,
    ReadBefore,
    Reason,
    Task,
    TrajectoryCheck,
    render_call,
)
from .calls import calls_made
from .communicate import mentions
from .consent import agreement
from .documents import read_before


def trajectory(
    task: Task,
    messages: Sequence[AnyMessage],
    *,
    in_basis: bool,
    solo: bool = False,
    env: Environment | None = None,
) -> CriterionResult:
    """Run each check over the messages; a failure names the turn that broke it, where there is one.

    In solo the agent makes the customer's calls too, so that the side of a check does not matter there, and there is
    nobody to ask for a yes. ``env`` tells reading from writing tools, for the checks that name none.
    """
    criteria = task.evaluation_criteria
    wanted = (criteria.trajectory if criteria else None) or []
    checks = [_any_check(check, task, wanted, messages, env, solo=solo) for check in wanted]
    return CriterionResult(
        criterion="TRAJECTORY",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No trajectory checks to evaluate",
    )


def _any_check(
    check: TrajectoryCheck,
    task: Task,
    wanted: Sequence[TrajectoryCheck],
    messages: Sequence[AnyMessage],
    env: Environment | None,
    *,
    solo: bool,
) -> Check:
    if isinstance(check, Reason):
        met = _reason_at(check, messages) is not None
        why = "" if met else "no message of the agent gives this reason in any of its phrasings"
        return Check(name=f"reason: {_phrasing(check.any_of[0])}", met=met, explanation=why)
    if isinstance(check, Order):
        return _order(check, messages, solo=solo)
    if isinstance(check, Confirmed):
        return _confirmed(check, messages, _tools(env, "write"), solo=solo)
    if isinstance(check, Identified):
        return _identified(check, messages, _tools(env, "read", "write"))
    if isinstance(check, NotSaid):
        return _not_said(check, messages)
    if isinstance(check, ReadBefore):
        return read_before(check, task, messages, env, _tools(env, "write"))
    return _call_check(check, messages, _reasons_given(wanted, messages), solo=solo)


def _call_check(
    check: Called | NotCalled | Evidence, messages: Sequence[AnyMessage], reason_at: int | None, *, solo: bool
) -> Check:
    name = f"{check.check}: {render_call(check.name, check.arguments)}"
    made = [(turn, call, result) for turn, call, result in calls_made(messages) if _matches(check, call, solo)]
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


def _order(check: Order, messages: Sequence[AnyMessage], *, solo: bool) -> Check:
    names = [render_call(call.name, call.arguments) for call in check.calls]
    firsts = [_first_success(call, messages, solo=solo) for call in check.calls]
    why = ""
    for position, (first, turn) in enumerate(firsts):
        before = firsts[position - 1] if position else (-1, -1)
        if first is None:
            why = f"no call of {names[position]} succeeded"
        elif before[0] is not None and first <= before[0]:
            why = f"{names[position]} in turn {turn} came before {names[position - 1]} in turn {before[1]}"
        if why:
            break
    return Check(name="order: " + " → ".join(names), met=not why, explanation=why)


def _first_success(wanted: CallPattern, messages: Sequence[AnyMessage], *, solo: bool) -> tuple[int | None, int]:
    """The position among all calls of the first of them that succeeded, and its turn."""
    for position, (turn, call, result) in enumerate(calls_made(messages)):
        if _matches(wanted, call, solo) and result is not None and not result.error:
            return position, turn
    return None, -1


def _confirmed(check: Confirmed, messages: Sequence[AnyMessage], writes: Sequence[str], *, solo: bool) -> Check:
    name = "confirmed: " + (", ".join(check.names) if check.names else "every write")
    if solo:
        return Check(name=name, met=True, explanation="in solo there is nobody to ask")
    unclear = []
    for turn, call, _ in calls_made(messages):
        if call.requestor != "assistant" or call.name not in (check.names or writes):
            continue
        given = agreement(messages, turn, call, writes=writes.__contains__)
        if given == "no":
            return Check(name=name, met=False, explanation=f"{call.name} in turn {turn} without a yes: {given.why}")
        if given == "unclear":
            unclear.append(f"{call.name} in turn {turn} ({given.why})")
    return Check(name=name, met=True, explanation=f"agreement unclear: {'; '.join(unclear)}" if unclear else "")


def _identified(check: Identified, messages: Sequence[AnyMessage], tools: Sequence[str]) -> Check:
    name = f"identified: {' or '.join(check.by)}" + (f" shows {check.shows!r}" if check.shows is not None else "")
    needed_for = check.needed_for or [tool for tool in tools if tool not in check.by]
    for turn, call, result in calls_made(messages):
        if call.name in needed_for:
            why = f"{call.name} was called in turn {turn}, before the customer was identified"
            return Check(name=name, met=False, explanation=why)
        shown = result.content or "" if result is not None and not result.error else None
        if call.name in check.by and shown is not None and (check.shows is None or check.shows in shown):
            return Check(name=name, met=True)
    return Check(name=name, met=False, explanation="the customer was never identified")


def _not_said(check: NotSaid, messages: Sequence[AnyMessage]) -> Check:
    name = "not said: " + ", ".join(check.texts) + (f" until {' or '.join(check.until)}" if check.until else "")
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if not message.error and check.until and _answers(message, messages, check.until):
                break
        elif isinstance(message, AssistantMessage):
            said = next((text for text in check.texts if mentions(message.text, text)), None)
            if said is not None:
                return Check(name=name, met=False, explanation=f"turn {turn} of the agent says {said!r}")
    return Check(name=name, met=True)


def _answers(result: ToolMessage, messages: Sequence[AnyMessage], names: Sequence[str]) -> bool:
    return any(found is result and call.name in names for _, call, found in calls_made(messages))


def _tools(env: Environment | None, *kinds: str) -> list[str]:
    """The agent's tools of these kinds; to look into the documents is neither to read nor to write."""
    return [spec.name for spec in env.tool_specs() if spec.kind in kinds and not spec.documents] if env else []


def _never(tried: bool) -> str:
    return "no such call succeeded" if tried else "no such call was made"


def _matches(check: CallPattern, call: ToolCall, solo: bool) -> bool:
    if check.name != call.name or (check.requestor != call.requestor and not solo):
        return False
    return all(key in call.arguments and _same(value, call.arguments[key]) for key, value in check.arguments.items())


def _same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.casefold() == got.casefold()
    return bool(wanted == got)


def _reasons_given(checks: Sequence[TrajectoryCheck], messages: Sequence[AnyMessage]) -> int | None:
    """The turn that evidence must come before: the first in which a reason is given for the last time.

    "That may not be possible, let me look" is no verdict yet. Who never says it again after looking has judged unseen.
    """
    turns = [
        turn for check in checks if isinstance(check, Reason) and (turn := _reason_at(check, messages)) is not None
    ]
    return min(turns, default=None)


def _reason_at(check: Reason, messages: Sequence[AnyMessage]) -> int | None:
    """The turn of the last message that gives the reason."""
    for turn, message in reversed(list(enumerate(messages))):
        if isinstance(message, AssistantMessage) and any(_says(message.text, phrasing) for phrasing in check.any_of):
            return turn
    return None


def _says(text: str, phrasing: str | list[str]) -> bool:
    fragments = [phrasing] if isinstance(phrasing, str) else phrasing
    return all(_flat(fragment) in _flat(text) for fragment in fragments)


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    # Models write typographic apostrophes where authors type straight ones.
    return re.sub(r"\s+", " ", text.casefold().replace("’", "'")).strip()


def _phrasing(phrasing: str | list[str]) -> str:
    return phrasing if isinstance(phrasing, str) else " … ".join(phrasing)
