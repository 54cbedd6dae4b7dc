"""DB: the conversation left the world in the state that the gold actions lead to."""

from __future__ import annotations

from ...environment.delta import ABSENT
from ...environment.domain import Domain
from ...environment.environment import Environment, State
from ...schema.reward import CriterionResult, Difference
from ...schema.task import Task


def gold_state(task: Task, domain: Domain) -> State:
    """The state after the gold actions, computed once per task and process.

    Calls that fail are part of some gold paths; both sides are synchronised after each call, as in a conversation.
    """
    known = domain.memo.get(("gold", task.id))
    if known is not None and known[0] is task:
        state: State = known[1]
        return state
    state = _state_after(task, domain)
    domain.memo["gold", task.id] = (task, state)
    return state


def _state_after(task: Task, domain: Domain) -> State:
    env = domain.environment(task)
    for action in task.gold_actions:
        env.call(action.name, action.arguments, action.requestor)
    return env.state()


def ending_reached(task: Task, env: Environment) -> Task:
    """The task as it is graded: with the accepted gold path that ends in this state, otherwise with its own."""
    if task.evaluation_criteria is None or not task.evaluation_criteria.accept:
        return task
    known = env.domain.memo.get(("endings", task.id))
    if known is None or known[0] is not task:
        found = [(other, _state_after(other, env.domain)) for other in task.other_endings]
        known = env.domain.memo["endings", task.id] = (task, found)
    reached = env.state()
    if gold_state(task, env.domain) == reached:
        return task
    return next((other for other, state in known[1] if state == reached), task)


def database(task: Task, env: Environment, *, in_basis: bool, brief: bool = False) -> CriterionResult:
    """Compare the state reached with the gold state. A task without actions and assertions compares nothing.

    ``brief``: whether they differ, and not in what.
    """
    criteria = task.evaluation_criteria
    if criteria is None or (criteria.actions is None and criteria.env_assertions is None):
        note = "No expected actions or env assertions"
        return CriterionResult(criterion="DB", value=1.0, in_basis=in_basis, note=note)
    gold, reached = gold_state(task, env.domain), env.state()
    if gold == reached:
        return CriterionResult(criterion="DB", value=1.0, in_basis=in_basis)
    if brief:
        return CriterionResult(criterion="DB", value=0.0, in_basis=in_basis)
    differences = [
        Difference(
            side=side,
            table=change.table,
            key=change.key,
            path=change.path,
            expected=None if change.before is ABSENT else change.before,
            actual=None if change.after is ABSENT else change.after,
            expected_absent=change.before is ABSENT,
            actual_absent=change.after is ABSENT,
        )
        for side, change in env.domain.compare(gold, reached)
    ]
    return CriterionResult(criterion="DB", value=0.0, in_basis=in_basis, differences=differences)
