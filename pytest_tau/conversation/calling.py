"""Runs the calls of a trial: those of its messages, and those that an agent makes in a tool loop of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any

from ..clock import Clock, at_hand
from ..environment.environment import Environment
from ..errors import AgentFault, ConversationOver, TrialCancelled
from ..schema.messages import AssistantMessage, ToolCall, ToolMessage
from ..schema.values import json_values
from .asking import AtWork
from .attaching import Images, as_seen
from .billing import Bill
from .ordering import CallOrder
from .replies import now
from .turns import Conversation, Speak
from .voices import Voices


@dataclass(eq=False)
class CallRunner:
    """Runs calls in the world of one trial.

    Attributes:
        order: of the calls that one message of the agent's model makes.
        lock: held while a call of the agent's own loop runs.
        is_cancelled: whether the trial is to end without a result.
        settle: lets what follows a call of the agent's own loop happen; whether the conversation is over then.
        clock: the trial's, which stands still while a search waits for the limits of the run.
        broken: what a call of the agent's own loop raised, until its trial has taken it.
    """

    env: Environment
    conversation: Conversation
    bill: Bill
    voices: Voices
    work: AtWork
    order: CallOrder
    images: Images
    lock: RLock
    is_cancelled: Callable[[], bool]
    settle: Callable[[], bool]
    clock: Callable[[], Clock]
    broken: Exception | None = None

    def execute(self, call: ToolCall, turn: int) -> ToolMessage:
        """Run a call that a message makes, and give its result, the message with that number."""
        try:
            self.work.running = f"the tool {call.name} of domain '{self.env.domain.name}'"
            with at_hand(self.clock()):
                result = self.env.call(call.name, call.arguments, call.requestor)
        except Exception:
            self._end_of_call()
            raise
        self._end_of_call()
        return ToolMessage(
            id=call.id,
            content=result.content,
            error=result.error,
            fault=result.fault,
            requestor=call.requestor,
            turn_idx=turn,
            timestamp=now(),
            attachments=list(result.pictures),
        )

    def _end_of_call(self) -> None:
        """Note that no tool is at work any more, and what its searches have cost, also where they failed."""
        self.work.running = None
        self.bill.add_search_costs(self.env.domain)

    def run_for_agent(self, name: str, arguments: dict[str, Any]) -> str:
        """Run a call out of an agent's own tool loop, as a step of the conversation, and give the text of its result.

        Raises ConversationOver where it is not the agent's turn, or over, and TrialCancelled.
        """
        try:
            with self.order.turn(name, arguments) as goes_on, self.lock:
                return self._run_in_order(name, arguments, goes_on)
        except ConversationOver:
            if self.conversation.over:
                self.bill.close()  # some frameworks take it for an error of the tool, and ask their model for ever
            raise

    def _run_in_order(self, name: str, arguments: dict[str, Any], goes_on: bool) -> str:
        """Run a call when it is its turn; one that ``goes_on`` is from the same message as the call before it."""
        if self.is_cancelled():
            raise TrialCancelled("the trial was cancelled")
        turn = self.conversation.turn
        if not (isinstance(turn, Speak) and turn.role == "agent"):
            raise ConversationOver(f"{name} was called when it was not the agent's turn")
        try:
            plain = json_values(arguments)
        except ValueError as error:
            raise AgentFault(f"{name} was called with arguments that JSON cannot hold: {error}") from None
        call = ToolCall(id=f"call_{len(self.conversation.messages)}", name=name, arguments=plain)
        if not (goes_on and self.conversation.receive_more(call, self.voices.author)):
            made = AssistantMessage(tool_calls=[call], cost=0.0, timestamp=now())
            made = self.voices.sign(self.bill.with_answers(made, len(self.conversation.messages)))
            self.conversation.receive(made)
        if self.conversation.over:
            raise ConversationOver("the conversation is over")
        try:
            result = self.execute(call, len(self.conversation.messages))
        except Exception as error:
            self.broken = error  # whatever the agent's framework, or a protocol on the way, makes of it
            raise
        if self.conversation.over:
            raise ConversationOver(f"{name} came back when the conversation was over")
        self.conversation.receive_results([result])
        if self.settle():
            raise ConversationOver("the conversation is over: a limit was reached")
        return as_seen(result, self.images).content or ""
