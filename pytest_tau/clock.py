"""Clocks that code under test cannot stop: libraries that freeze time replace the functions of the module ``time``.

Whatever measures a time limit, a pause or a rate reads :data:`monotonic`, and gives it to the event loops it makes.

A trial has a :class:`Clock`, which stands still while a call of a model waits for the run's own limits: that is not the
agent's time. Who waits does not know whose trial it is. So whoever runs a player or a tool puts the trial's clock
:func:`at_hand`, in the context of the thread or task, and the limits stop the one that they find there
(:func:`standing_still`). Several calls may wait at once; the clock goes on when the last of them is through.
"""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

# Held by a partial: those libraries also look through all modules for the functions that they replace.
monotonic: Callable[[], float] = (
    partial(time.clock_gettime, time.CLOCK_MONOTONIC) if hasattr(time, "clock_gettime") else partial(time.monotonic)
)
"""Seconds since some moment; never goes back."""


def keep_time(loop: Any) -> Any:
    """The event loop, with timers that follow this clock."""
    with suppress(AttributeError):  # a loop written in C has its own
        loop.time = monotonic
    return loop


_SHORTEST = 0.005  # seconds between two looks at a limit: its clock may stand still just before it


@dataclass
class Clock:
    """The time of one trial: it runs from when the trial was made, and a restored trial keeps what it had taken.

    It stands still while a call of a model waits for the run's own limits (:func:`standing_still`), in any thread.
    """

    timeout: float | None
    began: float = field(default_factory=lambda: monotonic())
    _waits: set[object] = field(default_factory=set, init=False)
    # How long it has stood still before, and since when it does now: one value, so that who reads it needs no lock.
    _stood: tuple[float, float | None] = field(default=(0.0, None), init=False)
    # Reentrant: a collection of garbage may begin in it, and close a reply that its loop left behind while it waited.
    _changing: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False, compare=False)

    @classmethod
    def after(cls, seconds: float, timeout: float | None) -> Clock:
        """The clock of a trial that has taken so long already."""
        return cls(timeout, monotonic() - seconds)

    @property
    def seconds(self) -> float:
        """How long the trial has taken."""
        now = monotonic()
        before, since = self._stood
        return (now if since is None else since) - self.began - before

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, as far as a lock can wait for it, 0.0 beyond it; None without a limit."""
        if self.timeout is None:
            return None
        return min(threading.TIMEOUT_MAX, max(0.0, self.timeout - self.seconds))

    @property
    def is_up(self) -> bool:
        """Whether the time limit has been reached."""
        return self.timeout is not None and self.seconds >= self.timeout

    @property
    def overdue(self) -> float:
        """Seconds beyond the time limit; 0.0 while there is time."""
        return 0.0 if self.timeout is None else max(0.0, self.seconds - self.timeout)

    def stop(self, wait: object) -> None:
        """Stand still as long as this wait lasts; from any thread."""
        with self._changing:
            if not self._waits:
                self._stood = self._stood[0], monotonic()
            self._waits.add(wait)

    def go_on(self, wait: object) -> None:
        """This wait is over; from any thread."""
        with self._changing:
            self._waits.discard(wait)
            before, since = self._stood
            if not self._waits and since is not None:
                self._stood = before + monotonic() - since, None


_AT_HAND: ContextVar[Clock | None] = ContextVar("pytest_tau_clock", default=None)


@contextmanager
def at_hand(clock: Clock | None) -> Iterator[None]:
    """Within it, this is the clock that stands still where a call waits for the run's own limits."""
    before = _AT_HAND.get()
    _AT_HAND.set(clock)
    try:
        yield
    finally:
        _AT_HAND.set(before)  # and no token: what a loop left behind is closed in another context


@asynccontextmanager
async def limited(clock: Clock) -> AsyncIterator[asyncio.Timeout]:
    """Within it, what takes longer than a clock allows is cancelled; raises TimeoutError. Gives what knows whether."""
    import asyncio

    loop, timers = asyncio.get_running_loop(), list[asyncio.TimerHandle]()

    def look() -> None:
        timers.clear()
        left = clock.seconds_left
        if left:
            timers.append(loop.call_later(max(left, _SHORTEST), look))
        elif left is not None:
            limit.reschedule(loop.time())

    try:
        with at_hand(clock):
            async with asyncio.timeout(None) as limit:
                look()
                yield limit
    finally:
        for timer in timers:
            timer.cancel()


@contextmanager
def standing_still() -> Iterator[None]:
    """Within it the clock at hand stands still: nobody is slow, the run makes its call wait."""
    clock, wait = _AT_HAND.get(), object()
    if clock is not None:
        clock.stop(wait)
    try:
        yield
    finally:
        if clock is not None:
            clock.go_on(wait)
