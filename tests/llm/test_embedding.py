"""A model that turns texts into vectors: in batches, in order, priced; and answers that hold something else."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import SettingsError
from pytest_tau.llm import backend, embedding
from pytest_tau.llm.embedding import EmbeddingClient
from pytest_tau.llm.limits import LimitSettings, RunLimits
from pytest_tau.llm.pricing import Prices
from pytest_tau.llm.retry import ProviderError, RetryPolicy
from pytest_tau.schema.spending import Usage
from tests.llm.asking import KEY
from tests.llm.server import Answer, ChatServer, Request, fails, rate_limited, vectors

MODEL = "openai/tiny"
PRICES = Prices.parse({MODEL: {"input": 10.0, "output": 0.0}})


def answer(request: Request) -> Answer:
    return vectors(request, "parcel", "Open")


def client(server: ChatServer, **options: Any) -> EmbeddingClient:
    given = {"api_base": server.url, "api_key": KEY}
    return EmbeddingClient(MODEL, given, retry=RetryPolicy(attempts=1), prices=PRICES, **options)


def test_vectors_come_in_batches_and_are_priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "TEXTS", 2)
    limits = RunLimits(tmp_path, LimitSettings(budget_usd=1.0))
    with ChatServer(answer) as server:
        found, cost = asyncio.run(client(server, limits=limits).vectors(["parcel", "Open Open", "x"]))
    assert found == [[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 0.0, 1.0]]
    assert [request.body["input"] for request in server.requests] == [["parcel", "Open Open"], ["x"]]
    assert cost == pytest.approx(21 * 10 / 1e6)
    assert (limits.spending().calls, limits.spending().tokens) == (2, 21)
    assert limits.spending().usd == pytest.approx(cost)


def test_what_was_paid_for_a_batch_is_known_though_a_later_one_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "TEXTS", 1)
    with ChatServer(lambda request: fails(400, "no") if request.body["input"] == ["x"] else answer(request)) as server:
        with pytest.raises(ProviderError) as raised:
            asyncio.run(client(server).vectors(["parcel", "Open", "x", "y"]))
        assert len(server.requests) == 3
    assert [(one.usage, one.cost) for one in raised.value.spent] == [(Usage(prompt_tokens=7), 7 * 10 / 1e6)] * 2


@pytest.mark.parametrize("status", [302, 307])
def test_no_redirect_is_followed(status: int) -> None:
    with ChatServer(answer) as other:
        moved = Answer(b"", status=status, headers={"Location": other.url + "/embeddings"})
        with ChatServer(moved) as server, pytest.raises(ProviderError, match=f"redirects to {other.url}"):
            asyncio.run(client(server).vectors(["parcel"]))
        assert other.requests == []


def test_each_attempt_is_counted_and_one_that_is_refused_costs_nothing(tmp_path: Path) -> None:
    limits = RunLimits(tmp_path, LimitSettings(budget_tokens=10_000))
    answers = iter([rate_limited("0")] * 3)
    with ChatServer(lambda request: next(answers, None) or answer(request)) as server:
        given = {"api_base": server.url, "api_key": KEY}
        patient = EmbeddingClient(MODEL, given, retry=RetryPolicy(base=0.0), limits=limits)
        asyncio.run(patient.vectors(["parcel " * 100]))
    assert (len(server.requests), limits.spending().calls, limits.spending().tokens) == (4, 4, 7)


@given(st.lists(st.integers(0, 9).map("x".__mul__), max_size=12))
def test_batches_keep_the_order_and_are_as_large_as_they_may_be(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "TEXTS", 3)
        patch.setattr(embedding, "CHARACTERS", 12)
        batches = embedding._batches(texts)
    assert [text for batch in batches for text in batch] == texts
    for number, batch in enumerate(batches):
        assert 1 <= len(batch) <= 3
        assert sum(map(len, batch)) <= 12
        if number + 1 < len(batches):
            assert len(batch) == 3 or sum(map(len, batch)) + len(batches[number + 1][0]) > 12


def test_a_text_beyond_the_limit_is_asked_for_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "CHARACTERS", 4)
    assert embedding._batches(["xx", "x" * 9, "xx", "xx"]) == [["xx"], ["x" * 9], ["xx", "xx"]]


def entry(index: int, *numbers: Any) -> dict[str, Any]:
    return {"index": index, "embedding": list(numbers)}


def asked(monkeypatch: pytest.MonkeyPatch, answered: Any, **options: Any) -> EmbeddingClient:
    """A client whose provider answers so, or raises."""

    async def embed(request: Mapping[str, Any]) -> Any:
        if isinstance(answered, Exception):
            raise answered
        return answered

    async def nothing() -> None:
        pass

    monkeypatch.setattr(backend, "embed", embed)
    monkeypatch.setattr(backend, "warm_up", nothing)
    return EmbeddingClient(MODEL, retry=RetryPolicy(attempts=1), **{"prices": PRICES, **options})


USAGE = {"prompt_tokens": 4}


def test_vectors_stand_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    model = asked(monkeypatch, {"data": [entry(1, 2, 0), entry(0, 1, "0.5")], "usage": USAGE})
    assert asyncio.run(model.vectors(["a", "b"])) == ([[1.0, 0.5], [2.0, 0.0]], 4 * 10 / 1e6)
    assert asyncio.run(model.vectors([])) == ([], 0)
    assert model.refusal is None


@pytest.mark.parametrize(
    ("answered", "sentence"),
    [
        ({"data": [], "usage": USAGE}, "it holds 0 vectors for 2 texts"),
        ({"data": [entry(0, 1)], "usage": USAGE}, "it holds 1 vectors for 2 texts"),
        ({"data": [entry(0, 1), entry(1, 1, 2)], "usage": USAGE}, "it holds 2 vectors for 2 texts"),
        ({"data": [entry(0, 1), entry(1, "x")], "usage": USAGE}, "it holds something other than vectors"),
        ({"data": [entry(0, 1), {"embedding": [1]}], "usage": USAGE}, "it holds something other than vectors"),
        ({"data": [entry(0, 1), entry(1, 1)]}, "it holds something other than vectors"),
        ({"data": None, "usage": USAGE}, "it holds something other than vectors"),
        ([], "it holds something other than vectors"),
    ],
)
def test_an_answer_that_holds_something_else(monkeypatch: pytest.MonkeyPatch, answered: Any, sentence: str) -> None:
    model = asked(monkeypatch, answered)
    with pytest.raises(ProviderError, match=sentence) as raised:
        asyncio.run(model.vectors(["a", "b"]))
    assert MODEL in str(raised.value)


class Denied(Exception):
    """What a provider says to a wrong key."""

    status_code = 401


@pytest.mark.parametrize(("error", "permanent"), [(Denied("no such key"), True), (ConnectionError("gone"), False)])
def test_only_what_fails_for_good_is_kept_as_a_refusal(
    monkeypatch: pytest.MonkeyPatch, error: Exception, permanent: bool
) -> None:
    model = asked(monkeypatch, error)
    with pytest.raises(ProviderError) as raised:
        asyncio.run(model.vectors(["a"]))
    assert model.refusal == (str(raised.value) if permanent else None)


def test_a_call_that_fails_keeps_what_was_reserved_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limits = RunLimits(tmp_path, LimitSettings(budget_usd=1.0))
    model = asked(monkeypatch, {"data": []}, limits=limits)
    with pytest.raises(ProviderError):
        asyncio.run(model.vectors(["a" * 30_000]))
    spent = limits.spending()
    assert (spent.calls, spent.tokens) == (1, 10_000)
    assert spent.usd == pytest.approx(0.1)


def test_a_budget_needs_a_price(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limits = RunLimits(tmp_path, LimitSettings(budget_usd=1.0))
    model = asked(monkeypatch, {}, limits=limits, prices=Prices({}))
    with pytest.raises(SettingsError, match=MODEL):
        asyncio.run(model.vectors(["a"]))
