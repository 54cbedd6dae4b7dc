"""How often a model that plays the customer falls out of its role, with the guard and without it.

python -m benchmarks.model_customers MODEL --api-base http://127.0.0.1:8080/v1 [--tasks 8] [--turns 4] [--half held]

The scripted-perfect agent (``oracle``) serves the customer on tasks of retail and airline. They are split in two by a
hash of their ids: words of prompts were chosen on ``tune``, numbers are told of ``held``. A trial ends after so many
turns of the customer, as role errors come from the first turn on. Each task is played with every setting in turn, so
that a server keeps the prompt they have in common.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pytest_tau import load_domain, load_tasks, simulate
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.protocols import UserContext
from pytest_tau.conversation.turns import seen_by_user
from pytest_tau.diagnosis.left_early import STOPPED
from pytest_tau.diagnosis.own_device import INVENTED
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.schema.messages import AnyMessage, UserMessage
from pytest_tau.schema.task import Task
from pytest_tau.users.guard import slip, with_end_mark
from pytest_tau.users.llm import llm_user

DOMAINS = ("retail", "airline")
HELD = 8  # tasks of each domain
LAST = "###STOP###"


@dataclass
class Found:
    """What customers did with one setting."""

    trials: int = 0
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    slips: Counter[str] = field(default_factory=Counter)
    audit: Counter[str] = field(default_factory=Counter)
    ended: int = 0

    def line(self, model: str, name: str) -> str:
        """All of it in a line."""
        slips = ", ".join(f"{what} {number}" for what, number in self.slips.most_common()) or "none"
        return (
            f"{model} guard {name}: {self.trials} trials, {self.turns} turns, {self.slips.total()} role errors "
            f"({slips}); stopped early {self.audit[STOPPED]}, invented a fact {self.audit[INVENTED]}, "
            f"ended by themselves {self.ended}; {self.calls} calls, {self.tokens:,} tokens"
        )


def split(half: str, number: int) -> list[tuple[Domain, Task]]:
    """Tasks of one half, of each domain in turn."""
    found = []
    for name in DOMAINS:
        tasks = sorted(
            load_tasks(builtin_folder("tasks", name)),
            key=lambda task: hashlib.sha256(f"customers {task.id}".encode()).hexdigest(),
        )
        domain = load_domain(name)
        found.append([(domain, task) for task in (tasks[:HELD] if half == "held" else tasks[HELD:])])
    return [one for pair in zip(*found, strict=False) for one in pair][:number]


class FewTurns:
    """A customer who leaves after so many turns."""

    def __init__(self, customer: Any, turns: int) -> None:
        self._customer, self._left = customer, turns

    async def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """What the customer says, or the end."""
        self._left -= 1
        if self._left < 0:
            return UserMessage(content=LAST)
        said: UserMessage = await self._customer.reply(messages)
        return said


def play(found: Found, client: Any, domain: Domain, task: Task, *, guard: bool, turns: int, verbose: bool) -> None:
    """Play a trial, and count what the customer did."""
    factory = llm_user(client, guard=guard)

    def customer(context: UserContext) -> FewTurns:
        return FewTurns(factory(context), turns)

    simulation = simulate(
        task, domain, agent="oracle", user=customer, limits=Limits(max_steps=20 * turns, timeout=None)
    )
    found.trials += 1
    for at, message in enumerate(simulation.messages):
        if not isinstance(message, UserMessage) or message.content == LAST:
            continue
        found.calls += 1 + len(message.asked_again)
        found.tokens += message.usage.prompt_tokens + message.usage.completion_tokens if message.usage else 0
        if message.text and not message.tool_calls:
            found.turns += 1
            wrong = slip(message.text, task.user_scenario, seen_by_user(simulation.messages[:at]))
            unmarked = "no right end mark" if with_end_mark(message.text) != message.text else ""
            found.slips.update([wrong.what] if wrong else [unmarked] if unmarked else [])
            found.ended += LAST in message.text
            if verbose:
                again = f" (asked again: {', '.join(message.asked_again)})" if message.asked_again else ""
                sys.stdout.write(f"  {wrong.what if wrong else unmarked or 'fine'}{again}: {message.text[:150]!r}\n")
    found.audit.update(one.rule for one in user_audit(task, simulation, domain))


def main() -> None:
    """Play, and print a line for each setting after each task."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--api-base", required=True)
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--half", choices=("tune", "held"), default="held")
    parser.add_argument("--guard", default="off,on", help="settings in this order")
    parser.add_argument("-v", action="store_true", help="print what is said")
    chosen = parser.parse_args()
    parameters = {"api_base": chosen.api_base, "api_key": "none", "max_tokens": 70, "temperature": 0.0, "timeout": 1800}
    client = LiteLLMClient(chosen.model, parameters)
    found = {name: Found() for name in chosen.guard.split(",")}
    began = time.monotonic()
    for domain, task in split(chosen.half, chosen.tasks):
        for name, one in found.items():
            if chosen.v:
                sys.stdout.write(f"{task.id}, guard {name}\n")
            play(one, client, domain, task, guard=name == "on", turns=chosen.turns, verbose=chosen.v)
            sys.stdout.write(f"{time.monotonic() - began:.0f} s: {one.line(chosen.model, name)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
