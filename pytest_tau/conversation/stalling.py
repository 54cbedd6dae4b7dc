"""Whether a conversation goes round in circles: the same exchange, or the same call with the same result, again.

A circle is counted since something new was found out: since a call with a result that had not been there before. Calls
that fail count for ``max_errors`` instead. Two exchanges are the same where both sides use nearly the same words. A
change that is made over and over, with no other call and no word of the customer in between, is a circle whatever comes
back: each new entry has another id. The default was chosen on recorded runs of public tasks: of those that passed, none
comes to more than five.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ..printable import cut
from ..schema.calls import render_call
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage

STALL = 8
"""How many times make a circle, where nobody says otherwise."""
# Of all words of both texts, those that both have.
_ALIKE = 0.8
_WORD = re.compile(r"\w+")
_SHOWN = 120
_SIDES = {"assistant": "agent", "user": "customer"}

_Words = frozenset[str]


class Circles:
    """Watches the messages of one conversation: who comes for another may say the same.

    Args:
        most: how many times the same ends the conversation; None: never.
        writes: whether a tool, by its name and the side that calls it, may change the world.
    """

    def __init__(self, most: int | None, writes: Callable[[str, str], bool] = lambda name, side: False) -> None:
        self._most = most
        self._writes = writes
        self._read = 0
        self._spoken = 0  # where the message stands whose calls the results answer, in their order
        self._in_a_row = ("", 0)
        self._known: set[tuple[str, str | None]] = set()
        self._counted: Counter[tuple[str, str | None]] = Counter()
        self._exchanges: list[tuple[_Words, _Words]] = []
        self._asked: _Words = frozenset()

    def fresh(self) -> Circles:
        """One that has read nothing yet."""
        return Circles(self._most, self._writes)

    def find(self, messages: Sequence[AnyMessage]) -> str | None:
        """What repeats itself, and who does it, in a sentence; None where nothing does. Reads what is new."""
        if self._most is None:
            return None
        told = None
        for at in range(self._read, len(messages)):
            told = told or self._look(messages, at, self._most)
        self._read = len(messages)
        return told

    def _look(self, messages: Sequence[AnyMessage], at: int, most: int) -> str | None:
        message = messages[at]
        if isinstance(message, ToolMessage):
            spoken = messages[self._spoken]  # anew: more calls may have come to it
            calls = [] if isinstance(spoken, ToolMessage) else spoken.tool_calls or []
            number = at - self._spoken - 1
            return self._result(message, calls[number], most) if 0 <= number < len(calls) else None
        self._spoken = at
        if message.tool_calls:
            return None
        words = frozenset(_WORD.findall(message.text.casefold()))
        if isinstance(message, AssistantMessage):
            self._asked = words
            return None
        self._in_a_row = ("", 0)
        times = 1 + sum(_alike(asked, self._asked) and _alike(said, words) for asked, said in self._exchanges)
        self._exchanges.append((self._asked, words))
        if times < most:
            return None
        who = "the customer said what the agent had said" if _alike(words, self._asked) else "agent and customer"
        return f"{who}, in the same exchange {times} times, last with '{_short(message.text)}'"

    def _result(self, message: ToolMessage, call: ToolCall, most: int) -> str | None:
        shown = f"{_SIDES[call.requestor]} made the call {render_call(call.name, call.arguments)}"
        writes = self._writes(call.name, call.requestor)
        key = shown, message.content
        if message.error or message.fault is not None:
            self._in_a_row = ("", 0)
            return None  # failed calls have a limit of their own, and who meets a fault is to try again
        if key not in self._known:
            self._known.add(key)
            self._counted.clear()
            self._exchanges.clear()
        self._counted[key] += 1
        self._in_a_row = shown, 1 + (self._in_a_row[1] if self._in_a_row[0] == shown else 0)
        if self._counted[key] >= most:
            return f"the {_short(shown)} {self._counted[key]} times, each with the same result"
        if writes and self._in_a_row[1] >= most:
            return f"the {_short(shown)} {self._in_a_row[1]} times in a row"
        return None


def _alike(one: _Words, other: _Words) -> bool:
    together = len(one | other)
    return not together or len(one & other) / together >= _ALIKE


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _SHOWN, " …")
