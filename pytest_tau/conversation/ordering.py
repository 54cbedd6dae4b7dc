"""The calls of one message of a model run in the message's order, whatever threads or tasks make them.

Frameworks run the calls of a message side by side. Which comes first would then be chance, and with it the world, the
grade and every replay. The endpoint knows the message, so a call waits for those that stand before it there. Calls that
no message is known of run as they come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..clock import monotonic
from ..schema.messages import ToolCall

# Seconds after which a call that stands earlier, and that nobody has made, is taken for one that will not be made: the
# framework has refused its arguments, say.
GRACE = 2.0


@dataclass(eq=False)
class _Expected:
    """A call of a message: whether somebody makes it, and whether it need not be waited for any more."""

    call: ToolCall
    claimed: bool = False
    over: bool = False


class CallOrder:
    """The order of one trial's calls.

    Args:
        take_calls: gives the calls of each message that has come since it was asked last.
        is_ours: whether a tool is one of the trial's; a framework has others beside them.
    """

    def __init__(self, take_calls: Callable[[], Sequence[Sequence[ToolCall]]], is_ours: Callable[[str], bool]) -> None:
        self._take_calls = take_calls
        self._is_ours = is_ours
        self._changed = threading.Condition()
        self._messages: list[list[_Expected]] = []  # the newest first
        self._ran: Sequence[_Expected] = ()  # the message of the call that ran last

    @contextmanager
    def turn(self, name: str, arguments: Mapping[str, Any]) -> Iterator[bool]:
        """Within it the call may run: those before it in its message have run, or nobody makes them.

        Gives whether the call that ran last is from the same message.
        """
        with self._changed:
            self._learn()
            mine, message = self._claim(name, arguments)
            self._wait_for([] if mine is None else message[: message.index(mine)])
            goes_on, self._ran = mine is not None and message is self._ran, message
        try:
            yield goes_on
        finally:
            if mine is not None:
                with self._changed:
                    mine.over = True
                    self._changed.notify_all()

    def _learn(self) -> None:
        for calls in self._take_calls():
            self._messages.insert(0, [_Expected(call) for call in calls if self._is_ours(call.name)])

    def _claim(self, name: str, arguments: Mapping[str, Any]) -> tuple[_Expected | None, Sequence[_Expected]]:
        """The expected call that this is, and its message; a framework may have completed its arguments."""
        for is_same in (lambda call: call.arguments == arguments, lambda call: True):
            for message in self._messages:
                for expected in message:
                    if not expected.claimed and expected.call.name == name and is_same(expected.call):
                        expected.claimed = True
                        return expected, message
        return None, ()

    def _wait_for(self, before: Sequence[_Expected]) -> None:
        until = monotonic() + GRACE
        while waiting := [expected for expected in before if not expected.over]:
            if (left := until - monotonic()) > 0:
                self._changed.wait(left)
                continue
            for expected in waiting:
                expected.over |= not expected.claimed
            if any(expected.claimed and not expected.over for expected in waiting):
                self._changed.wait(GRACE)
