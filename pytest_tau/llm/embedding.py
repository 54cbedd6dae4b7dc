"""A model that turns texts into vectors: its calls are retried, limited and priced as those of chat models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..schema.spending import Usage, total_spent
from ..scrub import remember, secrets_in
from . import backend
from .failures import costs_nothing
from .limits import CallLimits, Need
from .pricing import Prices, forecast, require_price
from .replies import UnreadableAnswer
from .retry import ProviderError, Retrying, RetryPolicy

# What a request holds at most: providers take no more, and what fails is asked for again as a whole.
TEXTS = 100
CHARACTERS = 200_000
_LEASE_MARGIN = 60.0
_TIMEOUT = 120.0  # seconds a request may take

Vectors = list[list[float]]


class _Batch(NamedTuple):
    """What came of one request, and what it was billed."""

    vectors: Vectors
    usage: Usage
    cost: float | None


class EmbeddingClient:
    """One embedding model; the arguments are those of :class:`~pytest_tau.llm.client.LiteLLMClient`."""

    def __init__(
        self,
        model: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        retry: RetryPolicy | None = None,
        limits: CallLimits | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.model = model
        self._parameters = dict(parameters or {})
        remember(secrets_in(self._parameters))
        self._retrying = Retrying(retry or RetryPolicy(), secrets=secrets_in(self._parameters), sleep=asyncio.sleep)
        self._limits = limits
        self._prices = prices or Prices({})
        self._refused: str | None = None

    @property
    def refusal(self) -> str | None:
        """Why every call of this model fails, in a sentence; None as long as nobody has said so."""
        return self._refused

    async def vectors(self, texts: Sequence[str]) -> tuple[Vectors, float | None]:
        """A vector for each text, in order, and what they cost in USD, None if nobody knows; raises as ``embed``."""
        found, _, cost = await self.embed(texts)
        return found, cost

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, Usage, float | None]:
        """A vector for each text, in order, the tokens read, and the cost in USD, None if nobody knows.

        Raises:
            ProviderError: the provider failed for good, or its answer cannot be read; its ``spent`` is what the batches
                before were billed.
            BudgetReached: the run's budget has no room for a call.
            SettingsError: litellm is missing, or a USD budget is set and no price known.
        """
        await backend.warm_up()
        done: list[_Batch] = []
        for batch in _batches(texts):
            try:
                done.append(await self._retrying.run(f"a call of {self.model}", partial(self._attempt, batch)))
            except ProviderError as error:
                self._refused = str(error) if error.permanent else None
                error.spent = tuple(done)
                raise
        spent = total_spent(done)
        return [vector for batch in done for vector in batch.vectors], spent["usage"], spent["cost"]

    async def _attempt(self, batch: Sequence[str]) -> _Batch:
        if self._limits is None:
            return await self._send(batch)
        call = await self._limits.acquire(self._need(self._limits, batch), seconds=_TIMEOUT + _LEASE_MARGIN)
        used: int | None = None
        cost = None
        try:
            made = await self._send(batch)
            used, cost = made.usage.prompt_tokens, made.cost
            return made
        except Exception as error:
            if costs_nothing(error):
                used, cost = 0, 0.0
            raise
        finally:
            self._limits.settle(call, tokens=used, usd=cost)

    async def _send(self, batch: Sequence[str]) -> _Batch:
        response = await backend.embed(
            {**self._parameters, "model": self.model, "input": list(batch), "timeout": _TIMEOUT}
        )
        try:
            entries = sorted(response["data"], key=lambda entry: entry["index"])
            vectors = [[float(number) for number in entry["embedding"]] for entry in entries]
            usage = Usage(prompt_tokens=int(response["usage"]["prompt_tokens"]))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise UnreadableAnswer("it holds something other than vectors") from None
        if len(vectors) != len(batch) or len({len(vector) for vector in vectors}) > 1:
            raise UnreadableAnswer(f"it holds {len(vectors)} vectors for {len(batch)} texts")
        price = self._prices.price(self.model)
        return _Batch(vectors, usage, price.cost(usage) if price else backend.known_cost(response, self.model))

    def _need(self, limits: CallLimits, batch: Sequence[str]) -> Need:
        tokens = sum(len(text) for text in batch) // 3
        if limits.settings.budget_usd is None:
            return Need(tokens)
        price = require_price(self._prices.price(self.model) or backend.known_price(self.model), self.model)
        return Need(tokens, forecast(price, calls=1, prompt_tokens=tokens, completion_tokens=0))


def _batches(texts: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = []
    size = 0
    for text in texts:
        if not batches or size + len(text) > CHARACTERS or len(batches[-1]) == TEXTS:
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text)
    return batches
