"""A conversation as its agent saw it, in the chat-completions shape: policy, customer, own calls and their results.

What the customer called on their own side, and the words with which they hung up, are left out.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from ..conversation.view import AgentView, ShownTool, as_seen
from ..environment.domain import Domain
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, with_names
from ..schema.simulation import Simulation
from ..schema.task import Task

Entry = dict[str, Any]
Chat = list[Entry]


@dataclass(frozen=True)
class AgentChat:
    """A conversation up to the agent's last message: what comes after it teaches nothing.

    ``messages``: the chat, its system prompt first. ``turns``: for each of them the message of the conversation that it
    tells, from 0; None for the system prompt and a ticket. ``tools``: chat-completions definitions.
    """

    messages: Chat
    turns: list[int | None]
    tools: Sequence[Mapping[str, Any]]
    view: AgentView | None = None

    def before(self, turn: int) -> Chat:
        """What the agent had seen when it was to say the message ``turn``."""
        known = (entry for entry, at in zip(self.messages, self.turns, strict=True) if at is None or at < turn)
        return list(known)

    def entry(self, message: AssistantMessage, turn: int) -> Entry:
        """A message of the agent, in true names, as the entry that it would have been in that turn."""
        seen = message if self.view is None else as_seen(message, self.view)
        return as_entry(seen, self.before(turn)) if isinstance(seen, AssistantMessage) else {}


class Teller:
    """Tells conversations from the agent's side.

    Args:
        domains: the domains they ran in, by name, for policy and tools.
        tasks: the tasks by domain and id, for the tickets of solo runs and policies of single tasks.
    """

    def __init__(self, domains: Mapping[str, Domain], tasks: Mapping[tuple[str, str], Task]) -> None:
        self._domains = domains
        self._tasks = tasks
        self._tools: dict[tuple[str, bool], list[Mapping[str, Any]]] = {}

    def tell(self, played: Simulation, view: AgentView | None = None) -> AgentChat:
        """The conversation; ``view``: how the agent saw its world."""
        task = self._tasks.get((played.domain, played.task_id))
        system = self._domains[played.domain].policy_for(solo=played.solo, task=task)
        seen, policy = (_as_it_is, _as_it_is) if view is None else (view.text, view.policy)
        chat: Chat = [{"role": "system", "content": policy(system)}]
        turns: list[int | None] = [None]
        if played.solo and task and task.ticket:
            chat.append({"role": "user", "content": seen(task.ticket)})
            turns.append(None)
        messages = played.messages if view is None else [as_seen(one, view) for one in played.messages]
        for turn, entry in entries(enumerate(messages), solo=played.solo):
            chat.append(entry)
            turns.append(turn)
        while len(chat) > 1 and chat[-1]["role"] != "assistant" and turns[-1] is not None:
            chat.pop()
            turns.pop()
        tools: Sequence[Mapping[str, Any]] = self._tools_of(played)
        if view is not None:
            named = [(tool["function"]["name"], tool) for tool in tools]
            tools = [tool.schema for tool in view.tools([ShownTool(name, name, tool) for name, tool in named])]
        return AgentChat(chat, turns, tools, view)

    def domain(self, played: Simulation) -> Domain:
        """The domain that a conversation ran in."""
        return self._domains[played.domain]

    def _tools_of(self, played: Simulation) -> list[Mapping[str, Any]]:
        key = (played.domain, played.solo)
        if key not in self._tools:
            specs = self._domains[played.domain].environment(solo=played.solo).tool_specs()
            self._tools[key] = [spec.schema for spec in specs]
        return self._tools[key]


def _as_it_is(text: str) -> str:
    return text


def entries(messages: Iterable[tuple[int, AnyMessage]], *, solo: bool = False) -> Iterable[tuple[int, Entry]]:
    """Numbered messages as entries of a chat.

    Calls get ids of our own: the providers' are random, and two conversations that began alike would not look so.
    """
    numbers = count(1)
    waiting: deque[str] = deque()
    for turn, message in messages:
        if isinstance(message, ToolMessage):
            if message.requestor == "assistant" or solo:
                yield turn, {"role": "tool", "tool_call_id": waiting.popleft(), "content": with_names(message)}
        elif isinstance(message, AssistantMessage):
            calls = [_call(call, f"call_{next(numbers)}") for call in message.tool_calls or []]
            waiting.extend(call["id"] for call in calls)
            said: Entry = {"role": "assistant", "content": message.content}
            yield turn, {**said, "tool_calls": calls} if calls else said
        elif shown := with_names(message):
            yield turn, {"role": "user", "content": shown}


def as_entry(message: AssistantMessage, before: Sequence[Entry]) -> Entry:
    """A message of the agent as the next entry of a chat."""
    made = sum(len(entry.get("tool_calls") or []) for entry in before)
    calls = [_call(call, f"call_{made + number}") for number, call in enumerate(message.tool_calls or [], start=1)]
    said: Entry = {"role": "assistant", "content": message.content}
    return {**said, "tool_calls": calls} if calls else said


def _call(call: ToolCall, id: str) -> Entry:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
