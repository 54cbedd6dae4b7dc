"""When a conversation is cut off, and the clock that says how much of its time is left."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from ..clock import monotonic


@dataclass(frozen=True)
class Limits:
    """When a conversation is cut off: steps, failed tool calls, seconds (None: never), circles (None: never).

    ``stall``: how many times the same exchange, or the same call with the same result, ends it (:mod:`.stalling`).
    """

    max_steps: int = 200
    max_errors: int = 10
    timeout: float | None = 600.0
    stall: int | None = None


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
