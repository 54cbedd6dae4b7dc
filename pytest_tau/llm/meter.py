"""Counts what one process asks models while a run lasts: calls, tokens, USD."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..schema.messages import Spending


@dataclass(frozen=True)
class Asked:
    """What has been asked so far.

    Attributes:
        calls: requests that were answered.
        tokens: read and written, as far as providers say.
        usd: what they cost; None once the price of one is unknown.
        waiting: requests that are not answered yet.
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    waiting: int = 0

    def __add__(self, other: Asked) -> Asked:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Asked(self.calls + other.calls, self.tokens + other.tokens, usd, self.waiting + other.waiting)


class Meter:
    """Adds up the calls of all clients that it is given to, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = Asked()

    @property
    def asked(self) -> Asked:
        """Everything so far."""
        return self._asked

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within it, a request waits for its answer."""
        self._add(Asked(waiting=1))
        try:
            yield
        finally:
            self._add(Asked(waiting=-1))

    def answered(self, reply: Spending) -> None:
        """Count a request that was answered."""
        tokens = 0 if reply.usage is None else reply.usage.prompt_tokens + reply.usage.completion_tokens
        self._add(Asked(calls=1, tokens=tokens, usd=reply.cost))

    def _add(self, more: Asked) -> None:
        with self._lock:
            self._asked += more
