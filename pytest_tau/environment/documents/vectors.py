"""Search by meaning: one vector for each document, compared with that of the query by cosine.

The vectors come from outside, as a function from texts to vectors, because this part of the house asks no models.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Protocol

from ...errors import DomainError
from .store import Document, Documents, title_and_text


class RetrievalModels(Protocol):
    """The models that a search may ask."""

    def vectors(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in order."""

    def ratings(self, model: str, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """How well each text answers a query, from 0 to 10; None where the model gave no number."""

    def __hash__(self) -> int:
        """Domains are kept by what they were loaded with."""


_lock = Lock()


class VectorIndex:
    """The documents' vectors, each of length one."""

    def __init__(self, vectors: Sequence[Sequence[float]], model: str) -> None:
        self._vectors = [_unit(vector) for vector in vectors]
        self._model = model

    @classmethod
    def of(
        cls,
        documents: Documents,
        model: str,
        models: RetrievalModels | None,
        text: Callable[[Document], str] = title_and_text,
    ) -> VectorIndex:
        """The index of documents under a model, made once a process; raises DomainError without models."""
        models = _asked(model, models)
        with _lock:
            known: VectorIndex | None = documents.memo.get(("vectors", model))
            if known is None:
                known = cls(models.vectors(model, [text(document) for document in documents]), model)
                documents.memo["vectors", model] = known
        return known

    def best(self, query: str, number: int, models: RetrievalModels | None) -> list[tuple[int, float]]:
        """The positions of the documents nearest to a query, with the cosine, nearest first."""
        (vector,) = _asked(self._model, models).vectors(self._model, [query])
        unit = _unit(vector)
        scores = [math.sumprod(unit, one) if hasattr(math, "sumprod") else _dot(unit, one) for one in self._vectors]
        return [
            (position, scores[position]) for position in heapq.nlargest(number, range(len(scores)), scores.__getitem__)
        ]


def _asked(model: str, models: RetrievalModels | None) -> RetrievalModels:
    if models is None:
        raise DomainError(
            f"searching with {model} asks a model for vectors, and there is none: give load_domain 'models', "
            "or choose the knowledge setting bm25 or grep"
        )
    return models


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _unit(vector: Sequence[float]) -> array[float]:
    length = math.sqrt(_dot(vector, vector)) or 1.0
    return array("d", [value / length for value in vector])
