"""``pytest-tau show``: prints what a domain is made of: its policy, its tools and its tasks, or one task in full."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..printable import count_of
from .arguments import add_domain

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..environment.domain import Domain
    from ..schema.task import Task


HELP = "print a domain's policy, tools and tasks, or one task in full"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument(
        "task", nargs="?", help="show this task in full: scenario, gold path, criteria and what came before"
    )
    parser.add_argument("--data", metavar="DIR", help="use the public τ²-bench data in this folder")


def run(arguments: argparse.Namespace) -> int:
    """Print it; returns 0."""
    from ..environment.domain import find_domain, load_domain
    from ..printable import printable
    from .suites import tasks_of, the_task

    domain = load_domain(arguments.domain if arguments.data else find_domain(arguments.domain), data=arguments.data)
    tasks = tasks_of(arguments.domain, arguments.data)
    lines = _task(the_task(tasks, arguments.task)) if arguments.task else _domain(domain, tasks)
    for line in lines:
        print(printable(line))  # noqa: T201
    return 0


def _domain(domain: Domain, tasks: list[Task]) -> Iterator[str]:
    env = domain.environment()
    yield from (f"# {domain.name}", "", "## Policy", "", env.policy.strip(), "", "## Tools", "")
    for side, tools in (("agent", env.tool_specs()), ("customer", env.tool_specs("user"))):
        for tool in tools:
            about = tool.schema["function"]
            wanted = ", ".join(about["parameters"].get("properties", {}))
            first = about.get("description", "").strip().partition("\n")[0]
            yield f"- {side} {tool.kind:<7} {tool.name}({wanted}): {first}"
    yield from ("", f"## Tasks ({len(tasks)})", "")
    for task in tasks:
        writes = sum(action.requestor == "assistant" and env.writes(action.name) for action in task.gold_actions)
        purpose = (task.description.purpose if task.description else None) or ""
        yield f"- {task.id} ({count_of(writes, 'writes')}){': ' if purpose else ''}{purpose}"


def _task(task: Task) -> Iterator[str]:
    criteria = task.evaluation_criteria
    yield from (f"# {task.id}", "")
    if task.description and task.description.purpose:
        yield from (task.description.purpose, "")
    if task.initial_state:
        yield from ("## Before the conversation", "", _json(task.initial_state), "")
    yield from ("## Scenario", "", task.user_scenario.render().expandtabs(2), "")
    for number, follow_up in enumerate(task.episodes or [], 2):
        yield from (f"## Scenario of conversation {number}", "", follow_up.user_scenario.render().expandtabs(2), "")
    if task.ticket:
        yield from ("## Ticket", "", task.ticket, "")
    yield from ("## Gold path", "", *(f"- {action.requestor}: {action}" for action in task.gold_actions), "")
    if criteria is not None:
        yield from ("## Criteria", "", _json(criteria.model_copy(update={"actions": None})))


def _json(part: BaseModel) -> str:
    return json.dumps(part.model_dump(mode="json", exclude_none=True), indent=2, ensure_ascii=False)
