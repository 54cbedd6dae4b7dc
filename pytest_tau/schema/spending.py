"""What calls of models take: tokens and USD, of one call and of several together."""

from collections.abc import Sequence
from typing import Annotated, Any, Protocol

from pydantic import Field

from .values import Frozen

# More than any message takes; sums of as much still fit into a file and a float.
_MOST_TOKENS = 10**12
MOST_USD = 1e300

Usd = Annotated[float, Field(ge=0, le=MOST_USD)]
_Tokens = Annotated[int, Field(ge=0, le=_MOST_TOKENS)]


class Usage(Frozen):
    """Tokens of one model call."""

    completion_tokens: _Tokens = 0
    """Tokens that the model wrote."""
    prompt_tokens: _Tokens = 0
    """Tokens that the model read."""
    cached_tokens: _Tokens | None = None
    """Of these, tokens that came from the provider's cache; null if it does not say."""
    saved: Usd | None = None
    """What the cache saved in USD; null if unknown."""


class Spending(Protocol):
    """Whatever bears the cost of model calls."""

    @property
    def cost(self) -> float | None:
        """In USD, None when unknown."""

    @property
    def usage(self) -> Usage | None:
        """Tokens, None when unknown."""


def total_spent(parts: Sequence[Spending]) -> dict[str, Any]:
    """The ``cost`` and ``usage`` of all parts together; None as soon as one of them is unknown."""
    costs = [part.cost for part in parts if part.cost is not None]
    usages = [part.usage for part in parts if part.usage is not None]
    return {
        "cost": sum(costs) if len(costs) == len(parts) else None,
        "usage": _total_usage(usages) if len(usages) == len(parts) else None,
    }


def _total_usage(usages: Sequence[Usage]) -> Usage:
    """All tokens; of the cache, as far as providers say."""
    cached = [one.cached_tokens for one in usages if one.cached_tokens is not None]
    saved = [one.saved for one in usages if one.saved is not None]
    return Usage(
        completion_tokens=min(sum(u.completion_tokens for u in usages), _MOST_TOKENS),
        prompt_tokens=min(sum(u.prompt_tokens for u in usages), _MOST_TOKENS),
        cached_tokens=min(sum(cached), _MOST_TOKENS) if cached else None,
        saved=min(sum(saved), MOST_USD) if saved else None,
    )
