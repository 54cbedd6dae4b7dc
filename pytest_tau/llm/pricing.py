"""What model calls cost: a user's price table. A price nobody gave is unknown (None), never zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SettingsError
from ..files import read_json
from ..schema.spending import Usage

_MILLION = 1_000_000
_MOST = 1e12  # USD per million tokens that nobody asks; beyond floats lie amounts that no sum can hold
_SHAPE = '{"<model>": {"input": <USD per million tokens>, "output": <USD per million tokens>}}'
_CACHED = "cached"


@dataclass(frozen=True)
class Price:
    """USD per million tokens a model reads (``input``) and writes (``output``).

    ``cached``: of those that it reads from the provider's cache; None is as ``input``.
    """

    input: float
    output: float
    cached: float | None = None

    def cost(self, usage: Usage) -> float:
        """What a call with this usage costs, in USD."""
        read, written = usage.prompt_tokens * self.input, usage.completion_tokens * self.output
        return (read + written) / _MILLION - (self.saving(usage) or 0.0)

    def saving(self, usage: Usage) -> float | None:
        """What the provider's cache saved in a call, in USD; None where it, or the price, is not known."""
        if usage.cached_tokens is None or self.cached is None:
            return None
        return max(0.0, min(usage.cached_tokens, usage.prompt_tokens) * (self.input - self.cached) / _MILLION)

    def noted(self, usage: Usage) -> Usage:
        """The usage, with what the provider's cache saved."""
        return usage.model_copy(update={"saved": self.saving(usage)})


class Prices:
    """A price table by model name, with or without the provider in front ("openai/gpt-x" or "gpt-x")."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        self._table = dict(table)

    @classmethod
    def parse(cls, data: Any, where: str = "the price table") -> Prices:
        """A table out of JSON data; ``where`` names it in errors.

        Raises:
            SettingsError: it does not have the shape of a price table.
        """
        if not isinstance(data, Mapping):
            raise SettingsError(f"{where} is not a JSON object; write {_SHAPE}")
        return cls({str(model): _price(entry, f"{where}, {model!r}") for model, entry in data.items()})

    @classmethod
    def load(cls, path: str | Path) -> Prices:
        """A table out of a JSON file.

        Raises:
            SettingsError: the file cannot be read or is no price table.
        """
        where = f"the price table {path}"
        return cls.parse(read_json(Path(path), SettingsError, "the price table"), where)

    def price(self, model: str) -> Price | None:
        """The price of a model, None when the table does not have it."""
        return self._table.get(model) or self._table.get(model.partition("/")[2])


def forecast(price: Price, *, calls: float, prompt_tokens: float, completion_tokens: float) -> float:
    """USD that ``calls`` calls of so many tokens each (on average) will cost."""
    return calls * (prompt_tokens * price.input + completion_tokens * price.output) / _MILLION


def require_price(price: Price | None, model: str) -> Price:
    """The price of a model, for a budget in USD; raises SettingsError where it is not known."""
    if price is None:
        raise SettingsError(
            f"the price of {model} is unknown, so a budget in USD cannot be enforced; "
            "give its price with --tau-prices, or a budget in tokens"
        )
    return price


def _price(entry: Any, where: str) -> Price:
    if not isinstance(entry, Mapping) or set(entry) - {_CACHED} != {"input", "output"}:
        raise SettingsError(
            f"{where}: a price has the keys input and output, and {_CACHED} if cached tokens cost less, and no others; "
            f"write {_SHAPE}"
        )
    return Price(**{key: _amount(amount, f"{where}, {key!r}") for key, amount in entry.items()})


def _amount(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        raise SettingsError(f"{where}: {value!r} is not an amount of USD; write a number of 0 or more")
    return float(value)
