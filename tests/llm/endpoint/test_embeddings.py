"""Embeddings of the endpoint."""

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.llm.cassette import Cassette
from pytest_tau.llm.embedding import EmbeddingClient
from pytest_tau.llm.endpoint.asking import Refused
from pytest_tau.llm.endpoint.embeddings import EmbeddingAsChat, texts_of
from pytest_tau.llm.endpoint.serving import Proxy
from pytest_tau.llm.retry import ProviderError
from pytest_tau.llm.tape import TrialKey
from pytest_tau.schema.spending import Usage
from tests.fake_model import FakeModel, reply

from .test_serving import Served

BODY = {"model": "some/model", "input": ["one", "two"]}
VECTORS = [[0.5, 0.25], [1.0, 0.0]]


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


class Embedder(EmbeddingClient):
    """Answers without a network."""

    def __init__(self) -> None:
        super().__init__("some/embedder")
        self.asked: list[Sequence[str]] = []

    async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage, float | None]:
        self.asked.append(list(texts))
        return VECTORS[: len(texts)], Usage(prompt_tokens=len(texts)), 0.5


def test_vectors_in_both_forms(proxy: Proxy) -> None:
    served = Served(proxy, FakeModel(reply(json.dumps(VECTORS))))
    status, answer = served.post(BODY, "/embeddings")
    assert (status, [one["embedding"] for one in answer["data"]]) == (200, VECTORS)
    assert answer["usage"] == {"prompt_tokens": 10, "total_tokens": 10}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        openai = pytest.importorskip("openai")
        with openai.OpenAI(base_url=served.trial.url(), api_key="none") as client:  # asks for base64 by itself
            assert [one.embedding for one in client.embeddings.create(**BODY).data] == VECTORS


def test_they_are_billed_and_recorded(proxy: Proxy, tmp_path: Path) -> None:
    embedder, key = Embedder(), TrialKey("shop", "sell_one", 1)
    recorded = Cassette(tmp_path, key, "record").client(EmbeddingAsChat(embedder), "agent")
    served = Served(proxy, recorded)
    first = served.post(BODY, "/embeddings")
    assert [(one.cost, one.usage) for one in served.trial.take_answers()] == [(0.5, Usage(prompt_tokens=2))]
    again = Cassette(tmp_path, key, "replay").client(EmbeddingAsChat(embedder), "agent")
    assert Served(proxy, again).post(BODY, "/embeddings") == first
    assert embedder.asked == [["one", "two"]]


def test_what_was_paid_before_a_failure_is_billed(proxy: Proxy) -> None:
    class Fails(Embedder):
        async def embed(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage, float | None]:
            error = ProviderError("the second batch failed", permanent=True, status=400)
            error.spent = (reply("", cost=0.25),)
            raise error

    served = Served(proxy, EmbeddingAsChat(Fails()))
    assert served.post(BODY, "/embeddings")[0] == 400
    assert [one.cost for one in served.trial.take_answers()] == [0.25]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"input": [[1, 2]]}, "neither a text nor a list of texts: send texts, not tokens"),
        ({"input": [1, 2]}, "neither a text nor a list of texts: send texts, not tokens"),
        ({"input": []}, "neither a text nor a list of texts$"),
        ({"encoding_format": "int8"}, "neither float nor base64"),
        ({"dimensions": 3}, "'dimensions' is not passed on: leave it out$"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        texts_of({**BODY, **fields})
