"""Rates that several runs keep to together: those of one user and one key, on one machine.

A run's own limits live in its own folder. Where a rate is shared, its counter is a second :class:`.limits.RunLimits` in
the user's cache folder, one for each provider and key, which every run that was asked to share looks at.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .limits import NOTHING, LimitSettings, Need, RunLimits
from .own_models import address_of, key_of, provider_of

# A call may wait for other runs as long as this many seconds beside what it takes itself, before it counts as lost.
_PATIENCE = 3600.0


class SharedRates:
    """A run's limits, and the rates it shares with other runs; both must let a call go.

    Args:
        own: the run's limits, without the rates that are shared.
        between: the rates, counted over all runs.
    """

    def __init__(self, own: RunLimits, between: RunLimits) -> None:
        self._own = own
        self._between = between

    @property
    def settings(self) -> LimitSettings:
        """The run's own limits."""
        return self._own.settings

    async def acquire(self, need: Need = NOTHING, *, seconds: float = 600.0) -> tuple[int, int]:
        """As :meth:`.limits.RunLimits.acquire`: first among the run's calls, then among those of all runs."""
        own = await self._own.acquire(need, seconds=seconds + _PATIENCE)
        try:
            return own, await self._between.acquire(Need(need.tokens, model=need.model), seconds=seconds)
        except BaseException:
            self._own.settle(own, tokens=0, usd=0.0)
            raise

    def settle(
        self,
        call: tuple[int, int],
        *,
        tokens: int | None = None,
        usd: float | None = None,
        answer: tuple[str, int] | None = None,
    ) -> None:
        """Count a call as over, in the run and between runs."""
        own, between = call
        self._between.settle(between, tokens=tokens, usd=0.0, answer=answer)
        self._own.settle(own, tokens=tokens, usd=usd, answer=answer)


def folder_of_key(model: str, parameters: Mapping[str, Any], cache: Path | None = None) -> Path:
    """Where runs that call a model with the same key count together.

    Args:
        model: its name, which begins with its provider's.
        parameters: ``api_base`` (or ``base_url``) and ``api_key`` where they are given; else the provider's variables
            have address and key.
        cache: the user's cache folder, by default ``$XDG_CACHE_HOME`` or ``~/.cache``.
    """
    provider = provider_of(model)
    base = str(address_of(parameters, provider) or "").rstrip("/")
    name = hashlib.sha256("\0".join((provider, base, key_of(parameters, provider))).encode()).hexdigest()[:32]
    cache = cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "pytest-tau" / "limits" / name
