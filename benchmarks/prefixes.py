"""The share of prompts that a provider's prefix cache could serve, in retail, for the agent and for the customer.

The conversations are the oracle's with the scripted customer; at each turn, the agent and the customer that play a
model are asked, and what they send is counted in tokens as providers count it, tools and messages, by litellm's
``token_counter`` for gpt-4o. A cache serves the messages that a request has in common with the one before it, from the
third request on. The notes say what a task takes in all.

To compare the reference on public data, let it play the same tasks with a model on loopback that notes its requests,
replies with what these conversations say, and count them in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import takewhile
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks.measuring import Result, public_data
from pytest_tau import Domain, Task, load_domain, load_tasks, simulate
from pytest_tau.agents.llm import llm_agent
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.turns import seen_by_agent, seen_by_user
from pytest_tau.environment.folders import public_guidelines
from pytest_tau.llm import backend
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.users.llm import llm_user
from pytest_tau.users.prompts import Guidelines

TASKS = 20
THIRD = 2
LIMIT = 10.0
SIDES = {"assistant": "agent", "user": "customer"}


class Request(NamedTuple):
    """What a model is asked."""

    tools: list[Any]
    messages: list[Any]

    @property
    def size(self) -> int:
        """In tokens."""
        counted: int = backend.load().token_counter("gpt-4o", messages=self.messages, tools=self.tools or None)
        return counted

    def shared_with(self, later: Request) -> Request:
        """What a later request begins with, too; nothing where its tools are others."""
        pairs = zip(self.messages, later.messages, strict=False) if self.tools == later.tools else ()
        return Request(self.tools, [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)])


class Listener:
    """A model that notes what it is asked."""

    model = "listener"
    parameters: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Any] = (), **options: Any
    ) -> ModelReply:
        """Note a request."""
        self.requests.append(Request([*tools], [*messages]))
        return ModelReply("Well.", None, 0.0, None, 0.0)


def requests_of(task: Task, domain: Domain, guidelines: Guidelines | None) -> dict[str, list[Request]]:
    """What both sides' models are asked in the course of a task, by side."""
    listeners = {role: Listener() for role in SIDES}
    made: dict[str, Any] = {}

    def note(role: str, factory: Any) -> Any:
        def make(context: Any) -> Any:
            made[role] = factory(context)
            return made[role]

        return make

    agent, user = llm_agent(listeners["assistant"]), llm_user(listeners["user"], guidelines)
    simulate(task, domain, note("assistant", agent), note("user", user), limits=Limits(max_steps=1))  # to be made
    for listener in listeners.values():
        listener.requests.clear()
    messages = simulate(task, domain).messages
    for at, message in enumerate(messages[1:], start=1):
        if message.role in SIDES:
            seen = (seen_by_agent if message.role == "assistant" else seen_by_user)(messages[:at])
            asyncio.run(made[message.role].reply(seen))
    return {role: listener.requests for role, listener in listeners.items()}


def main() -> None:
    """Print a line for each side: the share of tokens from the third request on that no cache could serve."""
    data = public_data()
    domain, tasks = load_domain("retail", data=data), load_tasks("retail", data=data)[:TASKS]
    file = None if data is None else public_guidelines(data)
    guidelines = None if file is None else Guidelines.read(file)
    fresh: dict[str, list[float]] = {role: [] for role in SIDES}
    whole: dict[str, list[int]] = {role: [] for role in SIDES}
    fixed: dict[str, int] = {}
    for task in tasks:
        for role, requests in requests_of(task, domain, guidelines).items():
            sizes = [one.size for one in requests]
            pairs = zip(requests[THIRD - 1 :], requests[THIRD:], strict=False)
            shared = [before.shared_with(one).size for before, one in pairs]
            whole[role].append(sum(sizes))
            fixed[role] = sizes[0]
            if shared:
                fresh[role].append(1 - sum(shared) / sum(sizes[THIRD:]))
    where = "public data" if data else "own data"
    for role, side in SIDES.items():
        note = f"{where}; a task's prompts {mean(whole[role]):,.0f} tokens, the first of them {fixed[role]:,}"
        print(Result(f"retail, {side}: prompt that no cache has", 100 * median(fresh[role]), LIMIT, "%", note))


if __name__ == "__main__":
    main()
