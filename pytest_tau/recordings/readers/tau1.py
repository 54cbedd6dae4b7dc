"""Results of τ-bench v1: runs with ``traj``, in a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..dialects import all_events
from ..logged import LoggedConversation, Part, Unread
from ..tau1 import ended_by, messages_of_run
from .building import conversation, each

NAME = "tau1"


def recognises(value: Any) -> bool:
    """Whether it is a run of τ-bench v1."""
    return isinstance(value, Mapping) and isinstance(value.get("traj"), list) and "task_id" in value


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each run."""
    yield from each(parts, _read)


def _read(part: Part) -> LoggedConversation:
    run = part.value
    first = run["traj"][0] if run["traj"] else {}
    system = first.get("content") if isinstance(first, Mapping) and first.get("role") == "system" else None
    reward = run.get("reward")
    messages = list(messages_of_run(run["traj"], part.where))
    return conversation(
        f"{run['task_id']}-{run.get('trial', 0)}",
        all_events(messages),
        format=NAME,
        where=part.where,
        system=system,
        task_id=str(run["task_id"]),
        trial=run.get("trial"),
        ended=ended_by(messages).value,
        reward=reward if isinstance(reward, (int, float)) else None,
    )
