"""Which of several agents inside one speaks: its name on what it says and calls, and who has handed over to it."""

from __future__ import annotations

from collections.abc import Sequence

from ..schema.messages import AnyMessage, AssistantMessage, Handoff

_LONGEST = 80  # characters of a name; a reason may have ten times as many


class Voices:
    """The one that speaks now, and the hand-overs since its last message. An agent that is one has no name here.

    Attributes:
        author: the name of the one that speaks.
    """

    def __init__(self) -> None:
        self.author: str | None = None
        self._handoffs: list[Handoff] = []

    def copy(self) -> Voices:
        """The same, for a fork."""
        twin = Voices()
        twin.author, twin._handoffs = self.author, [*self._handoffs]
        return twin

    def take_up(self, messages: Sequence[AnyMessage]) -> None:
        """Go on after these messages."""
        named = (m.author for m in reversed(messages) if isinstance(m, AssistantMessage) and m.author)
        self.author, self._handoffs = next(named, None), []

    def speaks_as(self, name: str, reason: str | None = None, cost: float | None = None) -> None:
        """From here on this one speaks.

        Args:
            name: the one that speaks.
            reason: why the other one handed over.
            cost: what that one has spent since its last message, in USD.
        """
        name = str(name).strip()[:_LONGEST]
        if not name or name == self.author:
            return
        if self.author is not None:
            handoff: Handoff = {"from": self.author, "to": name}
            if reason:
                handoff["reason"] = str(reason)[: 10 * _LONGEST]
            if cost:
                handoff["cost"] = cost
            self._handoffs.append(handoff)
        self.author = name

    def sign(self, message: AssistantMessage) -> AssistantMessage:
        """The message with the name of its author, and with the hand-overs before it."""
        if message.author is not None:
            self.speaks_as(message.author)
        if self.author is None:
            return message
        handoffs, self._handoffs = [*(message.handoffs or self._handoffs)], []
        return message.model_copy(update={"author": self.author, **({"handoffs": handoffs} if handoffs else {})})
