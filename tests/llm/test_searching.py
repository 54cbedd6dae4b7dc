"""The models behind a search: vectors and ratings, under limits, priced and recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import load_domain, simulate
from pytest_tau.environment.documents.store import Documents, title_and_text
from pytest_tau.errors import CassetteError
from pytest_tau.llm import embedding
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.embedding import EmbeddingClient
from pytest_tau.llm.pricing import Prices
from pytest_tau.llm.retry import ProviderError, RetryPolicy
from pytest_tau.llm.searching import SearchModels
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, a_call
from tests.builders import says as acts
from tests.environment.documents.library import cancelling, library, write_library
from tests.llm.server import Answer, ChatServer, Request, fails, says, vectors

MODEL = "openai/tiny"
PRICES = Prices.parse({MODEL: {"input": 10.0, "output": 0.0}})


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def answer(request: Request) -> Answer:
    return vectors(request, "parcel", "Open") if "input" in request.body else says('{"rating": 7}')


def client(server: ChatServer, **options: Any) -> EmbeddingClient:
    given = {"api_base": server.url, "api_key": "sk-test-1"}
    return EmbeddingClient(MODEL, given, retry=RetryPolicy(attempts=1), prices=PRICES, **options)


def search(server: ChatServer, **options: Any) -> SearchModels:
    given = {"api_base": server.url, "api_key": "sk-test-1"}
    return SearchModels(
        lambda model: LiteLLMClient(model, given, retry=RetryPolicy(attempts=1), prices=PRICES),
        lambda model: client(server),
        **options,
    )


def documents(tmp_path: Path) -> Documents:
    return Documents(write_library(tmp_path / "shop") / "documents")


@pytest.mark.parametrize("answered", [Answer({"object": "list", "data": []}), fails(500, "no")])
def test_a_provider_that_fails_is_nobody_s_answer(tmp_path: Path, answered: Answer) -> None:
    with ChatServer(answered) as server:
        models = search(server)
        env = library(tmp_path, f"embeddings:{MODEL}", models=models).environment()
        with pytest.raises(ProviderError, match="openai/tiny"):
            env.call("search_documents", {"query": "Open"})


def test_a_search_finds_the_nearest_and_says_what_it_cost(tmp_path: Path) -> None:
    with ChatServer(answer) as server:
        models, texts = search(server), documents(tmp_path)
        found = models.nearest(MODEL, texts, title_and_text, "Open", 2)
        assert [position for position, _ in found] == [3, 4]
        assert models.take_cost() == pytest.approx(42 * 10 / 1e6)
        assert models.take_cost() == 0.0
        models.nearest(MODEL, texts, title_and_text, "parcel", 2)
    assert [len(request.body["input"]) for request in server.requests] == [5, 1, 1]


def test_what_was_found_is_rated(tmp_path: Path) -> None:
    def rate(request: Request) -> Answer:
        return says("nothing" if "second" in request.messages[-1]["content"] else '{"rating": 9}')

    with ChatServer(rate) as server:
        assert search(server).ratings(MODEL, "query", ["first", "second"]) == [9.0, None]


def test_a_recorded_search_needs_no_model(tmp_path: Path) -> None:
    folder, texts = tmp_path / "searches", documents(tmp_path)
    with ChatServer(answer) as server:
        first = search(server, recordings=folder, mode="record")
        found = first.nearest(MODEL, texts, title_and_text, "Open", 2)
        rated = first.ratings(MODEL, "Open", ["a"])
    replayed = search(server, recordings=folder, mode="replay")  # the server is gone
    assert replayed.nearest(MODEL, texts, title_and_text, "Open", 2) == found
    assert replayed.ratings(MODEL, "Open", ["a"]) == rated == [7.0]
    assert replayed.take_cost() == 0.0
    with pytest.raises(CassetteError, match="no recording of the search for 'parcel' with openai/tiny"):
        replayed.nearest(MODEL, texts, title_and_text, "parcel", 2)
    for file in folder.iterdir():
        file.write_text("{")
    with pytest.raises(CassetteError, match="the recording of a search cannot be read"):
        replayed.nearest(MODEL, texts, title_and_text, "Open", 2)


def test_a_search_that_cannot_be_recorded_is_not_told_to_the_agent(tmp_path: Path) -> None:
    (tmp_path / "searches").write_text("a file in its place")
    with ChatServer(answer) as server:
        models = search(server, recordings=tmp_path / "searches", mode="record")
        env = library(tmp_path, f"embeddings:{MODEL}", models=models).environment()
        with pytest.raises(CassetteError, match=r"searches.*\.json: the search cannot be recorded"):
            env.call("search_documents", {"query": "Open"})


def test_what_was_paid_for_ratings_is_known_though_one_of_them_failed(tmp_path: Path) -> None:
    def rate(request: Request) -> Answer:
        return fails(400, "no") if "first" in request.messages[-1]["content"] else says('{"rating": 7}')

    with ChatServer(rate) as server:
        models = search(server)
        with pytest.raises(ProviderError):
            models.ratings(MODEL, "query", ["first", "second"])
    assert models.take_cost() == pytest.approx(10 * 10 / 1e6)


def test_a_search_that_failed_is_billed_to_its_own_trial(tmp_path: Path) -> None:
    def embed(request: Request) -> Answer:
        return fails(400, "no") if request.body["input"] == ["Open"] else answer(request)

    with ChatServer(embed) as server:
        domain = library(tmp_path, f"embeddings:{MODEL}", models=search(server))
        calls = acts(None, a_call("search_documents", query="Open"))
        played = simulate(cancelling(), domain, agent=lambda c: Lines([calls]), user=lambda c: Lines(["Hello"]))
    assert played.termination_reason == Termination.INFRASTRUCTURE_ERROR
    assert played.agent_cost == pytest.approx(35 * 10 / 1e6)


def test_of_a_search_that_failed_midway_each_batch_is_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "TEXTS", 1)
    asked: list[str] = []

    def embed(request: Request) -> Answer:
        asked.extend(request.body["input"])
        return fails(400, "no") if len(asked) > 2 else answer(request)

    with ChatServer(embed) as server:
        models = search(server)
        with pytest.raises(ProviderError) as raised:
            models.nearest(MODEL, documents(tmp_path), title_and_text, "Open", 2)
    assert models.take_cost() == pytest.approx(2 * 7 * 10 / 1e6)
    assert raised.value.spent == ()


@pytest.mark.parametrize(
    ("said", "rating"),
    [
        ('{"reason": "3 of them", "rating": 8}', 8.0),
        ('<think>Between 0 and 10.</think>{"rating": 2}', 2.0),
        ('{"rating": "7/10"}', 7.0),
        ('{"rating": -1}', None),
        ('{"rating": 11}', None),
        ('{"rating": null}', None),
        ("I would say 6.5.", 6.5),
        ("", None),
    ],
)
def test_a_rating_is_read_where_it_stands(said: str, rating: float | None) -> None:
    with ChatServer(says(said)) as server:
        assert search(server).ratings(MODEL, "query", ["text"]) == [rating]


def test_the_public_reranker_keeps_what_is_rated_well() -> None:
    from tests.shared import shared

    class Rating:
        def nearest(self, *given: Any) -> list[tuple[int, float]]:
            return [(3, 0.9), (1, 0.8), (2, 0.7)]

        def ratings(self, model: str, query: str, texts: Sequence[str]) -> list[float | None]:
            return [4.0, None, 8.0][: len(texts)]

        def take_cost(self) -> float:
            return 0.0

    domain = load_domain(
        "banking_knowledge", data=shared("tau2"), knowledge="openai_embeddings_reranker", models=Rating()
    )
    found = domain.environment().call("KB_search", {"query": "x"}).content
    assert domain.documents is not None
    assert [line for line in found.splitlines() if line.startswith("   ID: ")] == [f"   ID: {domain.documents[2].id}"]
    assert "   Score: 8.0000\n" in found
    assert found.endswith("[Timing: retrieval=0ms, reranking=0ms, total=0ms]")
