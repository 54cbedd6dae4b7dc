"""One trial is played as if there were no other: whatever a player does to what it is given, the next finds its own."""

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_tau import AssistantMessage, Task, ToolCall, UserMessage, grade, load_tasks, simulate
from pytest_tau.conversation.protocols import AgentContext, ContextTool, UserContext
from pytest_tau.conversation.replies import own
from pytest_tau.environment.domain import Domain, load_domain
from pytest_tau.schema.messages import AnyMessage, Attachment
from tests.builders import whole
from tests.plugin.inner import journal
from tests.plugin.parts import mock_play


def inside(value: Any) -> Iterator[Any]:
    """All that can be reached from a value by attributes, names and places, without calling anything."""
    known: set[int] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        plain = isinstance(one, (str, bytes, int, float, type(None), type))
        if id(one) in known or plain or (callable(one) and not isinstance(one, ContextTool)):
            continue
        known.add(id(one))
        yield one
        todo += [*vars(one).values()] if hasattr(one, "__dict__") else []
        todo += [*one.values()] if isinstance(one, dict) else []
        todo += [*one] if isinstance(one, (list, tuple, set)) else []


def vandalise(given: Any) -> None:
    """Change everything in it."""
    for one in list(inside(given)):
        if isinstance(one, dict):
            one |= {name: "changed" for name, part in one.items() if isinstance(part, (str, int))}
            one["more"] = "added"
        elif isinstance(one, list):
            one.insert(0, "inserted")
        elif hasattr(one, "__dict__"):
            fields = vars(one)
            fields |= {name: "changed" for name, part in fields.items() if isinstance(part, (str, int))}


def copied(value: Any) -> Any:
    """What a player is given, as plain data."""
    if isinstance(value, (AgentContext, UserContext)):
        fields = {k: v for k, v in vars(value).items() if not k.startswith("open_") and k not in TRIALS}
        if isinstance(value, UserContext):
            fields["gists"] = vars(value.gists())
        return {k: copied(v) for k, v in fields.items()}
    if isinstance(value, ContextTool):
        return (value.name, copied(value.schema), value.writes)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude=VARYING, warnings=False)
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    return [copied(one) for one in value] if isinstance(value, (list, tuple)) else value


VARYING = {"timestamp", "generation_time_seconds"}
TRIALS = {"session_id", "speak"}  # each trial has its own


class Looks:
    """A player that notes what it is given, and then may change it."""

    def __init__(self, context: Any, *, spoils: bool) -> None:
        self.context, self.spoils, self.seen = context, spoils, [copied(context)]
        self.begun = False
        if spoils:
            vandalise(context)

    def looked(self, messages: list[AnyMessage]) -> None:
        self.seen.append(copied(messages))
        if self.spoils:
            vandalise(messages)


class Agent(Looks):
    """Calls a reading tool and then says goodbye."""

    def reply(self, messages: list[AnyMessage]) -> Any:
        self.looked(messages)
        if self.begun:
            return "Goodbye."
        self.begun = True
        return AssistantMessage(tool_calls=[ToolCall(id="1", name="calculate", arguments={"expression": "1 + 1"})])


class Customer(Looks):
    """Says what they want, once."""

    def reply(self, messages: list[AnyMessage]) -> Any:
        self.looked(messages)
        self.begun, begun = True, self.begun
        return UserMessage(content="###STOP###" if begun else "I want something.")


def played(task: Task, domain: Domain, *, spoils: bool, solo: bool = False) -> tuple[Any, ...]:
    """What the players of a trial see, and what is kept of it."""
    made: list[Looks] = []

    def agent(context: AgentContext) -> Agent:
        made.append(Agent(context, spoils=spoils))
        return made[-1]  # type: ignore[return-value]

    def customer(context: UserContext) -> Customer:
        made.append(Customer(context, spoils=spoils))
        return made[-1]  # type: ignore[return-value]

    simulation = simulate(task, domain, agent=agent, user=customer, solo=solo)
    kept = [copied(message) for message in simulation.messages]
    return [one.seen for one in made], kept, task.model_dump(mode="json")


SUITES = [("retail", "retail"), ("telecom", "telecom"), ("mock", "mock"), ("retail_images", "retail")]


@pytest.mark.parametrize(("suite", "domain"), SUITES)
def test_who_changes_all_that_they_are_given_changes_no_other_trial(suite: str, domain: str) -> None:
    world = load_domain(domain)
    for task in whole(suite)[:4]:
        before = played(task, world, spoils=False)
        played(task, world, spoils=True)
        assert played(task, world, spoils=False) == before
        finished = simulate(task, world)
        assert grade(task, finished, world).passed


def test_nor_in_solo_mode() -> None:
    world = load_domain("telecom")
    task = next(task for task in whole("telecom") if task.ticket)
    before = played(task, world, spoils=False, solo=True)
    played(task, world, spoils=True, solo=True)
    assert played(task, world, spoils=False, solo=True) == before


@pytest.mark.parametrize(("suite", "domain"), SUITES)
def test_nor_what_is_kept_of_their_own(suite: str, domain: str) -> None:
    world = load_domain(domain)
    task = whole(suite)[0]
    assert played(task, world, spoils=True)[1] == played(task, world, spoils=False)[1]


def test_a_picture_of_ones_own_has_the_same_bytes() -> None:
    pictures = [one for task in load_tasks("retail_images") for one in task.user_scenario.attachments or []]
    copy = own(pictures[0])
    vars(copy)["id"] = "another"
    assert isinstance(copy, Attachment)
    assert copy.content == pictures[0].content
    assert pictures[0].id != "another"


PREFIXES = """
class Prefixes:
    '''Renames its tools in place, as adapters do.'''

    def __init__(self, context):
        self.tools = [tool.schema for tool in context.tools]
        for tool in self.tools:
            tool["function"]["name"] = "mine_" + tool["function"]["name"]

    def reply(self, messages):
        return "I have " + ", ".join(tool["function"]["name"] for tool in self.tools)


class Other(Prefixes):
    pass
"""


def test_the_agents_of_a_comparison_rename_their_tools_for_themselves(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=PREFIXES)
    agents = ("--tau-agent=a=agents:Prefixes", "--tau-agent=b=agents:Other")
    mock_play(pytester, *agents, "--tau-k=2", "--tau-tasks=count_my_tasks")
    said = {
        message.content
        for record in journal(pytester.path)
        if record.simulation is not None
        for message in record.simulation.messages
        if message.role == "assistant" and (message.content or "").startswith("I have")
    }
    assert len(said) == 1
    assert "mine_mine_" not in str(said)
