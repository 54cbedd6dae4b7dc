"""Writes a run as training data, JSON lines in the chat-completions shape.

A conversation is told as the agent saw it: policy, customer, its own calls and their results. What the customer called
on their own side, and the words with which they hung up, are left out.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import replacing
from ..schema.messages import AssistantMessage, ToolCall, ToolMessage, with_names
from ..schema.record import Outcome, TrialRecord

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.simulation import Simulation
    from ..schema.task import Task

Chat = list[dict[str, Any]]


def write_sft(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    domains: Mapping[str, Domain],
    tasks: Mapping[tuple[str, str], Task] | None = None,
) -> int:
    """Write each trial that passed as one line, ``{"messages": […], "tools": […]}``; returns how many.

    Args:
        records: the trials, read once and not kept.
        path: the file to write.
        domains: the domains they ran in, by name, for policy and tools.
        tasks: the tasks by domain and id, for the tickets of solo runs.
    """
    passed = (record.simulation for record in records if record.outcome is Outcome.PASSED)
    teller = _Teller(domains, tasks or {})
    return _write(path, (teller.sample(played) for played in passed if played))


def write_preferences(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    domains: Mapping[str, Domain],
    tasks: Mapping[tuple[str, str], Task] | None = None,
) -> int:
    """Write pairs of a passed and a missed trial of the same task; returns how many.

    A line is ``{"prompt": […], "chosen": […], "rejected": […], "tools": […]}``; the prompt is what both conversations
    have in common from the start. Each conversation stands in one pair at most.

    Args:
        records: the trials, read once; those that wait for a counterpart are kept.
        path: the file to write.
        domains: the domains they ran in, by name, for policy and tools.
        tasks: the tasks by domain and id, for the tickets of solo runs.
    """
    teller = _Teller(domains, tasks or {})
    pairs = (_pair(teller.sample(passed), teller.sample(missed)) for passed, missed in _matched(records))
    return _write(path, (pair for pair in pairs if pair["chosen"] and pair["rejected"]))


def _write(path: str | Path, lines: Iterable[dict[str, Any]]) -> int:
    written = 0
    with replacing(path) as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
            written += 1
    return written


def _matched(records: Iterable[TrialRecord]) -> Iterator[tuple[Simulation, Simulation]]:
    """Each passed trial with a missed one of its task, first come first served."""
    opposite = {Outcome.PASSED: Outcome.MISSED, Outcome.MISSED: Outcome.PASSED}
    waiting: dict[tuple[str, str, Outcome], deque[Simulation]] = defaultdict(deque)
    for record in records:
        if record.outcome not in opposite or record.simulation is None:
            continue
        others = waiting[record.domain, record.task_id, opposite[record.outcome]]
        if not others:
            waiting[record.domain, record.task_id, record.outcome].append(record.simulation)
            continue
        pair = {record.outcome: record.simulation, opposite[record.outcome]: others.popleft()}
        yield pair[Outcome.PASSED], pair[Outcome.MISSED]


def _pair(good: dict[str, Any], bad: dict[str, Any]) -> dict[str, Any]:
    both = zip(good["messages"], bad["messages"], strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    return {
        "prompt": good["messages"][:common],
        "chosen": good["messages"][common:],
        "rejected": bad["messages"][common:],
        "tools": good["tools"],
    }


class _Teller:
    """Tells conversations from the agent's side."""

    def __init__(self, domains: Mapping[str, Domain], tasks: Mapping[tuple[str, str], Task]) -> None:
        self._domains = domains
        self._tasks = tasks

    def sample(self, played: Simulation) -> dict[str, Any]:
        """Messages and tools, up to the agent's last message: what comes after it teaches nothing."""
        domain = self._domains[played.domain]
        task = self._tasks.get((played.domain, played.task_id))
        messages: Chat = [{"role": "system", "content": domain.policy_for(solo=played.solo, task=task)}]
        if played.solo and task and task.ticket:
            messages.append({"role": "user", "content": task.ticket})
        messages += _chat(played)
        tools = domain.environment(solo=played.solo).tool_specs()
        return {"messages": messages, "tools": [tool.schema for tool in tools]}


def _chat(played: Simulation) -> Chat:
    numbers = count(1)
    open_calls: deque[str] = deque()
    chat: Chat = []
    for message in played.messages:
        if isinstance(message, ToolMessage):
            if message.requestor == "assistant" or played.solo:
                chat.append({"role": "tool", "tool_call_id": open_calls.popleft(), "content": with_names(message)})
        elif isinstance(message, AssistantMessage):
            # Ids of our own: the providers' are random, and two conversations that began alike would not look so.
            calls = [_call(call, f"call_{next(numbers)}") for call in message.tool_calls or []]
            open_calls.extend(call["id"] for call in calls)
            told = {"role": "assistant", "content": message.content}
            chat.append({**told, "tool_calls": calls} if calls else told)
        elif shown := with_names(message):
            chat.append({"role": "user", "content": shown})
    while chat and chat[-1]["role"] != "assistant":
        chat.pop()
    return chat


def _call(call: ToolCall, id: str) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
