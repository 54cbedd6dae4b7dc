"""What a run is doing: conversations in play, and a count of what models are asked (calls, tokens, USD)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..schema.spending import Spending


@dataclass(frozen=True)
class CallTotals:
    """What has been asked so far.

    Attributes:
        calls: requests that were answered.
        tokens: read and written, as far as providers say.
        usd: what they cost; None once the price of one is unknown.
        waiting: requests that are not answered yet.
        failing: calls that have failed and are tried again.
        failure: what one of these failed with.
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    waiting: int = 0
    failing: int = 0
    failure: str = ""

    def __add__(self, other: CallTotals) -> CallTotals:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return CallTotals(
            self.calls + other.calls,
            self.tokens + other.tokens,
            usd,
            self.waiting + other.waiting,
            self.failing + other.failing,
            self.failure or other.failure,
        )


@dataclass(frozen=True)
class Activity:
    """What some processes of a run are doing.

    Attributes:
        in_play: conversations that have begun and are not over.
        longest: the messages of the longest of those.
        asked: what models have been asked.
    """

    in_play: int = 0
    longest: int = 0
    asked: CallTotals = field(default_factory=CallTotals)

    def __add__(self, other: Activity) -> Activity:
        return Activity(self.in_play + other.in_play, max(self.longest, other.longest), self.asked + other.asked)


class Meter:
    """Adds up the calls of all clients that it is given to, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = self._tokens = self._waiting = 0
        self._usd: float | None = 0.0
        self._failures: dict[object, str] = {}

    @property
    def asked(self) -> CallTotals:
        """Everything so far."""
        with self._lock:
            failures = list(self._failures.values())
            return CallTotals(
                self._calls, self._tokens, self._usd, self._waiting, len(failures), next(iter(failures), "")
            )

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within it, a request waits for its answer."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    @contextmanager
    def trying(self) -> Iterator[Callable[[str], None]]:
        """Within it, a call is tried, more than once where a request fails; yields what is told of each failure."""
        call = object()

        def failed(why: str) -> None:
            with self._lock:
                self._failures[call] = why

        try:
            yield failed
        finally:
            with self._lock:
                self._failures.pop(call, None)

    def count_answer(self, reply: Spending) -> None:
        """Count a request that was answered."""
        usage, usd = reply.usage, reply.cost
        with self._lock:
            self._calls += 1
            self._tokens += 0 if usage is None else usage.prompt_tokens + usage.completion_tokens
            self._usd = None if self._usd is None or usd is None else self._usd + usd
