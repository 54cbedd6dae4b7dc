"""Milestones and minefields: how far a trial got, beside the reward, which is all or nothing.

**Progress** is the share of a task's milestones that were reached, each after those that it comes after; it is 0 where
a minefield was hit (ToolSandbox, Lu et al. 2024, without its similarities: a milestone here is reached or not).

How it works. Grading executes the writing calls again, on the way to the final state; a :class:`Progress` looks on and
sees after each of them whether what milestones say of the world holds. What they say of calls and messages is read off
the conversation. Both give timelines (:mod:`.predicates`), and one walk over all moments in order reaches what can be
reached. A milestone needs something to *become* true when its predecessors are there: what came too early does not
count, and what happens once more does. Nothing here has a clock or is kept from the live trial, so that a recording has
the progress of the trial that it is of.

Where a task has no milestones, the writing calls of its gold path are, in any order:

- A call with the same tool, side and arguments reaches its gold step, one call one step; it must have succeeded, unless
  the gold step fails as well. So an oracle that is cut off after write i of n has reached exactly i.
- Any other call reaches the first open step whose whole effect on the world holds after it.
- A trial with the full reward has reached all: whoever takes another way has arrived nevertheless.

A task that is to change nothing has one milestone: that its reward is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from ...environment.delta import ABSENT
from ...environment.domain import Domain
from ...environment.environment import Environment
from ...errors import RecordingError
from ...schema.calls import Action, render_call
from ...schema.messages import AnyMessage, Requestor, ToolCall, ToolMessage
from ...schema.milestones import Milestone, Point, in_order
from ...schema.reward import WHOLE, MilestoneStatus
from ...schema.task import EvaluationCriteria, Task
from ...schema.values import canonical
from .predicates import (
    START,
    PredicateContext,
    Timeline,
    of_the_world,
    record_of,
    same,
    steps_of,
    timeline,
    value_at,
)

Found = TypeVar("Found")

_LONGEST = 80  # characters of a gold call, as the name of a milestone
_SIDES: dict[str, Requestor] = {"agent": "assistant", "user": "user"}


class Progress:
    """Looks on while the writing calls of a conversation are executed again, and then says how far it got.

    Args:
        task: the task that was played.
        messages: the conversation, or as much of it as there is.
        domain: the domain it ran in.
        solo: whether the agent worked alone.
    """

    def __init__(self, task: Task, messages: Sequence[AnyMessage], domain: Domain, *, solo: bool = False) -> None:
        self.task = self._task = task
        self.messages = messages
        self._domain = domain
        self._solo = solo
        criteria = task.evaluation_criteria or EvaluationCriteria()
        self._milestones = None if criteria.milestones is None else _order_milestones(task, criteria.milestones, domain)
        self._mines = list(criteria.minefields or [])
        self._gold = None if criteria.milestones is not None else _GoldWrites(task, domain, solo=solo)
        self._points: list[Point] = [*(self._milestones or []), *self._mines]
        looks = _once(task, domain, "looks", lambda: [list(of_the_world(point.when)) for point in self._points])
        self._looks = {place: look for found in looks for place, look in found}
        self._seen: dict[int, Timeline] = {place: [] for place in self._looks}
        self._env: Environment | None = None

    @property
    def env(self) -> Environment:
        """The world that was looked at, or a fresh one."""
        return self._env or self._domain.environment(solo=self._solo)

    def begin(self, env: Environment) -> None:
        """The world is as it was before the first message."""
        self._env = env
        self._look(env, START)

    def after_write(self, env: Environment, at: int, call: ToolCall, *, failed: bool) -> None:
        """A writing call was executed, whose result is the message ``at``."""
        self._look(env, at)
        if self._gold is not None and at >= len(self._task.history):
            self._gold.match(env, at, call, failed=failed)

    def _look(self, env: Environment, at: int) -> None:
        for place, look in self._looks.items():
            holds, line = look(env), self._seen[place]
            if not line or line[-1][1] != holds:
                line.append((at, holds))

    def statuses(self, reward: float | None = 0.0) -> list[MilestoneStatus]:
        """The milestones in order, then the minefields; ``reward``: what the trial earned, None while that is open."""
        told = PredicateContext(self._task, self.messages, self.env, self._solo)
        lines = {point.id: timeline(point.when, told, self._seen) for point in self._points}
        if self._gold is not None:
            found = list(self._gold.statuses(self._turn, reward, end=len(self.messages) - 1))
        else:
            reached = walk(self._milestones or [], lines)
            found = [self._status(point, reached.get(point.id)) for point in self._milestones or []]
        hits = {mine.id: next((at for at, holds in lines[mine.id] if holds), None) for mine in self._mines}
        return found + [self._status(mine, hits[mine.id], mine=True) for mine in self._mines]

    def _status(self, point: Point, at: int | None, *, mine: bool = False) -> MilestoneStatus:
        turn = None if at is None else self._turn(at)
        return MilestoneStatus(id=point.id, name=point.name or point.id.replace("_", " "), turn=turn, mine=mine)

    def _turn(self, at: int) -> int:
        """The turn of a moment: for a result that of the call."""
        at = max(at, 0)
        while at and isinstance(self.messages[at], ToolMessage):
            at -= 1
        return at


def _order_milestones(task: Task, milestones: Sequence[Milestone], domain: Domain) -> list[Milestone]:
    """The milestones in an order of theirs, found once a task and process."""
    return _once(task, domain, "milestones", lambda: in_order(milestones))


def _once(task: Task, domain: Domain, what: str, find: Callable[[], Found]) -> Found:
    """What is found of a task once a process."""
    known = domain.memo.get((what, task.id))
    if known is None or known[0] is not task:
        known = domain.memo[what, task.id] = (task, find())
    found: Found = known[1]
    return found


def walk(milestones: Sequence[Milestone], lines: dict[str, Timeline]) -> dict[str, int]:
    """When each milestone was reached; ``milestones`` are in an order in which each comes after its predecessors."""
    # In one moment predecessors come first, as they do among the milestones.
    events = sorted((at, place) for place, point in enumerate(milestones) for at, holds in lines[point.id] if holds)
    reached: dict[str, int] = {}
    for moment, place in events:
        point = milestones[place]
        if point.id not in reached and all(before in reached for before in point.after):
            reached[point.id] = moment
    return reached


def progress_of(task: Task, messages: Sequence[AnyMessage], domain: Domain, *, solo: bool = False) -> Progress:
    """What there was to see in a conversation, over or not, whose writing calls are executed again.

    One that was cut off among its calls counts as far as it goes.
    """
    progress = Progress(task, messages, domain, solo=solo)
    with suppress(RecordingError):  # a call without a result at the end
        domain.environment(solo=solo).set_up(task, messages, strict=False, watch=progress)
    return progress


def milestone_statuses(
    task: Task, messages: Sequence[AnyMessage], domain: Domain, *, solo: bool = False
) -> list[MilestoneStatus]:
    """How far a conversation has got, over or not, and whatever its grade."""
    return progress_of(task, messages, domain, solo=solo).statuses()


@dataclass(frozen=True)
class _Effect:
    """One field that a gold step changes, and its value from then on."""

    side: Requestor
    table: str
    key: str
    path: tuple[str, ...]
    value: Any

    def holds(self, env: Environment) -> bool:
        found = value_at(record_of(env.database(self.side).tables[self.table], self.key), self.path)
        if ABSENT in (found, self.value):
            return found is self.value
        return same(found, self.value)


_Prepared = tuple[dict[int, Action], dict[int, str]]


class _GoldWrites:
    """The writing steps of a gold path as milestones."""

    def __init__(self, task: Task, domain: Domain, *, solo: bool) -> None:
        self._task = task
        self._domain = domain
        self._solo = solo
        self._failing: frozenset[int] | None = None
        self._reached: dict[int, int] = {}
        known = domain.memo.get(("writes", task.id, solo))
        if known is None or known[0] is not task:
            known = domain.memo["writes", task.id, solo] = (task, self._prepare())
        prepared: _Prepared = known[1]
        self._steps, self._keys = prepared

    def _prepare(self) -> _Prepared:
        """The steps that write, by their place, and their keys."""
        env = self._domain.environment()
        actions = enumerate(self._task.gold_actions)
        steps = {place: action for place, action in actions if env.writes(action.name, action.requestor)}
        return steps, {place: self._key(action) for place, action in steps.items()}

    def match(self, env: Environment, at: int, call: ToolCall, *, failed: bool) -> None:
        """See whether a writing call reaches a step."""
        key = self._key(call)
        waiting = [place for place in self._steps if place not in self._reached]
        alike = [place for place in waiting if self._keys[place] == key]
        place = next((place for place in alike if not failed or self._fails(place)), None)
        if place is None and not failed and not alike:
            place = next((place for place in waiting if self._has_effect(place, env)), None)
        if place is not None:
            self._reached[place] = at

    def statuses(self, turn: Callable[[int], int], reward: float | None, *, end: int) -> Iterator[MilestoneStatus]:
        """The steps in the order of the gold path; all reached where the reward is the full one."""
        passed = reward == 1.0
        if not self._steps:
            yield MilestoneStatus(id=WHOLE, name="the task as a whole", turn=None if reward == 0.0 else end)
        for place, action in self._steps.items():
            at = self._reached.get(place)
            reached = turn(at) if at is not None else end if passed else None
            name = render_call(action.name, action.arguments)
            short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
            yield MilestoneStatus(id=action.action_id, name=short, turn=reached)

    def _key(self, call: Action | ToolCall) -> str:
        """Tool, side and arguments as text: null is as good as nothing, and the order of a set means nothing."""
        sets = self._domain.sets.get(call.name, ())
        arguments = {
            name: sorted(value, key=repr) if name in sets and isinstance(value, list) else value
            for name, value in call.arguments.items()
            if value is not None
        }
        return canonical([call.name, "" if self._solo else call.requestor, arguments])

    def _fails(self, place: int) -> bool:
        """Whether a gold step fails, as some do in public data; asked only where a call like it has failed."""
        if self._failing is None:
            self._failing = frozenset(place for place, failed, _ in self._gold_steps() if failed)
        return place in self._failing

    def _has_effect(self, place: int, env: Environment) -> bool:
        effect = _effects(self._task, self._domain).get(place)
        return bool(effect) and all(part.holds(env) for part in effect or ())

    def _gold_steps(self) -> Iterator[tuple[int, bool, Environment]]:
        """The gold path, step by step: its place, whether it failed, and the world then."""
        env = self._domain.environment(self._task)
        for place, action in enumerate(self._task.gold_actions):
            yield place, env.call(action.name, action.arguments, action.requestor).error, env


def _effects(task: Task, domain: Domain) -> dict[int, list[_Effect]]:
    """What each gold step changes in the world; looked at once a task and process, and only when somebody asks."""
    known = domain.memo.get(("effects", task.id))
    if known is not None and known[0] is task:
        effects: dict[int, list[_Effect]] = known[1]
        return effects
    env = domain.environment(task)
    before, effects = env.state(), {}
    for place, action in enumerate(task.gold_actions):
        if not env.writes(action.name, action.requestor):
            continue
        env.call(action.name, action.arguments, action.requestor)
        now = env.state()
        effects[place] = [
            _Effect(
                "assistant" if side == "agent" else "user", one.table, one.key, tuple(steps_of(one.path)), one.after
            )
            for side, one in domain.compare(before, now)
            if one.key or one.path == ""
        ]
        before = now
    domain.memo["effects", task.id] = (task, effects)
    return effects
