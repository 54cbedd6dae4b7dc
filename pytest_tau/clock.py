"""Clocks that code under test cannot stop: libraries that freeze time replace the functions of the module ``time``.

Whatever measures a time limit, a pause or a rate reads :data:`monotonic`, and gives it to the event loops it makes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

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


@dataclass
class Clock:
    """The time of one trial: it runs from when the trial was made, and a restored trial keeps what it had taken."""

    timeout: float | None
    began: float = field(default_factory=lambda: monotonic())

    @classmethod
    def after(cls, seconds: float, timeout: float | None) -> Clock:
        """The clock of a trial that has taken so long already."""
        return cls(timeout, monotonic() - seconds)

    @property
    def seconds(self) -> float:
        """How long the trial has taken."""
        return monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, as far as a lock can wait for it, 0.0 beyond it; None without a limit."""
        if self.timeout is None:
            return None
        return min(threading.TIMEOUT_MAX, max(0.0, self.began + self.timeout - monotonic()))

    @property
    def is_up(self) -> bool:
        """Whether the time limit has been reached."""
        return self.timeout is not None and self.seconds >= self.timeout

    @property
    def overdue(self) -> float:
        """Seconds beyond the time limit; 0.0 while there is time."""
        return 0.0 if self.timeout is None else max(0.0, self.seconds - self.timeout)
