"""BM25 over an inverted index that can lie in a file, and be read from there without being loaded.

score(d) = Σ over the words of the query, repetitions counted, of idf(w) · f·(k1+1) / (f + k1·(1 − b + b·|d|/avg|d|)),
with f the occurrences of w in d, k1 = 1.5 and b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond", 2009). What a word weighs in a document is known when the index is built, so a posting is a
document and a weight, and a search adds up the weights of the query's postings.

Written here and not taken from a library, because the public scores must come out to the last bit (Okapi's floor under
common words is in none of the kept-up libraries) and because an index has to go to disk without pickling. The tests
hold ``okapi`` against rank-bm25.
"""

from __future__ import annotations

import heapq
import json
import math
import mmap
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ...files import write_whole

K1 = 1.5
B = 0.75
EPSILON = 0.25

_MAGIC = b"pytest-tau bm25 1\n"

Idf = Callable[[int, Sequence[int]], list[float]]
"""From the number of documents and of those with each term: the weight of each term."""


def okapi(number: int, having: Sequence[int]) -> list[float]:
    """ln((N − n + 0.5) / (n + 0.5)); a term in more than half of the documents gets a quarter of the mean instead."""
    raw = [math.log(number - n + 0.5) - math.log(n + 0.5) for n in having]
    # Added up one after the other: sum() compensates for rounding in newer Pythons.
    total = 0.0
    for weight in raw:
        total += weight
    floor = EPSILON * (total / len(raw)) if raw else 0.0
    return [floor if weight < 0 else weight for weight in raw]


def plus_one(number: int, having: Sequence[int]) -> list[float]:
    """ln(1 + (N − n + 0.5) / (n + 0.5)), which is positive for every term, in small collections too."""
    return [math.log(1 + (number - n + 0.5) / (n + 0.5)) for n in having]


class Index:
    """Which documents, by position, have a term and how much it weighs there.

    ``size``: the number of documents.
    """

    def __init__(self, size: int, terms: dict[str, int], offsets: Any, documents: Any, weights: Any) -> None:
        self.size = size
        self._terms = terms
        # The postings of term t are those from offsets[t] to offsets[t + 1]; all three are arrays or views of a file.
        self._offsets = offsets
        self._documents = documents
        self._weights = weights

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]], idf: Idf) -> Index:
        """The index of documents given as their words, in order."""
        terms: dict[str, int] = {}
        postings: list[array[int]] = []  # of a term: document, occurrences, document, occurrences, …
        lengths = array("I")
        for position, words in enumerate(texts):
            lengths.append(len(words))
            for word, occurrences in Counter(words).items():
                term = terms.setdefault(word, len(terms))
                if term == len(postings):
                    postings.append(array("I"))
                postings[term].extend((position, occurrences))
        size = len(lengths)
        mean = sum(lengths) / size if size else 0.0
        norms = [K1 * (1 - B + B * length / mean) if mean else K1 for length in lengths]
        offsets, documents, weights = array("Q", [0]), array("I"), array("d")
        for pairs, weight in zip(postings, idf(size, [len(pairs) // 2 for pairs in postings]), strict=True):
            having, occurrences_of = pairs[::2], pairs[1::2]
            documents.extend(having)
            weights.extend(
                [
                    weight * (n * (K1 + 1) / (n + norms[document]))
                    for document, n in zip(having, occurrences_of, strict=True)
                ]
            )
            offsets.append(len(documents))
        return cls(size, terms, offsets, documents, weights)

    def scores(self, query: Sequence[str]) -> list[float]:
        """The score of every document."""
        scores = [0.0] * self.size
        for word in query:
            term = self._terms.get(word)
            if term is not None:
                first, last = self._offsets[term], self._offsets[term + 1]
                for document, weight in zip(self._documents[first:last], self._weights[first:last], strict=True):
                    scores[document] += weight
        return scores

    def best(self, query: Sequence[str], number: int) -> list[tuple[int, float]]:
        """The positions and scores of the best documents, those with equal scores in their order; zeros count too."""
        scores = self.scores(query)
        return [
            (document, scores[document]) for document in heapq.nlargest(number, range(self.size), scores.__getitem__)
        ]

    def save(self, path: Path) -> None:
        """Write the index to a file, at once or not at all; raises OSError."""
        head = json.dumps({"size": self.size, "postings": len(self._documents), "terms": list(self._terms)}).encode()
        # Numbers lie at multiples of eight bytes, where a view of the file can read them.
        head += b" " * (-(len(_MAGIC) + 8 + len(head)) % 8)
        numbers = (memoryview(part).cast("B") for part in (self._offsets, self._weights, self._documents))
        parts: list[bytes | memoryview] = [_MAGIC, len(head).to_bytes(8, "little"), head, *numbers]
        write_whole(path, b"".join(parts))

    @classmethod
    def load(cls, path: Path) -> Index:
        """Read what :meth:`save` wrote; raises OSError or ValueError."""
        with path.open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        start = len(_MAGIC) + 8
        if bytes(content[: len(_MAGIC)]) != _MAGIC:
            raise ValueError(f"{path}: not an index")
        end = start + int.from_bytes(content[len(_MAGIC) : start], "little")
        try:
            head = json.loads(bytes(content[start:end]))
            number, postings = int(head["size"]), int(head["postings"])
            terms = {str(term): position for position, term in enumerate(head["terms"])}
        except (KeyError, TypeError, ValueError, RecursionError, OverflowError):
            raise ValueError(f"{path}: the index is broken or of another version; build and save it again") from None
        sizes = (8 * (len(terms) + 1), 8 * postings, 4 * postings)
        if end + sum(sizes) != len(content):
            raise ValueError(f"{path}: the index is truncated")
        parts = []
        kinds: tuple[Any, ...] = ("Q", "d", "I")
        for size, kind in zip(sizes, kinds, strict=True):
            parts.append(content[end : end + size].cast(kind))
            end += size
        offsets, weights, documents = parts
        if max(documents, default=-1) >= number:
            raise ValueError(f"{path}: the index names documents that do not exist")
        return cls(number, terms, offsets, documents, weights)
