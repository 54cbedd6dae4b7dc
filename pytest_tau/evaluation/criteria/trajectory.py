"""TRAJECTORY: how the agent got there. Calls made, not made and in which order, facts looked up, reasons given, the
customer known and asked, nothing told that is not theirs.

The end state alone cannot tell a well-founded refusal from silence, nor a change that was agreed from one that was
not; these checks can.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...environment.environment import Environment
from ...schema.calls import render_call
from ...schema.checks import (
    Called,
    CallPattern,
    Claims,
    Confirmed,
    Evidence,
    FalseReason,
    Identified,
    NoNeedlessWrites,
    NotCalled,
    NotPromised,
    NotSaid,
    Order,
    OwnRecords,
    ReadBefore,
    Reason,
    TrajectoryCheck,
)
from ...schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from ...schema.reward import Check, CriterionResult, JudgeReview
from ...schema.task import Task
from ..calls import calls_made
from ..defaults import checks_for, identifying
from ..language.consent import agreement
from .claims import first_false
from .documents import read_before
from .judged import apply_review, explanation
from .needless import needless_writes
from .records import customer_of, first_leak
from .said import false_reason, not_promised, not_said, reason, reason_given
from .told_records import untrue

_NEVER_IDENTIFIED = "the customer was never identified"


def trajectory(
    task: Task,
    messages: Sequence[AnyMessage],
    *,
    in_basis: bool,
    solo: bool = False,
    env: Environment | None = None,
    by_domain: bool | None = None,
    review: JudgeReview | None = None,
    episodes: Sequence[int] = (),
    brief: bool = False,
) -> CriterionResult:
    """Run each check over the messages; a failure names the turn that broke it, where there is one.

    In solo the agent makes the customer's calls too, so that the side of a check does not matter there, and there is
    nobody to ask for a yes. ``env`` tells reading from writing tools, for the checks that name none. ``by_domain``:
    whether the checks hold that the domain makes by itself; by default not on public data. ``review``: what a judge
    says of what no rule decides. ``episodes``: where later conversations of the trial begin; who the
    customer is and what they agreed to is looked at in each by itself. ``brief``: no check after the first that fails.
    """
    defaults = env is not None and (not env.domain.parity if by_domain is None else by_domain)
    held = checks_for(task, env.domain) if env is not None and defaults else [(check, False) for check in _own(task)]
    wanted = [check for check, _ in held]
    checks = []
    for check, default in held:
        if default and isinstance(check, Identified) and _never_needed(check, messages):
            continue
        found = _in_each(check, task, wanted, messages, env, review, episodes, solo=solo)
        checks.append(found if review is None else apply_review(found, review))
        if brief and not checks[-1].met:
            break
    return CriterionResult(
        criterion="TRAJECTORY",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No trajectory checks to evaluate",
    )


def _in_each(
    check: TrajectoryCheck,
    task: Task,
    wanted: Sequence[TrajectoryCheck],
    messages: Sequence[AnyMessage],
    env: Environment | None,
    review: JudgeReview | None,
    episodes: Sequence[int],
    *,
    solo: bool,
) -> Check:
    """A check over all conversations of the trial; one about the customer in each, the first that breaks it telling.

    Of several conversations, one without a call that needs to know the customer needs no identification.
    """
    parts = one_by_one(messages, episodes) if isinstance(check, _OF_THE_CUSTOMER) else [messages]
    if isinstance(check, Identified):
        parts = [part for part in parts if not _never_needed(check, part)] or parts[:1]
    found = [_any_check(check, task, wanted, part, env, review, solo=solo) for part in parts]
    told = next((one for one in found if not one.met), found[0])
    unclear = sum(one.unclear for one in found)
    named = {"kind": check.check, "dimension": check.dimension, "severity": check.severity}
    return told.model_copy(update={**named, "unclear": unclear})


_OF_THE_CUSTOMER = (Identified, OwnRecords, Confirmed)


def one_by_one(messages: Sequence[AnyMessage], episodes: Sequence[int]) -> list[Sequence[AnyMessage]]:
    """Each conversation by itself, its turns where they were: what was said before is silence."""
    if not episodes:
        return [messages]
    ends = [*episodes, len(messages)]
    parts = [messages[: ends[0]]]
    return parts + [[*[AssistantMessage()] * begin, *messages[begin:end]] for begin, end in pairwise(ends)]


def check_once(
    check: TrajectoryCheck, task: Task, messages: Sequence[AnyMessage], env: Environment | None, *, solo: bool = False
) -> Check:
    """One check by itself, over as much of a conversation as there is."""
    return _any_check(check, task, _own(task), messages, env, None, solo=solo)


def _own(task: Task) -> list[TrajectoryCheck]:
    return list((task.evaluation_criteria.trajectory if task.evaluation_criteria else None) or [])


def _any_check(
    check: TrajectoryCheck,
    task: Task,
    wanted: Sequence[TrajectoryCheck],
    messages: Sequence[AnyMessage],
    env: Environment | None,
    review: JudgeReview | None,
    *,
    solo: bool,
) -> Check:
    if isinstance(check, Reason):
        return reason(check, messages, wanted, solo=solo)
    if isinstance(check, FalseReason):
        return false_reason(check, messages)
    if isinstance(check, Claims):
        return _claims(messages, env, solo=solo)
    if isinstance(check, OwnRecords):
        return _own_records(messages, env, identifying(wanted), solo=solo)
    if isinstance(check, NoNeedlessWrites):
        return _no_needless_writes(task, messages, env)
    if isinstance(check, Order):
        return _order(check, messages, solo=solo)
    if isinstance(check, Confirmed):
        return _check_confirmed(check, messages, env, review, solo=solo)
    if isinstance(check, Identified):
        return _check_identified(check, messages, env)
    if isinstance(check, NotSaid):
        return not_said(check, messages)
    if isinstance(check, NotPromised):
        return not_promised(check, messages)
    if isinstance(check, ReadBefore):
        return read_before(check, task, messages, env, _tools(env, "write"))
    return _call_check(check, messages, wanted, solo=solo)


def _call_check(
    check: Called | NotCalled | Evidence,
    messages: Sequence[AnyMessage],
    wanted: Sequence[TrajectoryCheck],
    *,
    solo: bool,
) -> Check:
    name, made = (
        f"{check.check}: {render_call(check.name, check.arguments)}",
        _matching_calls(check, messages, solo=solo),
    )
    if isinstance(check, NotCalled):
        why = f"called in turn {made[0][0]}" if made else ""
        return Check(name=name, met=not made, explanation=why, turn=made[0][0] if made else None)
    if isinstance(check, Called):
        succeeded = any(result is not None for _, result in made)
        return Check(name=name, met=succeeded, explanation="" if succeeded else _never(bool(made)))
    return _evidence(check, messages, reason_given(check, wanted, messages), solo=solo)


def _matching_calls(
    pattern: CallPattern, messages: Sequence[AnyMessage], *, solo: bool
) -> list[tuple[int, ToolMessage | None]]:
    """The turns of such calls, each with its result if it succeeded."""
    return [
        (turn, None if result is None or result.error else result)
        for turn, call, result in calls_made(messages)
        if call.name == pattern.name and pattern_matches(pattern, call, solo)
    ]


def _evidence(check: Evidence, messages: Sequence[AnyMessage], reason_at: int | None, *, solo: bool) -> Check:
    """Of several ways to look, the first that showed it counts."""
    names, showing, missed = [], list[int](), list[str]()
    for shown in (check, *check.alternatives):
        what = render_call(shown.name, shown.arguments)
        names.append(what if shown.shows is None else f"{what} shows {shown.shows!r}")
        made = _matching_calls(shown, messages, solo=solo)
        succeeded = [(turn, result) for turn, result in made if result is not None]
        showing += [turn for turn, result in succeeded if shown.shows is None or shown.shows in (result.content or "")]
        missed.append(f"turn {succeeded[0][0]} did not show it" if succeeded else _never(bool(made)))
    name = f"{check.check}: {' or '.join(names)}"
    if not showing:
        why = next((why for why in missed if why.startswith("turn")), missed[0])
        return Check(name=name, met=False, explanation=why)
    if reason_at is not None and min(showing) > reason_at:
        why = f"looked up in turn {min(showing)}, after the reason was given in turn {reason_at}"
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
        if pattern_matches(wanted, call, solo) and result is not None and not result.error:
            return position, turn
    return None, -1


def _check_confirmed(
    check: Confirmed,
    messages: Sequence[AnyMessage],
    env: Environment | None,
    review: JudgeReview | None,
    *,
    solo: bool,
) -> Check:
    name = "confirmed: " + (", ".join(check.names) if check.names else "every write")
    if solo:
        return Check(name=name, met=True, explanation="solo mode has no customer to ask", dormant=True)
    writes = set(_tools(env, "write"))
    remarks, unclear, dormant = [], 0, True
    for turn, call, _ in calls_made(messages):
        if call.requestor != "assistant" or call.name not in (check.names or writes):
            continue
        dormant = False
        given = agreement(messages, turn, call, env=env)
        read = None
        if review is not None and given == "unclear":
            read = review.of("consent", render_call(call.name, call.arguments), turn)
        if given == "no" or (read is not None and read.verdict == "breach"):
            said = given.why if read is None else explanation(read)
            return Check(
                name=name, met=False, explanation=f"{call.name} in turn {turn} without a yes: {said}", turn=turn
            )
        if read is not None:
            remarks.append(f"{call.name} in turn {turn} was agreed: {explanation(read)}")
        elif given == "unclear":
            unclear += 1
            remarks.append(f"agreement unclear: {call.name} in turn {turn} ({given.why})")
    return Check(name=name, met=True, explanation="; ".join(remarks), unclear=unclear, dormant=dormant)


def _check_identified(check: Identified, messages: Sequence[AnyMessage], env: Environment | None) -> Check:
    how = " or ".join(check.by) if check.by else "the customer says their id"
    name = f"identified: {how}" + (f" shows {check.shows!r}" if check.shows is not None else "")
    by = check.by or []
    needed_for = check.needed_for or [tool for tool in _tools(env, "read", "write") if tool not in by]
    said = customer_of(messages, env) if env is not None and not by else None
    for turn, call, result in calls_made(messages):
        if said is not None and turn > said[1]:
            return Check(name=name, met=True)
        if call.name in needed_for:
            why = f"{call.name} was called in turn {turn}, before the customer was identified"
            return Check(name=name, met=False, explanation=why, turn=turn)
        shown = result.content or "" if result is not None and not result.error else None
        if call.name in by and shown is not None and (check.shows is None or check.shows in shown):
            return Check(name=name, met=True)
    met = said is not None or not by
    return Check(name=name, met=met, explanation="" if met else _NEVER_IDENTIFIED, dormant=met)


def _never_needed(check: Identified, messages: Sequence[AnyMessage]) -> bool:
    """Whether nothing was called that the customer has to be known for: then the domain's own check is idle."""
    return not any(call.name in (check.needed_for or [call.name]) for _, call, _ in calls_made(messages))


def _claims(messages: Sequence[AnyMessage], env: Environment | None, *, solo: bool) -> Check:
    name = "claims: only what was done"
    told, found = (False, None) if env is None or solo else first_false(messages, env)
    if found is not None:
        why = f"turn {found.turn} tells of what no call has done: {_short(found.sentence)!r}"
        return Check(name=name, met=False, explanation=why, turn=found.turn)
    untold = None if env is None or solo else next(untrue(messages), None)
    if untold is not None:
        why = f"turn {untold.turn} tells {_short(untold.sentence)!r}, but {untold.why}"
        return Check(name=name, met=False, explanation=why, turn=untold.turn)
    return Check(name=name, met=True, dormant=not told)


def _own_records(messages: Sequence[AnyMessage], env: Environment | None, by: Sequence[str], *, solo: bool) -> Check:
    name = "own records: nothing of anybody else's told"
    shown, found = (False, None) if env is None or solo else first_leak(messages, env, by)
    if found is None:
        return Check(name=name, met=True, dormant=not shown)
    when = f"of {found.owner}" if found.known else "before the customer was identified"
    return Check(name=name, met=False, explanation=f"turn {found.turn} tells {found.value!r} {when}", turn=found.turn)


def _no_needless_writes(task: Task, messages: Sequence[AnyMessage], env: Environment | None) -> Check:
    found = next(needless_writes(task, messages, env), None) if env is not None else None
    why = f"not needed for the end state: {found.text}" if found else ""
    turn = found.turns[0] if found else None
    idle = env is None or not any(env.writes(call.name, call.requestor) for _, call, _ in calls_made(messages))
    return Check(name="no needless writes", met=found is None, explanation=why, turn=turn, dormant=idle)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 160 else f"{flat[:159]}…"


def _tools(env: Environment | None, *kinds: str) -> list[str]:
    """The agent's tools of these kinds; to look into the documents is neither to read nor to write."""
    return [spec.name for spec in env.tool_specs() if spec.kind in kinds and not spec.documents] if env else []


def _never(tried: bool) -> str:
    return "no such call succeeded" if tried else "no such call was made"


def pattern_matches(check: CallPattern, call: ToolCall, solo: bool) -> bool:
    """Whether a call is one that a check asks for; in solo whoever makes it."""
    if check.name != call.name or (check.requestor != call.requestor and not solo):
        return False
    return all(key in call.arguments and _same(value, call.arguments[key]) for key, value in check.arguments.items())


def _same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, str) and isinstance(got, str):
        return wanted.casefold() == got.casefold()
    return bool(wanted == got)
