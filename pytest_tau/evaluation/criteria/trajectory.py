"""TRAJECTORY: how the agent got there. Calls made, not made and in which order, facts looked up, reasons given, the
customer known and asked, nothing told that is not theirs.

The end state alone cannot tell a well-founded refusal from silence, nor a change that was agreed from one that was
not; these checks can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ...environment.environment import Environment
from ...schema.checks import (
    AskedOnce,
    Called,
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
    OwnRole,
    ReadBefore,
    Reason,
    TrajectoryCheck,
)
from ...schema.messages import AnyMessage, AssistantMessage
from ...schema.reward import Check, CriterionResult, JudgeReview
from ...schema.task import Task
from ..language.told import check_claims
from .called import check_called, check_evidence, check_not_called
from .conduct import check_needless_writes, check_own_records
from .confirmed import check_confirmed
from .defaults import checks_for
from .documents import read_before
from .handing_over import check_asked_once, check_own_role
from .identified import check_identified, never_needed
from .judged import apply_review
from .order import check_order
from .said import false_reason, not_promised, not_said, reason
from .scene import Scene

# How each kind of check is decided. A new kind is a class in schema/checks.py, a file here, and a line.
_RULES: Mapping[type[Any], Callable[[Any, Scene], Check]] = {
    Called: check_called,
    NotCalled: check_not_called,
    Evidence: check_evidence,
    Order: check_order,
    Confirmed: check_confirmed,
    Identified: check_identified,
    Claims: lambda check, scene: check_claims(scene.messages, None if scene.solo else scene.env),
    OwnRecords: check_own_records,
    NoNeedlessWrites: check_needless_writes,
    AskedOnce: check_asked_once,
    OwnRole: check_own_role,
    Reason: lambda check, scene: reason(check, scene.messages, scene.checks, solo=scene.solo, env=scene.env),
    FalseReason: lambda check, scene: false_reason(check, scene.messages),
    NotSaid: lambda check, scene: not_said(check, scene.messages),
    NotPromised: lambda check, scene: not_promised(check, scene.messages),
    ReadBefore: lambda check, scene: read_before(check, scene.task, scene.messages, scene.env, scene.tools("write")),
}
# Of several conversations of a trial, these look at each by itself.
_OF_THE_CUSTOMER = (Identified, OwnRecords, Confirmed)


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
    held = (
        checks_for(task, env.domain) if env is not None and defaults else [(check, False) for check in task.own_checks]
    )
    scene = Scene(task, messages, [check for check, _ in held], env, review, solo)
    checks = []
    for check, default in held:
        if default and isinstance(check, Identified) and never_needed(check, messages):
            continue
        found = _in_each(check, scene, episodes)
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


def _in_each(check: TrajectoryCheck, scene: Scene, episodes: Sequence[int]) -> Check:
    """A check over all conversations of the trial; one about the customer in each, the first that breaks it telling.

    Of several conversations, one without a call that needs to know the customer needs no identification.
    """
    parts = one_by_one(scene.messages, episodes) if isinstance(check, _OF_THE_CUSTOMER) else [scene.messages]
    if isinstance(check, Identified):
        parts = [part for part in parts if not never_needed(check, part)] or parts[:1]
    rule = _RULES[type(check)]
    found = [rule(check, scene if part is scene.messages else replace(scene, messages=part)) for part in parts]
    told = next((one for one in found if not one.met), found[0])
    unclear = sum(one.unclear for one in found)
    named = {"kind": check.check, "dimension": check.dimension, "severity": check.severity}
    return told.model_copy(update={**named, "unclear": unclear})


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
    return _RULES[type(check)](check, Scene(task, messages, task.own_checks, env, solo=solo))
