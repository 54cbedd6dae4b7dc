"""``pytest-tau play``: one trial in the terminal, with a person as the customer or as the agent.

The person types what is said. The agent's person calls a tool with ``/tool_name {"argument": "value"}``, sees the tools
with ``/tools`` and the policy with ``/policy``; the customer's calls tools on their own side in the same way. ``/end``
ends the conversation. Then the trial is graded like any other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import TauError
from .arguments import add_domain, say

if TYPE_CHECKING:
    from ..schema.messages import AnyMessage

HELP = "play one trial in the terminal, as the customer or as the agent"


_HELP = "type what is said, /tool_name {json} to call a tool, /tools, /policy, /end"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument("task", nargs="?", help="the task to play (default: the first)")
    parser.add_argument(
        "--as", dest="side", choices=("customer", "agent"), default="agent", help="the side you play (default: agent)"
    )
    parser.add_argument("--with", dest="other", metavar="PLAYER", help="who plays the other side: an agent or a user")
    parser.add_argument("--data", metavar="DIR", help="use the public τ²-bench data in this folder")


def run(arguments: argparse.Namespace) -> int:
    """Play it; returns 0 when the trial passed, 1 when it did not."""
    from ..environment.domain import find_domain, load_domain
    from ..evaluation.grade import grade
    from ..reports.verdict import criterion_lines
    from ..simulating import simulate
    from .suites import tasks_of, the_task

    domain = load_domain(arguments.domain if arguments.data else find_domain(arguments.domain), data=arguments.data)
    tasks = tasks_of(arguments.domain, arguments.data)
    if not tasks:
        raise TauError(f"{arguments.domain}: there are no tasks to play")
    task = the_task(tasks, arguments.task) if arguments.task else tasks[0]
    say(f"{domain.name}/{task.id}; you are the {arguments.side}; {_HELP}")
    if arguments.side == "customer":
        say(task.user_scenario.render().expandtabs(2))
    agent = _Person.agent if arguments.side == "agent" else arguments.other or "oracle"
    user = _Person.customer if arguments.side == "customer" else arguments.other or "scripted"
    simulation = simulate(task, domain, agent, user)
    for message in simulation.messages[-1:]:
        if message.role != ("assistant" if arguments.side == "agent" else "user"):
            show(message)  # nobody was asked after it
    reward = grade(task, simulation, domain)
    value = "open: it needs a judge" if reward.value is None else f"{reward.value:g}"
    say(f"reward {value}, ended by {simulation.termination_reason.value}")
    for line in chain.from_iterable(map(criterion_lines, reward.results)):
        say(line)
    return 0 if reward.passed else 1


class _Person:
    """A player whose words come from standard input, and who is shown what has been said since."""

    def __init__(
        self, tools: Sequence[Mapping[str, Any]], policy: str, message: Callable[..., Any], requestor: str
    ) -> None:
        self._tools = {tool["function"]["name"]: tool["function"] for tool in tools}
        self._policy, self._message, self._requestor = policy, message, requestor
        self._role = requestor
        self._seen = 0
        self._over = False

    @classmethod
    def agent(cls, context: Any) -> _Person:
        """The agent's side."""
        from ..schema.messages import AssistantMessage

        return cls([tool.schema for tool in context.tools], context.policy, AssistantMessage, "assistant")

    @classmethod
    def customer(cls, context: Any) -> _Person:
        """The customer's side."""
        from ..schema.messages import UserMessage

        return cls(context.tools, "", UserMessage, "user")

    def reply(self, messages: list[AnyMessage]) -> Any:
        """Ask until the person says or calls something that can be sent."""
        for message in messages[self._seen :]:
            if message.role != self._role:  # one's own words are on the screen already
                show(message)
        self._seen = len(messages)
        while True:
            line = None if self._over else ask("> ")
            if line in (None, "/end"):
                self._over = True  # an agent's word ends nothing: its customer has to leave
                return self._message(content="###STOP###", cost=0.0)
            if line and not line.startswith("/"):
                return self._message(content=line, cost=0.0)
            if line and (call := self._call(line[1:])):
                return call

    def _call(self, line: str) -> Any:
        """The message of a call; None where there is none to make, which has then been said."""
        from ..schema.messages import ToolCall

        name, _, text = line.partition(" ")
        if name == "tools":
            for tool in self._tools.values():
                wanted = dict.fromkeys(tool["parameters"].get("properties", {}), "…")
                say(f"/{tool['name']} {json.dumps(wanted, ensure_ascii=False)}")
        elif name == "policy":
            say(self._policy or "the customer has no policy")
        elif name not in self._tools:
            say(f"there is no tool {name}; {_HELP}")
        else:
            try:
                given = json.loads(text or "{}")
            except (ValueError, RecursionError) as error:
                say(f"the arguments must be a JSON object: {error}")
                return None
            with suppress(ValueError):
                call = ToolCall(id=f"typed_{self._seen}", name=name, arguments=given, requestor=self._requestor)
                return self._message(tool_calls=[call], cost=0.0)
            say('the arguments must be a JSON object, such as {"order_id": "#W1"}')
        return None


def show(message: AnyMessage) -> None:
    """Print what somebody has said or called."""
    from ..schema.calls import render_call
    from ..schema.messages import with_names

    who = {"assistant": "agent", "user": "customer", "tool": "tool"}[message.role]
    if shown := with_names(message):
        say(f"{who}: {shown}")
    for call in getattr(message, "tool_calls", None) or []:
        say(f"{who} calls {render_call(call.name, call.arguments)}")


def ask(prompt: str) -> str | None:
    """A line that was typed; None at the end of the input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None
