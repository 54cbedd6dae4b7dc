"""A question to a player, and what a trial waits for: a player, or something of the domain."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from ..schema.messages import AnyMessage
from .replies import call_function, reply_name
from .turns import Role

# Held here: a player may replace them.
leave_process, process_id = os._exit, os.getpid
recursion_limit, set_recursion_limit = sys.getrecursionlimit, sys.setrecursionlimit


def end_copy_of(process: int) -> None:
    """End this process where it is a copy of that one, which a player has forked: it has no trial to go on with."""
    if process_id() != process:
        leave_process(0)


class Ask(NamedTuple):
    """A question of the driver: call the player's ``reply`` with these messages."""

    role: Role
    player: Any
    messages: list[AnyMessage]

    def __call__(self) -> Any:
        """Ask."""
        name = reply_name(self.player)
        return call_function(self.player.reply, self.messages, f"{name}() cannot be called with the messages")


class Interrupted(BaseException):
    """Raised within a player or tool that has not come back after its trial's time limit: no error of theirs."""


class AtWork:
    """What is at work for a trial, and may be interrupted. Within it, as a context, a player is.

    It may lower the limit of recursion, which is put back, or fork, and the copy ends where it comes back.
    """

    def __init__(self) -> None:
        self._answering = False
        self._depth = self._process = 0
        self.running: str | None = None  # what of the domain is at work, or has not come back

    def __enter__(self) -> None:
        self._answering = True
        self._depth, self._process = recursion_limit(), process_id()

    def __exit__(self, *raised: object) -> None:
        self._answering = False
        end_copy_of(self._process)
        if recursion_limit() < self._depth:
            set_recursion_limit(self._depth)

    def __bool__(self) -> bool:
        return self._answering or self.running is not None

    def still(self, role: Role, when: str) -> str:
        """What the trial waited for when it ran out of time."""
        return f"{self.running} had not returned {when}" if self.running else f"the {role} was still answering {when}"
