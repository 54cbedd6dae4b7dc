"""Reads the results of τ-bench v1: a JSON list of runs, brought into today's tasks and simulations.

The reference has no converter; the mapping is ours. Tool outputs changed since v1, so these are graded leniently: the
calls count, not what was recorded as their results.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ..conversation.turns import GREETING
from ..environment.domain import find_domain, load_spec
from ..environment.tasks import read_task
from ..environment.toolkit import tools_of
from ..errors import RecordingError, describe
from ..printable import one_line
from ..schema.problems import first_problem
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task

_DOMAINS = ("airline", "retail")
_RESPOND, _TRANSFER = "respond", "transfer_to_human_agents"
_STOP = "###STOP###"
_ACTION = "Action:"
_OUTPUT = "API output: "
_LONGEST = 200
_FAILED = ("Error", "Unknown action")


def read_tau1(runs: list[Any], where: str) -> tuple[str, Iterator[tuple[Task, Simulation, float | None]]]:
    """The domain's name and, for each run, its task, its simulation and the recorded reward.

    A v1 file does not name its domain: the tools called in it decide.

    Raises:
        RecordingError: the list does not hold v1 runs, or its calls are of no domain that v1 had.
    """
    places = [f"{where}[{position}]" for position in range(len(runs))]
    read = [_run(run, place) for run, place in zip(runs, places, strict=True)]
    domain = _domain(read, where)
    return domain, (
        (_task(run, domain, place), _simulation(run, domain, place), run["reward"])
        for run, place in zip(read, places, strict=True)
    )


def _run(run: Any, where: str) -> dict[str, Any]:
    """A run with its messages in today's shape, or the sentence that says what is wrong."""
    try:
        info, task = run["info"], run["info"]["task"]
        return {
            "task_id": str(run["task_id"]),
            "trial": int(run["trial"]) + 1,  # v1 counts trials from 0
            "reward": None if info.get("error") else float(run["reward"]),
            "info": info,
            "instruction": str(task["instruction"]),
            "actions": [(str(action["name"]), action["kwargs"]) for action in task["actions"]],
            "outputs": [str(output) for output in task["outputs"]],
            "messages": [] if info.get("error") else messages_of_run(run["traj"], where),
        }
    except (TypeError, LookupError, ValueError, ArithmeticError, AttributeError, SyntaxError, RecursionError) as error:
        why = one_line(f"{type(error).__name__}: {describe(error)[:_LONGEST]}")
        raise RecordingError(f"{where}: not a run of τ-bench v1 ({why})") from None
    except MemoryError:  # of Python's parser, for which a published text of calls was made too deep
        raise RecordingError(f"{where}: not a run of τ-bench v1: nested too deeply") from None


def _domain(runs: list[dict[str, Any]], where: str) -> str:
    called = Counter(name for run in runs for name, _ in run["actions"])
    for run in runs:
        called.update(str(call["name"]) for message in run["messages"] for call in message.get("tool_calls") or [])
    matches = {}
    for name in _DOMAINS:
        tools = tools_of(load_spec(find_domain(name)).tools)
        matches[name] = sum(number for tool, number in called.items() if tool in tools)
    best = max(matches, key=lambda name: matches[name])
    if list(matches.values()).count(matches[best]) > 1:
        raise RecordingError(f"{where}: its calls do not tell whether this is {' or '.join(_DOMAINS)}")
    return best


def _task(run: dict[str, Any], domain: str, where: str) -> Task:
    actions = [
        {"action_id": f"{run['task_id']}_{position}", "name": name, "arguments": arguments}
        for position, (name, arguments) in enumerate(run["actions"])
        if name != _RESPOND
    ]
    content = {
        "id": run["task_id"],
        "domain": domain,
        "user_scenario": {"instructions": run["instruction"]},
        "evaluation_criteria": {
            "actions": actions,
            "communicate_info": run["outputs"],
            "reward_basis": ["DB", "COMMUNICATE"],
        },
    }
    return read_task(content, f"{where}.info.task")


def _simulation(run: dict[str, Any], domain: str, where: str) -> Simulation:
    content = {
        "id": f"{run['task_id']}-{run['trial']}",
        "domain": domain,
        "task_id": run["task_id"],
        "trial": run["trial"],
        "messages": run["messages"],
        "termination_reason": _ended_by(run),
        "steps": len(run["messages"]),
        "user_cost": run["info"].get("user_cost"),
        "note": run["info"].get("error") and str(run["info"]["error"]),
    }
    try:
        return Simulation.model_validate(content)
    except ValidationError as error:
        raise RecordingError(f"{where}: {first_problem(error)}") from None


def _ended_by(run: dict[str, Any]) -> Termination:
    return Termination.INFRASTRUCTURE_ERROR if run["info"].get("error") else ended_by(run["messages"])


def ended_by(messages: list[dict[str, Any]]) -> Termination:
    """Why a conversation of v1 ended, as its last messages tell."""
    last = messages[-1]
    if last["role"] == "user" and _STOP in str(last["content"] or ""):
        return Termination.USER_STOP
    if last["role"] == "tool" and any(call["name"] == _TRANSFER for call in messages[-2].get("tool_calls") or []):
        return Termination.AGENT_STOP
    return Termination.MAX_STEPS


def messages_of_run(trajectory: list[dict[str, Any]], where: str) -> list[dict[str, Any]]:
    """The conversation; v1 leaves out the greeting, and keeps the policy as a message."""
    spoken = [message for message in trajectory if message["role"] != "system"]
    native = any(message["role"] == "tool" or message.get("tool_calls") for message in spoken)
    read = _native(spoken) if native else _parse_text_actions(spoken)
    return [{"role": "assistant", "content": GREETING, "cost": 0.0}, *read]


def _native(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Messages of the strategies that call tools by the provider's interface."""
    for message in messages:
        if message["role"] == "tool":
            yield _result(message["tool_call_id"], message["content"])
        elif calls := _tool_calls(message.get("tool_calls")):
            # v1 runs the first call of a message and forgets the others.
            function = calls[0]["function"]
            call = {
                "id": calls[0]["id"],
                "name": function["name"],
                "arguments": json.loads(function["arguments"]),
            }
            yield {"role": "assistant", "content": _text_or_none(message["content"]), "tool_calls": [call]}
        else:
            yield {"role": message["role"], "content": message["content"]}


def _text_or_none(content: str | None) -> str | None:
    """Some published files hold Python's None as a text."""
    return None if content == "None" else content


def _tool_calls(calls: Any) -> list[dict[str, Any]]:
    """Tool calls as a list; published files also hold them as the Python text of one."""
    return (ast.literal_eval(calls) if isinstance(calls, str) else calls) or []


def _parse_text_actions(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Messages of the strategies that write their action as text (act, react)."""
    pending: str | None = None
    for position, message in enumerate(messages):
        content = message["content"] or ""
        if message["role"] == "user":
            yield (
                {"role": "user", "content": content}
                if pending is None
                else _result(pending, content.removeprefix(_OUTPUT))
            )
            pending = None
            continue
        name, arguments = _action(content)
        if name == _RESPOND:
            yield {"role": "assistant", "content": str(arguments["content"])}
            continue
        pending = f"action_{position}"
        call = {"id": pending, "name": name, "arguments": arguments}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}


def _action(text: str) -> tuple[str, dict[str, Any]]:
    """What the agent does in a message: what does not parse is said to the customer as it is."""
    try:
        action = json.loads(text.rpartition(_ACTION)[2].strip())
    except (ValueError, RecursionError):
        return _RESPOND, {"content": text.rpartition(_ACTION)[2].strip()}
    return str(action["name"]), action["arguments"]


def _result(id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "id": id, "content": content, "error": content.startswith(_FAILED)}
