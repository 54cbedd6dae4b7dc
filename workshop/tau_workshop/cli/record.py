"""``pytest-tau record``: a person types both sides of a conversation, and it becomes a task with its gold path.

The customer's lines become the scenario. The calls of both sides that succeed become the gold path, in their order;
what the agent says is not graded. The task is then played by the oracle, so that whoever recorded it sees that it can
be solved.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_tau.cli.arguments import add_domain, add_project
from pytest_tau.errors import SettingsError, TauError

if TYPE_CHECKING:
    from pytest_tau.environment.environment import Environment
    from pytest_tau.schema.messages import Requestor

HELP = "type both sides of a conversation and get a task with its gold path"


_HELP = "type what each side says, or what it calls: /tool_name {json}; also /tools, /policy; /end ends it"
_HAND_OVER = "transfer_to_human_agents"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_domain(parser)
    parser.add_argument("task", help="the new task's id; it becomes the name of its file")
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Record it; returns 0 when the oracle passes the new task, 1 when it does not."""
    from pytest_tau.cli.arguments import say
    from pytest_tau.environment.domain import find_domain, load_domain
    from pytest_tau.environment.tasks import read_tasks
    from pytest_tau.evaluation.grade import grade
    from pytest_tau.simulating import simulate

    from ..scaffold import refuse_taken, write

    if not re.fullmatch(r"[\w.-]+", arguments.task):
        raise SettingsError(f"{arguments.task!r} is not a task id: it becomes the name of a file")
    domain = load_domain(find_domain(arguments.domain))
    path = f"tasks/{domain.name}/{arguments.task}.json"
    refuse_taken([path], arguments.output)  # before anything is typed
    env = domain.environment()
    say(f"{domain.name}/{arguments.task}: you are both sides; {_HELP}")
    said, calls = _said_and_called(env)
    if not said or not calls:
        raise TauError("nothing was recorded: a task needs a request from the customer and a call")
    task = _task(arguments.task, env, said, calls)
    text = json.dumps(task, indent=2, ensure_ascii=False) + "\n"
    try:
        (file,) = write({path: text}, arguments.output)
    except SettingsError:
        say(text)  # so that what was typed is not lost
        raise
    say(f"written: {file}")
    (made,) = read_tasks(file)
    reward = grade(made, simulate(made, domain), domain)
    say(
        "the oracle passes it"
        if reward.passed
        else f"the oracle does not pass it: {reward.note or 'see pytest-tau check'}"
    )
    say(f"Now read the scenario, and: pytest-tau audit {domain.name}")
    return 0 if reward.passed else 1


def _said_and_called(env: Environment) -> tuple[list[str], list[dict[str, Any]]]:
    """What the customer said, and the calls of both sides that succeeded."""
    from pytest_tau.cli.arguments import say
    from pytest_tau.cli.play import ask

    said: list[str] = []
    calls: list[dict[str, Any]] = []

    def typed(side: Requestor) -> str | None:
        """What a side says in its turn, after its calls; None at the end."""
        prompt = "agent> " if side == "assistant" else "customer> "
        while (line := _until(lambda: ask(prompt))) is not None and line.startswith("/"):
            if (found := _call_action(env, line[1:], side, say)) is not None:
                calls.append(found)
        return line

    while (line := typed("user")) is not None:
        said.append(line)
        if typed("assistant") is None:
            break
    return said, calls


def _until(ask: Callable[[], str | None]) -> str | None:
    """The next line that is not empty; None at the end."""
    while (line := ask()) is not None and line != "/end":
        if line:
            return line
    return None


def _call_action(env: Environment, line: str, side: Requestor, say: Callable[[str], None]) -> dict[str, Any] | None:
    """A call as an action of the gold path; None where it was none, or failed."""
    name, _, text = line.partition(" ")
    tools = {tool.name: tool.schema["function"] for tool in env.tool_specs(side)}
    if name == "tools":
        for tool in tools.values():
            wanted = dict.fromkeys(tool["parameters"].get("properties", {}), "…")
            say(f"/{tool['name']} {json.dumps(wanted, ensure_ascii=False)}")
        return None
    if name == "policy":
        say(env.policy)
        return None
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        say(f"the arguments must be a JSON object: {error}")
        return None
    if name not in tools or not isinstance(arguments, dict):
        say(f"there is no tool {name}" if name not in tools else "the arguments must be a JSON object")
        return None
    result = env.call(name, arguments, side)
    say(result.content)
    if result.error:
        return None
    return {"name": name, "arguments": arguments, **({"requestor": side} if side == "user" else {})}


# Of "Yes please. Thanks a lot!" nothing is a fact.
_EMPTY = re.compile(
    r"\W*(?:(?:yes|yeah|yep|no|nope|ok|okay|sure|please|thanks?|thank you|a lot|so much|very much|great|perfect|good|"
    r"fine|correct|right|exactly|go ahead|do (?:it|that|so)|that(?:'s| is| will be| would be)?|all|it|confirmed|"
    r"i (?:confirm|agree)|bye|goodbye|have a (?:nice|good|great) day|you too|cheers|and|for your help|then|"
    r"sounds|nothing else)\b\W*)+",
    re.IGNORECASE,
)


def _facts(line: str) -> str:
    """A line without the sentences that only agree, thank or part."""
    sentences = re.split(r"(?<=[.!?])\s+", line)
    return " ".join(one for one in sentences if not _EMPTY.fullmatch(one))


def _task(task_id: str, env: Environment, said: list[str], calls: list[dict[str, Any]]) -> dict[str, Any]:
    first, *later = said
    later = [told for line in later if (told := _facts(line))]
    by_agent = [call for call in calls if "requestor" not in call]
    writes = any(env.writes(call["name"]) for call in by_agent)
    checks: list[dict[str, Any]] = [{"check": "confirmed"}, {"check": "no_needless_writes"}] if writes else []
    if not writes:
        checks = [
            {"check": "called", "name": call["name"], "arguments": call["arguments"]}
            for call in by_agent
            if call["name"] != _HAND_OVER
        ]
    handed_over = any(call["name"] == _HAND_OVER for call in by_agent)
    if any(tool.name == _HAND_OVER for tool in env.tool_specs()):
        check = "called" if handed_over else "not_called"
        checks.append({"check": check, "name": _HAND_OVER})
    return {
        "id": task_id,
        "description": {"purpose": "Recorded; say in a sentence what it shows."},
        "user_scenario": {
            "instructions": {
                "domain": env.domain.name,
                "reason_for_call": first,
                "known_info": " ".join(later) or "Nothing besides.",
                "task_instructions": "Say yes to what you asked for. You want nothing else.",
            }
        },
        "evaluation_criteria": {
            "actions": [{"action_id": f"step_{number}", **call} for number, call in enumerate(calls, start=1)],
            "trajectory": checks,
            "reward_basis": ["DB", "TRAJECTORY"],
        },
    }
