"""The oracle with seeded mistakes, of the kinds that real agents' failures fall into.

A mistake is made in the plan, not in the playing: the gold path of a copy of the task is changed, and the oracle walks
that. The same seed makes the same mistake.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..conversation.protocols import AgentContext
from ..environment.domain import Domain
from ..schema.calls import Action
from ..schema.task import EvaluationCriteria, Task
from .oracle import Oracle
from .plausible import (
    another,
    changed_text,
    fill,
    pool_of,
    with_action,
    with_actions,
    with_criteria,
    write_tools,
    writes_of,
)
from .seams import NAMED_BY, seam_of
from .team import Team, hands_over_well

UNASKED = "unasked"
"""The kind that does what is right and does not ask before it does it; made only where it is named."""


def faulty_agent(
    task: Task, domain: Domain, context: AgentContext, *, rate: float, kinds: Sequence[str]
) -> Oracle | Team:
    """An oracle that makes one mistake, with probability ``rate``; the context's seed decides whether and which.

    One of ``NAMED_BY`` is made by a team, and raises SettingsError where the domain declares no roles.
    """
    if kinds[0] in NAMED_BY:
        makes = random.Random(context.seed).random() < rate
        return Team(task, context, seam_of(kinds[0], domain.base.owners) if makes else hands_over_well)
    return mistaken_oracle(task, domain, context, rate=rate, kinds=kinds)[0]


@dataclass(frozen=True)
class Mistake:
    """What was done wrongly: its kind, and the step of the mistaken plan that is wrong; None where one is missing."""

    kind: str
    action_id: str | None = None


def mistaken_oracle(
    task: Task, domain: Domain, context: AgentContext, *, rate: float = 1.0, kinds: Sequence[str]
) -> tuple[Oracle, Mistake | None]:
    """As :func:`faulty_agent`, with the mistake that the player makes; None where it makes none."""
    rng = random.Random(context.seed)
    if rng.random() < rate:
        if UNASKED in kinds:
            return Oracle(task, context, asks=False), Mistake(UNASKED)
        for kind in rng.sample(list(kinds), len(kinds)):
            mistaken = _KINDS[kind](task, domain, rng)
            if mistaken is not None:
                return Oracle(mistaken, context), Mistake(kind, _wrong_step(task, mistaken))
    return Oracle(task, context), None


def _wrong_step(task: Task, mistaken: Task) -> str | None:
    gold = task.gold_actions
    return next((action.action_id for action in mistaken.gold_actions if action not in gold), None)


def _wrong_argument(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One argument of one change gets another value that could be meant."""
    choices = [(i, name) for i in writes_of(task, domain) for name in task.gold_actions[i].arguments]
    if not choices:
        return None
    position, name = rng.choice(choices)
    action = task.gold_actions[position]
    value = another(name, action.arguments[name], pool_of(task, domain), rng)
    return with_action(task, position, action.model_copy(update={"arguments": {**action.arguments, name: value}}))


def _wrong_tool(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One change is attempted with another tool."""
    writes = writes_of(task, domain)
    if not writes:
        return None
    position = rng.choice(writes)
    action = task.gold_actions[position]
    others = [name for name in write_tools(domain) if name != action.name]
    if not others:
        return _partly_done(task, domain, rng)
    name = rng.choice(others)
    arguments = fill(domain, name, {**pool_of(task, domain), **{k: [v] for k, v in action.arguments.items()}}, rng)
    return with_action(task, position, action.model_copy(update={"name": name, "arguments": arguments}))


def _partly_done(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One change is left out, or one look-up where nothing is to be changed."""
    droppable = writes_of(task, domain) or list(range(len(task.gold_actions)))
    if not droppable:
        return None
    position = rng.choice(droppable)
    return with_actions(task, [a for i, a in enumerate(task.gold_actions) if i != position])


def _unintended_action(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A change nobody asked for, made up of values from the conversation."""
    tools = write_tools(domain)
    if not tools:
        return None
    name = rng.choice(tools)
    extra = Action(action_id="unintended", name=name, arguments=fill(domain, name, pool_of(task, domain), rng))
    # Before the agreed changes: what they do to the world may leave nothing for another tool to change.
    return with_actions(task, [extra, *task.gold_actions] if rng.random() < 0.5 else [*task.gold_actions, extra])


def _wrong_information(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A fact is told wrongly."""
    facts = list((task.evaluation_criteria or EvaluationCriteria()).communicate_info or [])
    if not facts:
        return None
    position = rng.randrange(len(facts))
    facts[position] = str(changed_text(facts[position]))
    return with_criteria(task, communicate_info=facts)


def _missing_information(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A fact or a reason is not told."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    facts = list(criteria.communicate_info or [])
    if facts:
        facts.pop(rng.randrange(len(facts)))
        return with_criteria(task, communicate_info=facts)
    kept = [check for check in criteria.trajectory or [] if check.check != "reason"]
    return with_criteria(task, trajectory=kept) if len(kept) < len(criteria.trajectory or []) else None


_KINDS: dict[str, Callable[[Task, Domain, random.Random], Task | None]] = {
    "wrong_argument": _wrong_argument,
    "wrong_tool": _wrong_tool,
    "partly_done": _partly_done,
    "unintended_action": _unintended_action,
    "wrong_information": _wrong_information,
    "missing_information": _missing_information,
}
KINDS = tuple(_KINDS)
