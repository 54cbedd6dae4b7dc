"""The record of a trial: its conversation with what was noted beside the messages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from ..environment.environment import Environment
from ..errors import TauError
from ..schema.incidents import FOREIGN_ID
from ..schema.simulation import Simulation
from ..schema.task import Task
from .billing import Bill
from .lingering import foreign_ids
from .replies import is_ours, now, parameters
from .seats import PlayerBriefing, Seats
from .turns import Conversation
from .view import AgentView, with_heard


def make_record(
    task: Task,
    env: Environment,
    told: PlayerBriefing,
    seats: Seats,
    bill: Bill,
    conversation: Conversation,
    names: tuple[str, str],
    *,
    view: AgentView,
    opened_with: int,
    start: str,
    seconds: float,
    note: str | None,
    incidents: Mapping[str, int],
) -> Simulation:
    """The record of a trial that ends now; raises TauError where its conversation is not over.

    Args:
        task: the task that was played.
        env: the world it was played in.
        told: what its players were told.
        seats: its players.
        bill: what it has cost beside its messages.
        conversation: what was said and done.
        names: what the record calls the agent and the customer.
        view: how the agent sees the world.
        opened_with: how many of the messages stood before anything was played.
        start: when it began, as :func:`~.replies.now` gives it.
        seconds: how long it took.
        note: why it ended, where that is not plain.
        incidents: what was wrong with replies, and how often.
    """
    if conversation.reason is None:
        raise TauError("the conversation is not over yet")
    said = (with_heard(message, view) for message in conversation.messages)
    messages = [m if m.turn_idx == turn else m.model_copy(update={"turn_idx": turn}) for turn, m in enumerate(said)]
    return Simulation(
        id=str(uuid.UUID(seats.session)),
        domain=env.domain.name,
        task_id=task.id,
        trial=told.trial,
        seed=told.seed,
        user_seed=told.user_seed,
        solo=env.solo,
        agent=names[0],
        user=names[1],
        agent_parameters=parameters(seats.agent) or bill.models_asked(),
        user_parameters=parameters(seats.user),
        knowledge=known.setting if (known := env.domain.knowledge) else None,
        messages=messages,
        episodes=conversation.episodes,
        termination_reason=conversation.reason,
        steps=conversation.steps,
        errors=conversation.errors,
        agent_cost=bill.total(messages, "assistant"),
        user_cost=bill.total(messages, "user"),
        start_time=start,
        end_time=now(),
        duration=seconds,
        note=note,
        incidents=dict(incidents) | _count_foreign_ids(task, env, told, seats, conversation, opened_with),
    )


def _count_foreign_ids(
    task: Task, env: Environment, told: PlayerBriefing, seats: Seats, conversation: Conversation, opened_with: int
) -> dict[str, int]:
    """How many ids of records the agent began with that nobody had told it; ours keep nothing."""
    if is_ours(seats.maker) or is_ours(type(seats.agent)) or getattr(seats.agent, "knows_the_task", False):
        return {}
    before = [env.policy, task.ticket, told.plan_of(task)]
    before += [message.content for message in conversation.messages[:opened_with]]
    knew = " ".join(filter(None, before))
    found = foreign_ids(conversation.messages[opened_with:], knew, env.domain.base.owners)
    return {f"agent: {FOREIGN_ID}": len(found)} if found else {}
