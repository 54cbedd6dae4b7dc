"""The conversation as a state machine: it says whose turn it is and takes what they did.

It performs no I/O, has no clock and calls no model. A driver looks at :attr:`Conversation.turn`, gets a reply from that
side (or results from the environment), and hands it back:

    Speak("agent" | "user", messages)   ->  receive(message)
    RunTools(calls)                     ->  receive_results(results)
    Over(reason)

A step is one message or one batch of tool results. Step and error limits are looked at after every step, except while
calls wait for their results; reaching one on the very step that would have stopped the conversation counts as the
limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Literal, NamedTuple

from ..errors import RecordingError
from ..schema.messages import (
    AGENT_STOP_TOKEN,
    USER_STOP_TOKENS,
    AnyMessage,
    AssistantMessage,
    SpokenMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from ..schema.simulation import Termination

Role = Literal["agent", "user"]

GREETING = "Hi! How can I help you today?"
DONE_TOOL = "done"


class Speak(NamedTuple):
    """It is this side's turn; ``messages`` is the conversation as that side sees it."""

    role: Role
    messages: list[AnyMessage]


class RunTools(NamedTuple):
    """These calls wait for their results."""

    calls: list[ToolCall]


class Over(NamedTuple):
    """The conversation has ended."""

    reason: Termination


Turn = Speak | RunTools | Over


class Conversation:
    """One conversation between an agent and a user.

    Args:
        messages: what has been said before; the greeting, or the task's history. Empty only in solo mode.
        solo: the agent works alone: it only calls tools, and ends with ``done`` or the stop token.
        max_steps: steps after which the conversation is cut off.
        max_errors: failed tool calls, of both sides and in all, after which it is cut off.

    Raises:
        RecordingError: the messages do not make up a conversation.
    """

    def __init__(
        self,
        messages: Sequence[AnyMessage],
        *,
        solo: bool = False,
        max_steps: int = 200,
        max_errors: int = 10,
    ) -> None:
        self.messages: list[AnyMessage] = list(messages)
        self.steps = 0
        self.errors = 0
        self._solo = solo
        self._max_steps = max_steps
        self._max_errors = max_errors
        self._reason: Termination | None = None
        self._calls: list[ToolCall] = []
        self._next: Role = "agent"
        self._asked = bool(messages)
        self.episodes: list[int] = []  # where later conversations begin
        self._resume()

    def copy(self) -> Conversation:
        """A conversation that stands where this one does and goes its own way from here."""
        twin = copy(self)
        twin.messages, twin._calls, twin.episodes = [*self.messages], [*self._calls], [*self.episodes]
        return twin

    @property
    def turn(self) -> Turn:
        """What has to happen next."""
        if self._reason is not None:
            return Over(self._reason)
        if self._calls:
            return RunTools(self._calls)
        see = seen_by_agent if self._next == "agent" else seen_by_user
        return Speak(self._next, see(self.messages[self.begin :] if self.begin else self.messages))

    @property
    def reason(self) -> Termination | None:
        """Why the conversation has ended; None while it has not."""
        return self._reason

    @property
    def runs(self) -> bool:
        """Whether calls wait for their results."""
        return bool(self._calls)

    @property
    def begin(self) -> int:
        """Where the present conversation begins among the messages."""
        return self.episodes[-1] if self.episodes else 0

    @property
    def over(self) -> bool:
        """Whether the conversation has ended."""
        return self._reason is not None

    def receive(self, message: SpokenMessage) -> None:
        """Take the reply of the side whose turn it is; it must not be empty."""
        if message.empty:
            raise ValueError("the message is empty")
        if self.over or self._calls or (message.role == "assistant") != (self._next == "agent"):
            raise ValueError(f"no message of the {message.role} is expected now")
        if self._solo and isinstance(message, AssistantMessage) and _calls_done(message):
            message = message.model_copy(update={"content": AGENT_STOP_TOKEN, "tool_calls": None})
        self.messages.append(message)
        self._calls = list(message.tool_calls or [])
        self._reason = self._stopped_by(message)
        if self._calls and self._reason is None:
            self._next = "agent" if isinstance(message, AssistantMessage) else "user"
        else:
            self._calls = []
            self._next = "user" if isinstance(message, AssistantMessage) else "agent"
        # A solo agent's first message opens the conversation, as the greeting does, and is no step.
        self._step(counts=self._asked)

    def receive_more(self, call: ToolCall, author: str | None = None) -> bool:
        """Take one more call of the agent's latest message, whose results are there: it makes no further step.

        False where the latest message is no such one, or has another author.
        """
        last = len(self.messages) - 1
        at = next((at for at in range(last, -1, -1) if self.messages[at].role != "tool"), last)
        message = self.messages[at] if at < last else None
        if self.over or self._calls or not isinstance(message, AssistantMessage) or message.author != author:
            return False
        self.messages[at] = message.model_copy(update={"tool_calls": [*(message.tool_calls or ()), call]})
        self._calls = [call]
        self.steps -= 1  # that of the results, which are counted together
        return True

    def receive_results(self, results: Sequence[ToolMessage]) -> None:
        """Take the results of all waiting calls, in the order of the calls."""
        if not self._calls or [result.id for result in results] != [call.id for call in self._calls]:
            raise ValueError("results must answer the waiting calls, in order")
        self.messages += results
        self.errors += sum(result.error and result.fault is None for result in results)  # not what was injected
        self._calls = []
        self._step()

    def interrupt(self, message: UserMessage) -> None:
        """Take what the customer says while the agent works: after results of its calls, where it goes on then."""
        last = self.messages[-1] if self.messages else None
        works = isinstance(last, ToolMessage) and last.requestor == "assistant"
        if self.over or self._calls or self._solo or not works or message.tool_calls or message.empty:
            raise ValueError("the customer cannot interrupt now")
        self.messages.append(message)
        self._reason = self._stopped_by(message)
        self._step()

    def begin_again(self, opening: AssistantMessage) -> None:
        """Begin another conversation, after the one that the customer has ended."""
        if self._reason is not Termination.USER_STOP:
            raise ValueError("the conversation before has not been ended by its customer")
        self.episodes.append(len(self.messages))
        self.messages.append(opening)
        self._reason, self._next = None, "user"

    def end(self, reason: Termination) -> None:
        """End the conversation for a reason from outside, unless it has ended already."""
        if self._reason is None:
            self._reason = reason
            self._calls = []

    def _step(self, *, counts: bool = True) -> None:
        self._asked = True
        self.steps += counts
        if self._calls:
            return
        if self.steps >= self._max_steps:
            self._reason = Termination.MAX_STEPS
        if self.errors >= self._max_errors:
            self._reason = Termination.TOO_MANY_ERRORS

    def _stopped_by(self, message: SpokenMessage) -> Termination | None:
        by_agent = isinstance(message, AssistantMessage)
        if message.tool_calls:
            return None
        if not by_agent:
            return Termination.USER_STOP if any(token in message.text for token in USER_STOP_TOKENS) else None
        if self._solo:
            return Termination.AGENT_STOP if AGENT_STOP_TOKEN in message.text else Termination.AGENT_ERROR
        return None

    def _resume(self) -> None:
        """Find whose turn it is after the messages so far."""
        if not self.messages:
            if not self._solo:
                raise RecordingError("a conversation starts with a greeting or a history")
            return
        if self._solo and any(isinstance(message, UserMessage) for message in self.messages):
            raise RecordingError("User messages are not allowed in solo mode, and message_history has one")
        if any(not isinstance(message, ToolMessage) and message.empty for message in self.messages):
            raise RecordingError("a message of the history neither says nor calls anything")
        last = self.messages[-1]
        if isinstance(last, ToolMessage):
            self._next = "agent" if last.requestor == "assistant" else "user"
        elif last.tool_calls:
            raise RecordingError("Tool message expected. Got None.")
        elif isinstance(last, AssistantMessage):
            self._next = "user"
            self._reason = self._stopped_by(last) if self._solo else None
        else:
            self._reason = self._stopped_by(last)


def _calls_done(message: AssistantMessage) -> bool:
    return any(call.name == DONE_TOOL for call in message.tool_calls or [])


def seen_by_agent(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """What the agent sees: its own messages and results, and what the user says; not the user's calls."""
    seen: list[AnyMessage] = []
    for message in messages:
        if message.role == "tool":
            if message.requestor == "assistant":
                seen.append(message if message.fault is None else _as_read(message))
        elif message.role == "assistant" or message.tool_calls is None:
            seen.append(message)
    return seen


def _as_read(message: ToolMessage) -> ToolMessage:
    """A result without what only the record has: that a fault was injected into it, and what really happened."""
    return message.model_copy(update={"fault": None})


def seen_by_user(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """What the user sees: their own messages and results, and what the agent says; not the agent's calls."""
    return [
        m for m in messages if m.role == "user" or (m.requestor == "user" if m.role == "tool" else m.tool_calls is None)
    ]
