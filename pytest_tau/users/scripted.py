"""A customer who follows a script: no model, no surprises.

Opens with the reason for the call, tells what they know when asked, agrees to what is proposed, says what the scenario
keeps for later at its moment, does on their own side what they are told in the form of :func:`instruct`, and ends with
a stop token when there is nothing left to answer.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..conversation.protocols import UserContext
from ..schema.messages import USER_STOP_TOKENS, AnyMessage, ToolCall, ToolMessage, UserMessage
from ..schema.task import Instructions

CONFIRM_CUE = "(yes/no)"
PATIENCE = 5

_INSTRUCTION = re.compile(r"on your side: (\w+) (\{.*\})")
# Instructions in one text tell when to end the conversation, with the word that ends it.
_END = re.compile("|".join(map(re.escape, USER_STOP_TOKENS)))
_TRANSFER = re.compile(r"transferr(ed|ing)", re.IGNORECASE)


def instruct(name: str, arguments: dict[str, Any]) -> str:
    """A request to the customer to use one of their tools, in words that the scripted one understands."""
    return f"Please do this on your side: {name} {json.dumps(arguments)}"


class Scripted:
    """Plays a task's customer from its scenario; gives up after ``PATIENCE`` questions that lead nowhere."""

    def __init__(self, context: UserContext) -> None:
        instructions = self._scenario = context.scenario.instructions
        self._reason = instructions.reason_for_call if isinstance(instructions, Instructions) else instructions
        self._known = _pieces(instructions) if isinstance(instructions, Instructions) else []
        later = instructions.later if isinstance(instructions, Instructions) else None
        self._later = list(later or [])
        self._tools = {tool["function"]["name"] for tool in context.tools}
        self._opened = False
        self._questions = 0
        self._patience = PATIENCE + max(0, len(self._known) - 1)

    def reply(self, messages: list[AnyMessage]) -> UserMessage:
        """The next line of the script."""
        last = messages[-1] if messages else None
        if not self._opened:
            self._opened = True
            return _say(_END.sub("", self._reason))
        if isinstance(last, ToolMessage):
            return _say(f"I have done that. It says: {last.content}")
        return self._answer(last.text if last is not None else "", len(messages))

    def resume(self, messages: list[AnyMessage], begin: int) -> None:
        """Take up a conversation in its middle, also one in which somebody else has played this customer so far.

        Args:
            messages: all that the customer has seen and said.
            begin: the first of them that does not belong to the task's past.
        """
        spoken = [at for at in range(begin, len(messages)) if isinstance(messages[at], UserMessage)]
        if any(not _alike(self.reply(messages[:at]), messages[at]) for at in spoken):
            self._take_over("\n".join((messages[at].content or "").casefold() for at in spoken))

    def _take_over(self, told: str) -> None:
        """Go on from what another has told: what they know can be asked again, what was said for later is said."""
        instructions = self._scenario
        self._questions = 0
        if isinstance(instructions, Instructions):
            self._known = _pieces(instructions)
            self._later = [moment for moment in instructions.later or [] if moment.say.casefold() not in told]

    def _answer(self, text: str, position: int) -> UserMessage:
        if request := _INSTRUCTION.search(text):
            return self._obey(request, position)
        if CONFIRM_CUE in text:
            return _say(self._take("proposed") or "Yes, please go ahead.")
        if _TRANSFER.search(text):
            return _say("All right, I will hold. ###TRANSFER###")
        self._questions += 1
        over = "?" not in text or self._questions > self._patience
        if over and (next_wish := self._next_wish()):
            self._questions = 0
            return _say(next_wish)
        if over:
            return _say("Thank you, that is all. ###STOP###")
        if self._known:
            return _say(self._known.pop(0))
        return _say("I have told you what I know. Yes, please go ahead with what I asked for.")

    def _take(self, when: str) -> str | None:
        """What is to be said now, if its moment has come."""
        return self._later.pop(0).say if self._later and self._later[0].when == when else None

    def _next_wish(self) -> str | None:
        """The next wish; a change of mind about what was never proposed is passed over."""
        while self._later and self._later[0].when == "proposed":
            self._later.pop(0)
        return self._take("done")

    def _obey(self, request: re.Match[str], position: int) -> UserMessage:
        name = request[1]
        if name not in self._tools:
            return _say(f"I would not know how to do that: there is no {name} here.")
        try:
            arguments = json.loads(request[2])
        except (ValueError, RecursionError):
            return _say("I did not understand what exactly to do. Could you say it again?")
        call = ToolCall(id=f"user_{position}", name=name, arguments=arguments, requestor="user")
        return UserMessage(tool_calls=[call], cost=0.0)


def _alike(one: UserMessage, other: AnyMessage) -> bool:
    return isinstance(other, UserMessage) and (one.content, one.tool_calls) == (other.content, other.tool_calls)


def _pieces(instructions: Instructions) -> list[str]:
    """What the customer knows, in the pieces in which they tell it."""
    if instructions.known_info is None:
        return []
    pieces = instructions.known_info.splitlines() if instructions.piecemeal else [instructions.known_info]
    return [piece for piece in pieces if piece.strip()] or [instructions.known_info]


def _say(text: str) -> UserMessage:
    return UserMessage(content=text, cost=0.0)
