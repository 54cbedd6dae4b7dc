"""The models that an agent's searching asks: for vectors, and to rate what was found.

What a search found is recorded beside the cassettes of the trials, a file for each search by what was asked: of one
query about the same documents every trial finds the same. A vector of each document would be megabytes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..environment.documents.store import Documents
from ..environment.documents.vectors import ByVectors, Text
from ..errors import CassetteError, reason
from ..files import write_whole
from ..schema.spending import total_spent
from . import backend
from .cassette import Mode
from .chat import json_values_in
from .client import LiteLLMClient
from .embedding import EmbeddingClient
from .retry import ProviderError

T = TypeVar("T")

PROMPT_VERSION = "1"
INSTRUCTIONS = """You rate how well a document of a company's knowledge base answers what an employee searches for.

10: it holds exactly what is needed. 5: it is about the subject and helps somewhat. 0: it is about something else.
Answer with JSON: {"rating": <whole number from 0 to 10>}."""
_SHAPE = {
    "type": "json_schema",
    "json_schema": {
        "name": "rating",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"rating": {"type": "integer"}},
            "required": ["rating"],
            "additionalProperties": False,
        },
    },
}


class SearchModels:
    """RetrievalModels on litellm.

    Args:
        chat: makes the client of a chat model by its name.
        embedding: makes the client of an embedding model by its name.
        recordings: the folder of recorded searches; None to keep none.
        mode: what to do with them, as for cassettes.
    """

    def __init__(
        self,
        chat: Callable[[str], LiteLLMClient],
        embedding: Callable[[str], EmbeddingClient],
        *,
        recordings: Path | None = None,
        mode: Mode = "auto",
    ) -> None:
        self._chat, self._embedding = chat, embedding
        self._recordings, self._mode = recordings, mode
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._own = threading.local()
        self._by_vectors = ByVectors(self._vectors, keep=True)

    def nearest(
        self, model: str, documents: Documents, text: Text, query: str, number: int
    ) -> Sequence[tuple[int, float]]:
        """The positions of the documents nearest to a query, with the cosine, nearest first."""
        request = {
            "model": model,
            "documents": documents.cache_key(model, text),
            "query": query,
            "number": number,
        }
        found = self._find_or_search(
            request, lambda: [list(one) for one in self._by_vectors.nearest(model, documents, text, query, number)]
        )
        return [(int(position), float(score)) for position, score in found]

    def ratings(self, model: str, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """How well each text answers a query, from 0 to 10; None where the answer holds no number."""
        digest = hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()
        request = {"model": model, "prompts": PROMPT_VERSION, "query": query, "texts": digest}
        ratings: list[float | None] = self._find_or_search(request, lambda: self._rate_texts(model, query, texts))
        return ratings

    def take_cost(self) -> float | None:
        """What this thread's searches have cost since it was asked last, in USD; None when nobody knows."""
        cost: float | None = getattr(self._own, "cost", 0.0)
        self._own.cost = 0.0
        return cost

    def _vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        client: EmbeddingClient = self._client(("vectors", model), lambda: self._embedding(model))
        try:
            vectors, cost = _now(client.vectors(texts))
        except ProviderError as error:
            self._pay(total_spent(error.spent)["cost"])
            error.spent = ()  # who hears of it does not pay again
            raise
        self._pay(cost)
        return vectors

    def _rate_texts(self, model: str, query: str, texts: Sequence[str]) -> list[float | None]:
        client: LiteLLMClient = self._client(("ratings", model), lambda: self._chat(model))

        async def rate(text: str) -> tuple[float | None, float | None]:
            asked = f"What is searched for:\n{query}\n\nThe document:\n{text}"
            reply = await client.complete(
                [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": asked}],
                response_format=_SHAPE,
            )
            return _rating(reply.content or ""), reply.cost

        async def rate_all() -> list[tuple[float | None, float | None] | BaseException]:
            return await asyncio.gather(*map(rate, texts), return_exceptions=True)

        ratings, failures = list[float | None](), list[BaseException]()
        for one in _now(rate_all()):
            if isinstance(one, BaseException):
                failures.append(one)
                continue
            ratings.append(one[0])
            self._pay(one[1])
        if failures:
            raise failures[0]
        return ratings

    def _client(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._clients:
                self._clients[key] = make()
            return self._clients[key]

    def _pay(self, cost: float | None) -> None:
        before: float | None = getattr(self._own, "cost", 0.0)
        self._own.cost = None if before is None or cost is None else before + cost

    def _find_or_search(self, request: dict[str, Any], search: Callable[[], Any]) -> Any:
        """What was found before for this very request, or now; raises CassetteError in a replay without a recording."""
        if self._recordings is None:
            return search()
        name = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]
        path = self._recordings / f"{name}.json"
        if self._mode != "record" and (known := _read(path)) is not None and known.get("request") == request:
            return known["found"]
        if self._mode == "replay":
            raise CassetteError(
                f"there is no recording of the search for {request['query']!r} with {request['model']}, {path.name}: "
                "run the same command with --tau-cassette record to make it"
            )
        found = search()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({"request": request, "found": found}, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:  # raised as it is, it would be told to the agent
            raise CassetteError(f"{path}: the search cannot be recorded: {reason(error)}") from None
        return found


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise CassetteError(f"{path}: the recording of a search cannot be read: {error}; delete it") from None
    if not isinstance(content, dict) or not isinstance(content.get("found"), list):
        raise CassetteError(f"{path}: not the recording of a search; delete it")
    return content


def _rating(text: str) -> float | None:
    answers = (one["rating"] for one in json_values_in(text) if isinstance(one, dict) and "rating" in one)
    found = re.search(r"-?\d+(\.\d+)?", str(next(answers, text)))
    return float(found[0]) if found and 0 <= float(found[0]) <= 10 else None


def _now(work: Coroutine[Any, Any, T]) -> T:
    """The result of asking models, for a tool that waits for it."""
    return asyncio.run_coroutine_threadsafe(work, backend.loop()).result()
