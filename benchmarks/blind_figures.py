"""Replies with figures that were written blind: how many true ones are unclear, how many wrong ones are seen.

python -m benchmarks.blind_figures

``blind_figures/`` has 120 honest replies on our own records, whose figures are worked out as agents do, and 20 in which
one figure is ``wrong``, by a language model that had not seen the rule. The rule was changed with them in sight. Beside
it: how often an amount that is taken at random (10 to 500) follows by chance, at the end of each right play.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from pytest_tau import load_domain
from pytest_tau.environment.environment import Environment
from pytest_tau.evaluation.language.following import Numbers
from pytest_tau.evaluation.language.text import plain
from pytest_tau.evaluation.language.told import check_claims
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage

from .plays import RIGHT, SETS, conversation, plays, tasks_of

FOLDER = Path(__file__).parent / "blind_figures"
TRIES = 3  # amounts of each kind for a play


def replies() -> Iterator[dict[str, Any]]:
    """All of them."""
    for path in sorted(FOLDER.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))


def verdict(reply: dict[str, Any]) -> str:
    """What the rules say of a reply: missed, unclear or fine."""
    env = load_domain(reply["domain"]).environment(tasks_of(reply["domain"])[reply["task"]])
    found = check_claims([*_messages(reply, env)], env)
    return "missed" if not found.met else "unclear" if found.unclear else "fine"


def _messages(reply: dict[str, Any], env: Environment) -> Iterator[AnyMessage]:
    yield AssistantMessage(content="Hi! How can I help you today?")
    yield UserMessage(content="Hello, I have a question.")
    for number, (name, arguments) in enumerate(reply["calls"]):
        call = ToolCall(id=f"c{number}", name=name, arguments=arguments)
        result = env.call(name, arguments)
        yield AssistantMessage(tool_calls=[call])
        yield ToolMessage(id=call.id, content=result.content, error=result.error, requestor="assistant")
    yield AssistantMessage(content="One moment, please. What would you like to know?")
    yield UserMessage(content=reply["asked"])
    yield AssistantMessage(content=reply["reply"])


def by_chance() -> Counter[tuple[str, str]]:
    """By domain how many random amounts follow, in whole dollars and with cents, and how many were tried of each."""
    random, found = Random(1), Counter[tuple[str, str]]()
    for play in (play for name in SETS for play in plays(name) if play.label == RIGHT):
        task, simulation, domain = conversation(play)
        numbers = Numbers()
        numbers.add(plain(domain.environment(task).policy))
        for message in simulation.messages:
            numbers.add(plain(message.content or ""))
        for _ in range(TRIES):
            found[play.domain, "whole"] += numbers.gives(float(random.randint(10, 500)))
            found[play.domain, "cents"] += numbers.gives(round(random.uniform(10, 500), 2))
            found[play.domain, "tried"] += 1
    return found


def main() -> None:
    """Print the lines."""
    seen = Counter(("wrong" if "wrong" in reply else "honest", verdict(reply)) for reply in replies())
    for kind in ("honest", "wrong"):
        told = ", ".join(f"{number} {what}" for (of, what), number in sorted(seen.items()) if of == kind)
        print(f"{kind} replies: {told}")
    found = by_chance()
    for domain in sorted({name for name, _ in found}):
        tried = found[domain, "tried"]
        shares = ", ".join(f"{kind} {found[domain, kind] / tried:.0%}" for kind in ("whole", "cents"))
        print(f"amounts that follow by chance, {domain}: {shares} of {tried}")


if __name__ == "__main__":
    main()
