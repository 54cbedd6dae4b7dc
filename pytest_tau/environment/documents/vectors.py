"""Search by meaning: one vector for each document, compared with that of the query by cosine.

The vectors come from outside, as a function from texts to vectors, because this part of the house asks no models.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Callable, Sequence
from threading import Lock

from ...errors import DomainError
from .store import Document, Documents

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""From texts to their vectors, in order."""

_lock = Lock()


class VectorIndex:
    """The documents' vectors, each of length one."""

    def __init__(self, vectors: Sequence[Sequence[float]], embed: Embed) -> None:
        self._vectors = [_unit(vector) for vector in vectors]
        self._embed = embed

    @classmethod
    def of(
        cls, documents: Documents, model: str, embed: Embed | None, text: Callable[[Document], str] | None = None
    ) -> VectorIndex:
        """The index of documents under a model, made once a process; raises DomainError without ``embed``."""
        if embed is None:
            raise DomainError(
                f"searching with {model} asks a model for vectors, and there is none: give load_domain an 'embed', "
                "or choose the knowledge setting bm25 or grep"
            )
        with _lock:
            known: VectorIndex | None = documents.memo.get(("vectors", model))
            if known is None:
                texts = [text(document) if text else f"{document.title}\n{document.text}" for document in documents]
                known = documents.memo["vectors", model] = cls(embed(texts), embed)
        return known

    def best(self, query: str, number: int) -> list[tuple[int, float]]:
        """The positions of the documents nearest to a query, with the cosine, nearest first."""
        (vector,) = self._embed([query])
        unit = _unit(vector)
        scores = [math.sumprod(unit, one) if hasattr(math, "sumprod") else _dot(unit, one) for one in self._vectors]
        return [
            (position, scores[position]) for position in heapq.nlargest(number, range(len(scores)), scores.__getitem__)
        ]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _unit(vector: Sequence[float]) -> array[float]:
    length = math.sqrt(_dot(vector, vector)) or 1.0
    return array("d", [value / length for value in vector])
