"""A task that begins in the middle of a logged conversation: what ``tau_conversation.from_recording`` plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ...agents.names import named_agent
from ...evaluation.criteria.actions import same_call
from ...recordings.from_turn import find_conversation, history_until
from ...recordings.reproducing import refuse_unfit, reproduce
from ...schema.task import InitialState
from ...schema.transcript import calls_done
from .requesting import name_factory

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task
    from .trial import TrialRequest

# Players that are made with the whole task, and so are made anew with this one.
_KNOW_THE_TASK = ("oracle", "faulty")


def request_from_turn(request: TrialRequest, where: str, turn: int) -> TrialRequest:
    """The request of a trial that begins there.

    Raises:
        RecordingError: there is no such log, conversation or turn.
        DomainError: the log is of another domain.
    """
    slot = request.slot
    slot = slot._replace(task=_task_from_turn(slot.task, slot.domain, where, turn, request.item))
    agent = request.agent
    if request.agent_name.partition(":")[0] in _KNOW_THE_TASK:
        agent = name_factory(named_agent(request.agent_name)(slot.task, slot.domain), request.agent_name)
    return replace(request, slot=slot, agent=agent)


def _task_from_turn(task: Task, domain: Domain, where: str, turn: int, item: pytest.Item) -> Task:
    """The task with a logged conversation up to a turn as its history, and without the gold steps made in it."""
    beside = item.path.parent / where.partition("#")[0]
    place = str(item.path.parent / where) if beside.exists() else where
    conversation = find_conversation(place, [lambda path: item.ihook.pytest_tau_read_conversations(path=Path(path))])
    found = reproduce(conversation.messages, domain, conversation.initial_state)
    refuse_unfit(domain, found, conversation.meta.get("domain"))
    history = history_until(conversation, domain, found.initial_state, turn)
    state = (found.initial_state or InitialState()).model_copy(update={"message_history": history})
    update: dict[str, object] = {"initial_state": state}
    if task.evaluation_criteria is not None:
        made = [call for _, call, _ in calls_done(history)]
        left, world = [], domain.environment()
        for action in task.gold_actions:
            same = next((call for call in made if same_call(action, call, world)), None)
            if same is None:
                left.append(action)
            else:
                made.remove(same)
        update["evaluation_criteria"] = task.evaluation_criteria.model_copy(update={"actions": left})
    return task.model_copy(update=update)
