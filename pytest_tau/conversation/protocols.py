"""The boundary that others implement: agents, users and the factories that make a fresh one for every trial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable
from uuid import uuid4

from ..clock import Clock
from ..environment.gists import Gists
from ..environment.spec import TeamRole
from ..llm.protocol import ModelReply
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, UserMessage
from ..schema.scenario import UserScenario
from ..schema.task import Task

Plan = str | Callable[[Task], str]
"""What an agent is to do: a text for all conversations of a trial, or what makes that of each from its task."""


@dataclass(frozen=True)
class ContextTool:
    """A tool of this trial: ``schema`` is its chat-completions definition.

    For frameworks that run their own tool loop: calling it with keyword arguments runs it in the trial's environment,
    records a step of the conversation, and returns what a model would read. Raises ConversationOver after the end.
    """

    name: str
    schema: Mapping[str, Any]
    writes: bool
    run: Callable[[str, dict[str, Any]], str]

    @classmethod
    def of(
        cls, name: str, make: Callable[[], Mapping[str, Any]], writes: bool, run: Callable[[str, dict[str, Any]], str]
    ) -> Self:
        """A tool whose schema is made when somebody first asks for it: many agents never do."""
        tool = object.__new__(cls)
        vars(tool).update(name=name, _make=make, writes=writes, run=run)
        return tool

    def __getattr__(self, name: str) -> Any:
        """The schema, which is not there before it is asked for."""
        if name != "schema" or "_make" not in vars(self):
            raise AttributeError(f"a tool has no attribute '{name}'")
        return vars(self).setdefault("schema", vars(self)["_make"]())

    def __call__(self, /, **arguments: Any) -> str:
        """Call the tool; a model may call any argument so, ``self`` as well."""
        return self.run(self.name, arguments)


def new_session() -> str:
    """An id that no other trial has, in this run or in another."""
    return uuid4().hex


@dataclass(frozen=True)
class AgentContext:
    """Everything that an agent may know about its trial.

    ``ticket`` is set in solo mode, ``plan`` in oracle-plan mode. ``episode`` counts the trial's conversations from 1;
    each has a fresh agent. ``memory``: notes that the agent may keep from one conversation to the next; they last as
    long as the trial. ``session_id`` is the same in all conversations of the trial, and of no other trial in any run:
    for agents that keep sessions. It belongs into no prompt, which would differ in a replay. ``open_endpoint``,
    ``open_mcp`` and ``speak`` implement ``endpoint``, ``mcp`` and ``speaks_as``. ``roles``: how a team may share the
    work, by name, each with its ``policy``, the names of its ``tools``, and whom it ``hands_to``; empty where the
    domain declares none.
    """

    task_id: str
    trial: int
    seed: int
    policy: str
    tools: tuple[ContextTool, ...] = ()
    ticket: str | None = None
    plan: str | None = None
    open_endpoint: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    open_mcp: Callable[[Sequence[ContextTool]], str] | None = field(default=None, repr=False, compare=False)
    speak: Callable[[str, str | None], None] | None = field(default=None, repr=False, compare=False)
    memory: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    episode: int = 1
    session_id: str = field(default_factory=new_session, repr=False, compare=False)
    roles: Mapping[str, TeamRole] = field(default_factory=dict, repr=False)

    @property
    def endpoint(self) -> str | None:
        """The base URL of a chat-completions server for this trial, on loopback; None outside a test run.

        Requests to it go through pytest-tau's own client: they are limited, billed to this trial, and recorded.
        """
        return None if self.open_endpoint is None else self.open_endpoint()

    @property
    def mcp(self) -> str | None:
        """The URL of an MCP server on loopback with this trial's tools, until the trial is over.

        For agents in any framework or process that call tools themselves. Their calls run in this trial's environment
        and are steps of the conversation. Raises SettingsError if the extra ``mcp`` is not installed.
        """
        return None if self.open_mcp is None else self.open_mcp(self.tools)

    def speaks_as(self, name: str, reason: str | None = None) -> None:
        """Say which of several agents inside this one speaks from here on; the conversation records the hand-over.

        Args:
            name: the one that speaks, such as `refunds`; it stands as `author` on its messages and calls.
            reason: why the one before handed over to it.
        """
        if self.speak is not None:
            self.speak(name, reason)


class Endpoint(Protocol):
    """What the agent of one trial asks its models through, if it does; ``clock`` is that of the trial."""

    clock: Clock | None

    @property
    def failure(self) -> Exception | None:
        """Why the trial cannot count, whatever the agent made of it."""

    @property
    def asked(self) -> Sequence[str]:
        """The names of the models that have been asked."""

    @property
    def unanswered(self) -> str:
        """Why the latest request got no answer of a model; empty where it got one."""

    def url(self) -> str:
        """The base URL."""

    def take_answers(self) -> Sequence[ModelReply]:
        """What has been answered since this was asked last."""

    def take_calls(self) -> Sequence[Sequence[ToolCall]]:
        """The calls of each answer since this was asked last."""

    def close(self) -> None:
        """Answer no more: the trial is over."""


class ToolServer(Protocol):
    """Serves the tools of trials to agents that call them from outside."""

    def open(self, tools: Sequence[ContextTool]) -> str:
        """The address of these tools, which nobody can guess; raises SettingsError where they cannot be served."""

    def forget(self, url: str) -> None:
        """Serve them no more: their trial is over."""


@dataclass(frozen=True)
class UserContext:
    """Everything that a user simulator may know about its trial: the scenario, and the customer's own tools.

    ``policy``, ``aims``: for an attacker, the agent's policy and what the task forbids. ``gists``: reads what people
    call the wish in few words.
    """

    task_id: str
    trial: int
    seed: int
    scenario: UserScenario
    tools: tuple[Mapping[str, Any], ...] = ()
    policy: str = ""
    aims: tuple[str, ...] = ()
    gists: Callable[[], Gists] = Gists


@runtime_checkable
class Agent(Protocol):
    """The agent under test. ``messages`` is everything it has seen and done so far, the newest last.

    An agent that holds a resource, such as a process, may have a method ``close()`` (not ``async``). It is called once,
    when the trial is over.
    """

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage | str | Awaitable[AssistantMessage | str]:
        """The next message: a text, or a message with tool calls."""


@runtime_checkable
class User(Protocol):
    """Plays the customer. ``messages`` is everything the customer has seen and done so far, the newest last."""

    def reply(self, messages: list[AnyMessage]) -> UserMessage | str | Awaitable[UserMessage | str]:
        """The next message; a stop token in it ends the conversation."""


AgentFactory = Callable[[AgentContext], Any]
UserFactory = Callable[[UserContext], Any]
