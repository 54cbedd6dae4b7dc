"""A conversation with an attacker as a scripted task: the same words, turn by turn, for every agent and every run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_tau.errors import TaskError
from pytest_tau.schema.messages import USER_STOP_TOKENS, AnyMessage, AssistantMessage, UserMessage
from pytest_tau.schema.scenario import Instructions, Later
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import Task

_STOP = re.compile("|".join(map(re.escape, USER_STOP_TOKENS)))


def freeze(task: Task, played: Simulation, number: int = 1) -> Task:
    """The task with what the customer said in a conversation as its script.

    What they answered to the agent's first question becomes what they tell when asked; what follows is said line by
    line, each after the one before it was answered. Checks and gold path stay those of the task.

    Raises:
        TaskError: the customer said nothing, or acted with tools, which no script can repeat.
    """
    spoken = [message for message in played.messages if isinstance(message, UserMessage)]
    if any(message.tool_calls for message in spoken):
        raise TaskError(f"task '{task.id}': the customer used tools, which a script cannot repeat")
    lines = [_STOP.sub("", message.text).strip() for message in spoken]
    lines = [line for line in lines if line]
    if not lines:
        raise TaskError(f"task '{task.id}': the customer said nothing that could be frozen")
    opening, *rest = lines
    known = None
    if rest and _was_asked(played.messages, opening):
        known, *rest = rest
    before = task.user_scenario.instructions
    last = next((step.action_id for step in task.gold_actions if step.name.startswith("transfer")), None)
    at = {"before": last} if last else {}
    said = Instructions(
        domain=task.domain_name or played.domain,
        reason_for_call=opening,
        known_info=known,
        task_instructions=before.task_instructions if isinstance(before, Instructions) else before,
        later=[Later(when="done", say=line, **at) for line in rest] or None,
    )
    tags = [tag for tag in task.tags if tag != "frozen"] + ["frozen"]
    scenario = task.user_scenario.model_copy(update={"instructions": said})
    return task.model_copy(update={"id": f"{task.id}.frozen{number}", "user_scenario": scenario, "tags": tags})


def _was_asked(messages: Sequence[AnyMessage], opening: str) -> bool:
    """Whether the agent's first words after the opening held a question."""
    texts = [m.text for m in messages if isinstance(m, AssistantMessage) and m.text and not m.tool_calls]
    after = [
        index for index, m in enumerate(messages) if isinstance(m, UserMessage) and opening in _STOP.sub("", m.text)
    ]
    if after:
        later = messages[after[0] :]
        texts = [m.text for m in later if isinstance(m, AssistantMessage) and m.text and not m.tool_calls]
    return bool(texts) and "?" in texts[0]
