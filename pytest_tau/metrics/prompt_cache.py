"""How much of what models read came from a provider's cache, and what that saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from .wording import dollars


@dataclass(frozen=True)
class CachedPrompts:
    """Tokens that models read, those of them that came from a cache, and the USD that this saved, as far as known.

    Only calls whose provider tells of its cache count, and not those that tell of more than they read.
    """

    read: int = 0
    cached: int = 0
    saved: float = 0.0

    @classmethod
    def of(cls, attempts: Iterable[Mapping[str, Any]], judged: Iterable[Mapping[str, Any]]) -> CachedPrompts:
        """Of a trial's simulations and judgements as plain data, which anybody may have edited."""
        messages = (message for one in attempts for message in one.get("messages") or [])
        usages = (usage for one in (*messages, *judged) if isinstance(usage := one.get("usage"), Mapping))
        told = [usage for usage in usages if _tells(usage)]
        read, cached, saved = (
            sum(number for usage in told if isinstance(number := usage.get(name), int | float))
            for name in ("prompt_tokens", "cached_tokens", "saved")
        )
        return cls(int(read), int(cached), float(saved)) if told else NO_CACHE

    def __add__(self, other: CachedPrompts) -> CachedPrompts:
        if other is NO_CACHE:
            return self
        return CachedPrompts(self.read + other.read, self.cached + other.cached, self.saved + other.saved)

    def __str__(self) -> str:
        saved = f", which saved {dollars(self.saved)}" if self.saved else ""
        return f"{100 * self.cached / self.read:.1f} % of {self.read:,} prompt tokens came from a cache{saved}"


def _tells(usage: Mapping[str, Any]) -> bool:
    """Whether a call says how much of what was read came from a cache; no more can have than was read."""
    read, cached = usage.get("prompt_tokens", 0), usage.get("cached_tokens")
    return isinstance(cached, int) and isinstance(read, int | float) and 0 <= cached <= read < inf


NO_CACHE = CachedPrompts()
