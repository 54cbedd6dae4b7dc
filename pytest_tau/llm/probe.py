"""Whether a model would answer at all: one small request, before conversations are paid for that hang on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..errors import InfraError
from .client import LiteLLMClient
from .limits import CallLimits
from .pricing import Prices
from .retry import ProviderError, RetryPolicy

PROMPT = "Answer with the one word: ready"
# What an answer may cost; providers take no less for models that think first.
TOKENS = 16
SECONDS = 30.0
# Busy and slow providers are no reason to end a run: the calls themselves have patience.
_POLICY = RetryPolicy(attempts=3, silent=1, unreadable=1, max_wait=5.0, max_wait_unheard=5.0)


async def why_not(
    model: str,
    parameters: Mapping[str, Any],
    *,
    limits: CallLimits | None = None,
    prices: Prices | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> str | None:
    """Why every call of a model would fail, in a sentence: its key, its name, its account, or nobody at its address.

    None where it answered, or failed in a way that says nothing of the next call.

    Raises:
        SettingsError: litellm is missing, or a USD budget is set and no price known.
    """
    longest = "max_completion_tokens" if "max_completion_tokens" in parameters else "max_tokens"
    given = {**parameters, longest: TOKENS, "timeout": SECONDS}
    client = LiteLLMClient(model, given, retry=_POLICY, limits=limits, prices=prices, sleep=sleep)
    try:
        await client.complete([{"role": "user", "content": PROMPT}])
    except ProviderError as error:
        return str(error) if error.permanent or error.kind == "connection" else None
    except InfraError:  # the budget has no room: the run says so itself
        return None
    return None
