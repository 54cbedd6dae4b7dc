"""When a conversation is cut off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When a conversation is cut off: steps, failed tool calls, seconds (None: never), circles (None: never).

    ``stall``: how many times the same exchange, or the same call with the same result, ends it (:mod:`.stalling`).
    """

    max_steps: int = 200
    max_errors: int = 10
    timeout: float | None = 600.0
    stall: int | None = None
