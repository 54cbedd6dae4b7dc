"""Search by meaning: one vector for each document, compared with that of the query by cosine.

The vectors come from outside, as a function from texts to vectors, because this part of the house asks no models.
"""

from __future__ import annotations

import heapq
import math
import sys
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

from ...errors import DomainError, InfraError, TauError, from_where
from ...files import write_whole
from .store import Document, Documents, cache_folder

Text = Callable[[Document], str]
"""What of a document is looked at."""
Embed = Callable[[str, Sequence[str]], Sequence[Sequence[float]]]
"""From the name of a model and texts to a vector for each, in order."""


class RetrievalModels(Protocol):
    """The models that a search may ask."""

    def nearest(
        self, model: str, documents: Documents, text: Text, query: str, number: int
    ) -> Sequence[tuple[int, float]]:
        """The positions of the documents nearest to a query under a model, with the cosine, nearest first."""

    def ratings(self, model: str, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """How well each text answers a query, from 0 to 10; None where the model gave no number."""

    def take_cost(self) -> float | None:
        """What this thread's searches have cost since it was asked last, in USD; None when nobody knows."""

    def __hash__(self) -> int:
        """Domains are kept by what they were loaded with."""


class ByVectors:
    """The models behind a function from texts to vectors.

    ``keep``: keep the documents' vectors in the user's cache folder, by what is in them; those of queries are not kept.
    """

    def __init__(self, embed: Embed, *, keep: bool = False) -> None:
        self._embed = embed
        self._keep = keep
        self._lock = Lock()

    def nearest(
        self, model: str, documents: Documents, text: Text, query: str, number: int
    ) -> Sequence[tuple[int, float]]:
        """The positions of the documents nearest to a query, with the cosine; the documents are asked for once."""
        known = self._vectors(model, documents, text)
        (unit,) = self._units(model, [query])
        if known and len(known[0]) != len(unit):  # kept of another model that had this name
            known = self._vectors(model, documents, text, other_than=known)
        if len(sizes := sorted({len(one) for one in (unit, *known)})) > 1:
            raise DomainError(f"{model} gave vectors of {sizes[0]} and of {sizes[-1]} numbers; all must have as many")
        scores = [_dot(unit, one) for one in known]
        best = heapq.nlargest(number, range(len(scores)), scores.__getitem__)
        return [(position, scores[position]) for position in best]

    def ratings(self, model: str, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """Nobody rates here; raises DomainError."""
        raise DomainError(f"the knowledge setting asks {model} to rate documents, and there is no such model here")

    def take_cost(self) -> float | None:
        """What vectors cost is the business of whoever gave the function."""
        return 0.0

    def _vectors(
        self, model: str, documents: Documents, text: Text, *, other_than: list[array[float]] | None = None
    ) -> list[array[float]]:
        with self._lock:
            key = ("vectors", model, text)
            if documents.memo.get(key) is other_than:  # of several threads that find them wrong the first asks anew
                path = cache_folder() / f"{documents.cache_key(model, text)}.vectors"
                found = _load(path, len(documents)) if self._keep and other_than is None else None
                if found is None:
                    found = self._units(model, [text(one) for one in documents])
                    if self._keep:
                        _save(path, found)
                documents.memo[key] = found
            vectors: list[array[float]] = documents.memo[key]
        return vectors

    def _units(self, model: str, texts: Sequence[str]) -> list[array[float]]:
        try:
            found = [_unit(vector) for vector in self._embed(model, texts)]
        except TauError:
            raise
        except Exception as error:  # somebody's function may raise anything, and it is no answer to the agent
            raise InfraError(f"the vectors of {model} failed: {from_where(error)}") from error
        if len(found) != len(texts):
            raise DomainError(f"{model} gave {len(found)} vectors for {len(texts)} texts; there must be one for each")
        return found


def require_models(model: str | None, models: RetrievalModels | None) -> RetrievalModels:
    """The models; raises DomainError where there are none."""
    if models is None:
        raise DomainError(
            f"searching with {model} asks a model, and there is none: give load_domain 'models', "
            "or choose the knowledge setting bm25 or grep"
        )
    return models


if sys.version_info >= (3, 12):
    _dot = math.sumprod
else:

    def _dot(one: Sequence[float], other: Sequence[float]) -> float:
        return math.fsum(a * b for a, b in zip(one, other, strict=True))


def _unit(vector: Sequence[float]) -> array[float]:
    length = math.sqrt(_dot(vector, vector)) or 1.0
    return array("d", [value / length for value in vector])


def _load(path: Path, number: int) -> list[array[float]] | None:
    """The vectors of a file, None if they are not those of so many documents."""
    try:
        flat = array("d", path.read_bytes())
    except (OSError, ValueError):
        return None
    size, rest = divmod(len(flat), number or 1)
    return None if rest or not size else [flat[start : start + size] for start in range(0, len(flat), size)]


def _save(path: Path, vectors: Sequence[array[float]]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, b"".join(vector.tobytes() for vector in vectors))
    except OSError:
        pass  # the next process asks for them again
