"""How calls of one process wait: in line, and the first of them until somebody rings.

A bell is a datagram socket on loopback. Its port stands in the account of the run, where the process of a call that has
ended finds it. A ring that is lost, or that finds nobody, costs a second: the first in line looks again by itself.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_HERE = "127.0.0.1"
_PAUSE = 0.05


class WaitingLine:
    """Lets those who wait come to the front one after the other, from any thread and event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._taken = False
        self.waits_for_bell = False
        """Whether the next one at the front knows that it has to wait."""
        self._line: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()

    @property
    def is_empty(self) -> bool:
        """Whether nobody stands at the front or behind."""
        return not self._taken

    @property
    def is_followed(self) -> bool:
        """Whether somebody stands behind the one at the front."""
        return bool(self._line)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the front, and stay there as long as this lasts."""
        turn = self._step_up()
        if turn is not None:
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # it came at the same moment
                    self._call_next()
                raise
        try:
            yield
        finally:
            self._call_next()

    def _step_up(self) -> asyncio.Future[None] | None:
        """Take the front if it is free; else what to wait for."""
        if self._pid != os.getpid():  # who stood in line has stayed in the process that this one was forked from
            self._lock, self._pid, self._taken = threading.Lock(), os.getpid(), False
            self.waits_for_bell = False
            self._line.clear()
        with self._lock:
            if not self._taken:
                self._taken = True
                return None
            loop = asyncio.get_running_loop()
            turn = loop.create_future()
            self._line.append((loop, turn))
            return turn

    def _call_next(self) -> None:
        with self._lock:
            while self._line:
                loop, turn = self._line.popleft()
                with suppress(RuntimeError):  # its event loop has been closed
                    loop.call_soon_threadsafe(self._give, turn)
                    return
            self._taken = False

    def _give(self, turn: asyncio.Future[None]) -> None:
        if turn.done():  # whoever waited for it has been cancelled
            self._call_next()
        else:
            turn.set_result(None)


class Bell:
    """What wakes the first in line of a process."""

    def __init__(self) -> None:
        self._pid = 0
        self._socket: socket.socket | None = None

    def port(self) -> int | None:
        """Where to ring; None where no socket can be had."""
        if self._pid != os.getpid():
            self._pid, self._socket = os.getpid(), None
            with suppress(OSError, RuntimeError):  # a plugin may forbid sockets
                self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                self._socket.setblocking(False)
                self._socket.bind((_HERE, 0))
        if self._socket is None:
            return None
        port: int = self._socket.getsockname()[1]
        return port

    async def wait(self, seconds: float) -> None:
        """Wait for a ring, and no longer than this."""
        if self._socket is None:
            await asyncio.sleep(min(seconds, _PAUSE))
            return
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(seconds):
                await asyncio.get_running_loop().sock_recv(self._socket, 1)

    def __del__(self) -> None:
        if self._socket is not None:
            self._socket.close()


def ring(port: int | None) -> None:
    """Wake who waits at this port, if anybody does."""
    if port is not None:
        with suppress(OSError, RuntimeError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bell:
            bell.setblocking(False)
            bell.sendto(b"!", (_HERE, port))
