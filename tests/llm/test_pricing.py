"""Price tables and forecasts."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.llm.pricing import Price, Prices, forecast
from pytest_tau.schema.spending import Usage

TABLE = {"openai/big": {"input": 2, "output": 10.5}, "small": {"input": 0, "output": 0}}


def test_a_call_costs_what_its_tokens_cost() -> None:
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=500_000)
    assert Price(input=2.0, output=10.0).cost(usage) == pytest.approx(7.0)


def test_tokens_of_the_cache_cost_less_where_the_table_says_so() -> None:
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=500_000, cached_tokens=800_000)
    assert Price(2.0, 10.0).cost(usage) == pytest.approx(7.0)
    assert Price(2.0, 10.0).saving(usage) is None
    told = Prices.parse({"m": {"input": 2, "output": 10, "cached": 0.5}}).price("m")
    assert told is not None
    assert told.cost(usage) == pytest.approx(5.8)
    assert told.saving(usage) == pytest.approx(1.2)
    assert told.saving(Usage(prompt_tokens=5)) is None


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai/big", Price(2.0, 10.5)),
        ("big", None),
        ("azure/big", None),
        ("small", Price(0.0, 0.0)),
        ("ollama/small", Price(0.0, 0.0)),
        ("openai", None),
    ],
)
def test_models_are_found_with_or_without_their_provider(model: str, price: Price | None) -> None:
    assert Prices.parse(TABLE).price(model) == price


def test_a_price_of_nothing_is_known_and_not_unknown() -> None:
    price = Prices.parse(TABLE).price("small")
    assert price is not None
    assert price.cost(Usage(prompt_tokens=5)) == 0.0


def test_a_forecast_multiplies() -> None:
    assert forecast(Price(2.0, 10.0), calls=100, prompt_tokens=1000, completion_tokens=50) == pytest.approx(0.25)


def test_a_file_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(TABLE), encoding="utf-8")
    assert Prices.load(path).price("openai/big") == Price(2.0, 10.5)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], r"the price table is not a JSON object; write \{"),
        ({"m": 3}, "the price table, 'm': a price has the keys input and output, and cached if .*, and no others"),
        ({"m": {"input": 1}}, "'m': a price has the keys input and output"),
        ({"m": {"input": 1, "output": 1, "kept": 1}}, "'m': a price has the keys input and output, and cached if"),
        ({"m": {"input": 1, "cached": 1}}, "'m': a price has the keys input and output, and cached if"),
        ({"m": {"input": -1, "output": 1}}, "'m', 'input': -1 is not an amount of USD"),
        ({"m": {"input": 1, "output": "2"}}, "'m', 'output': '2' is not an amount of USD"),
        ({"m": {"input": True, "output": 1}}, "'m', 'input': True is not an amount"),
        ({"m": {"input": float("nan"), "output": 1}}, "'m', 'input': nan is not an amount"),
    ],
)
def test_what_is_no_price_table_is_refused_with_the_place(data: Any, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        Prices.parse(data)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    with pytest.raises(SettingsError, match=r"prices\.json: the price table cannot be read: No such file"):
        Prices.load(path)
    path.write_bytes(b"\xff{")
    with pytest.raises(SettingsError, match=r"prices\.json: the price table is not valid JSON"):
        Prices.load(path)
