"""An event loop that handles replies in the order in which they came.

asyncio takes all sockets that are ready, and does the first step for each of them before it does the second for any.
The replies to hundreds of conversations come in clumps. Handled like this, each conversation of a clump would ask its
next question only after all replies have been handled, so the clump would stay together and wait for itself in each
turn. Here the loop hears of a few sockets at a time: it is done with the first of them when it comes to the last.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from heapq import nsmallest

_FEW = 4


class _InTurn(selectors.DefaultSelector):
    """Tells of a few sockets at a time, of those first that it has not told of for the longest."""

    def __init__(self) -> None:
        super().__init__()
        self._round = 0
        self._told: dict[int, int] = {}  # in which round of a socket, by its descriptor

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        if len(ready) > _FEW:
            ready = nsmallest(_FEW, ready, key=lambda one: self._told.get(one[0].fd, 0))
        self._round += 1
        self._told.update((key.fd, self._round) for key, _ in ready)
        return ready


def new_loop() -> asyncio.AbstractEventLoop:
    """A new event loop; on Windows one that takes all sockets at once, as those there have no selector."""
    return asyncio.new_event_loop() if sys.platform == "win32" else asyncio.SelectorEventLoop(_InTurn())
