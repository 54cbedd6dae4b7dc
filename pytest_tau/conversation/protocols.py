"""The boundary that others implement: agents, users and the factories that make a fresh one for every trial."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..schema.messages import AnyMessage, AssistantMessage, UserMessage
from ..schema.task import UserScenario


@dataclass(frozen=True)
class ContextTool:
    """A tool of this trial: ``schema`` is its chat-completions definition.

    Calling it with keyword arguments runs it in the trial's environment, makes it a step of the conversation and
    returns what a model would read. For frameworks that run their own tool loop; raises ConversationOver after the end.
    """

    name: str
    schema: Mapping[str, Any]
    writes: bool
    run: Callable[[str, dict[str, Any]], str]

    def __call__(self, **arguments: Any) -> str:
        """Call the tool."""
        return self.run(self.name, arguments)


@dataclass(frozen=True)
class AgentContext:
    """All that an agent may know of its trial.

    ``ticket`` is set in solo mode, ``plan`` in oracle-plan mode; ``endpoint`` is the base URL of a recording proxy.
    """

    task_id: str
    trial: int
    seed: int
    policy: str
    tools: tuple[ContextTool, ...] = ()
    ticket: str | None = None
    plan: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True)
class UserContext:
    """All that a user simulator may know of its trial: the scenario, and the tools on the customer's side."""

    task_id: str
    trial: int
    seed: int
    scenario: UserScenario
    tools: tuple[Mapping[str, Any], ...] = ()


@runtime_checkable
class Agent(Protocol):
    """Answers a conversation. ``messages`` is all that the agent has seen and done so far, the newest last."""

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage | str | Awaitable[AssistantMessage | str]:
        """The next message: a text, or a message with tool calls."""


@runtime_checkable
class User(Protocol):
    """Plays the customer. ``messages`` is all that the customer has seen and done so far, the newest last."""

    def reply(self, messages: list[AnyMessage]) -> UserMessage | str | Awaitable[UserMessage | str]:
        """The next message; one that holds a stop token ends the conversation."""


AgentFactory = Callable[[AgentContext], Any]
UserFactory = Callable[[UserContext], Any]
