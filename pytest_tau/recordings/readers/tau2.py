"""Results of τ²: the file, or a bare list of simulations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..dialects import all_events, inner
from ..logged import LoggedConversation, Part, Unread
from .building import conversation, each, name_of

NAME = "tau2"


def recognises(value: Any) -> bool:
    """Whether it is a results file or one of its simulations."""
    if not isinstance(value, Mapping):
        return False
    return ("info" in value and isinstance(value.get("simulations"), list)) or (
        isinstance(value.get("messages"), list) and "task_id" in value and "termination_reason" in value
    )


def conversations(parts: Sequence[Part]) -> Iterator[LoggedConversation | Unread]:
    """One for each simulation."""
    for part in parts:
        value = part.value
        if "simulations" not in value:
            yield from each([part], _read)
            continue
        about = inner(inner(value, "info"), "environment_info")
        tasks = value.get("tasks")
        states = {
            str(task.get("id")): task.get("initial_state")
            for task in (tasks if isinstance(tasks, list) else [])
            if isinstance(task, Mapping)
        }
        runs = [Part(f"{part.where}: simulations[{n}]", run) for n, run in enumerate(value["simulations"])]
        yield from each(runs, lambda one, about=about, states=states: _read(one, about, states))  # type: ignore[misc]


def _read(
    part: Part, about: Mapping[str, Any] | None = None, states: Mapping[str, Any] | None = None
) -> LoggedConversation:
    run, about = part.value, about or {}
    reward = inner(run, "reward_info").get("reward")
    return conversation(
        name_of(run, part.where, "id"),
        all_events(run["messages"]),
        format=NAME,
        where=part.where,
        system=about.get("policy") if isinstance(about.get("policy"), str) else None,
        domain=about.get("domain_name"),
        task_id=str(run["task_id"]),
        initial_state=(states or {}).get(str(run["task_id"])),
        trial=run.get("trial"),
        reward=reward if isinstance(reward, (int, float)) else None,
        ended=run.get("termination_reason"),
    )
