"""Short ways to write the messages, tasks and players that tests are made of."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_tau import AssistantMessage, Task, ToolCall, UserMessage, load_domain, load_tasks
from pytest_tau.conversation.protocols import AgentContext, UserContext
from pytest_tau.environment.domain import Domain, load_part
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.tasks import read_splits, suite_files
from pytest_tau.schema.messages import AnyMessage, ToolMessage
from pytest_tau.schema.simulation import Simulation, Termination
from tau_workshop.parts import load_workshop_part

MOCK = "mock"
CREATE = {"user_id": "user_1", "title": "Buy stamps"}


def mock(*, parity: bool = False) -> Domain:
    """The built-in to-do list."""
    return load_domain(MOCK, parity=parity)


@cache
def _suite(name: str, split: str | None) -> tuple[Task, ...]:
    return tuple(load_tasks(builtin_folder("tasks", name), split=split))


def whole(name: str) -> list[Task]:
    """All tasks of a built-in suite, read once for all tests."""
    return list(_suite(name, None))


def core(name: str) -> list[Task]:
    """The tasks of a built-in suite that are played for a first try: its split "core", where it has splits."""
    splits = read_splits(suite_files(builtin_folder("tasks", name))[0])
    return list(_suite(name, None if splits is None else "core"))


def says(text: str | None, *calls: ToolCall, cost: float | None = 0.0) -> AssistantMessage:
    """A message of the agent."""
    return AssistantMessage(content=text, tool_calls=list(calls), cost=cost)


def asks(text: str | None, *calls: ToolCall, cost: float | None = 0.0) -> UserMessage:
    """A message of the user."""
    return UserMessage(content=text, tool_calls=list(calls), cost=cost)


def a_call(name: str = "get_users", id: str = "c1", **arguments: Any) -> ToolCall:
    """A call by the agent."""
    return ToolCall(id=id, name=name, arguments=arguments)


def u_call(name: str = "check_notifications", id: str = "u1", **arguments: Any) -> ToolCall:
    """A call by the user."""
    return ToolCall(id=id, name=name, arguments=arguments, requestor="user")


def result_of(call: ToolCall, content: str = "ok", *, error: bool = False) -> ToolMessage:
    """The result of a call."""
    return ToolMessage(id=call.id, content=content, error=error, requestor=call.requestor)


def task(*, id: str = "t", criteria: dict[str, Any] | None = None, **fields: Any) -> Task:
    """A task of the mock domain whose customer says one sentence."""
    scenario = {"instructions": "Please help me."}
    return Task.model_validate(
        {"id": id, "domain": MOCK, "user_scenario": scenario, "evaluation_criteria": criteria, **fields}
    )


def action(name: str, /, *, requestor: str = "assistant", compare_args: Any = None, **arguments: Any) -> dict[str, Any]:
    """A gold action as JSON data."""
    return {
        "action_id": name,
        "name": name,
        "arguments": arguments,
        "requestor": requestor,
        "compare_args": compare_args,
    }


class Lines:
    """A player that gives replies from a list and then repeats the last; exceptions in it are raised."""

    def __init__(self, replies: Iterable[Any]) -> None:
        self._replies = list(replies)
        self.seen: list[list[AnyMessage]] = []

    def reply(self, messages: list[AnyMessage]) -> Any:
        """The next reply."""
        self.seen.append(messages)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, BaseException):
            raise reply
        return reply


def agent_context(**fields: Any) -> AgentContext:
    """A context as a trial would make it."""
    return AgentContext(**{"task_id": "t", "trial": 1, "seed": 1, "policy": "Be kind.", **fields})


def user_context(played: Task, *tools: str) -> UserContext:
    """A context as a trial would make it, with tools of these names."""
    schemas = tuple({"type": "function", "function": {"name": name}} for name in tools)
    return UserContext(task_id=played.id, trial=1, seed=1, scenario=played.user_scenario, tools=schemas)


def finished(
    messages: Iterable[AnyMessage] = (), reason: Termination = Termination.USER_STOP, **fields: Any
) -> Simulation:
    """A recorded conversation of the mock domain."""
    return Simulation(id="s", domain=MOCK, task_id="t", messages=list(messages), termination_reason=reason, **fields)


def played_calls(domain: Domain, *calls: ToolCall, solo: bool = False) -> list[AnyMessage]:
    """Messages in which these calls are made, one a message, with the results a fresh world gives."""
    env = domain.environment(solo=solo)
    messages: list[AnyMessage] = []
    for position, call in enumerate(calls):
        numbered = call.model_copy(update={"id": f"{call.id}_{position}"})
        found = env.call(call.name, call.arguments, call.requestor)
        spoken = says(None, numbered) if call.requestor == "assistant" else asks(None, numbered)
        messages += [spoken, result_of(numbered, found.content, error=found.error)]
    return messages


def workshop_part(folder: Path, part: str) -> ModuleType:
    """A module of a domain that its author has written for the workshop, or for the domain itself."""
    if (folder / f"{part}.py").is_file():
        return load_part(folder, part)
    found = load_workshop_part(folder, part)
    assert found is not None, part
    return found
