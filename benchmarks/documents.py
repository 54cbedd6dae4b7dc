"""What documents cost: a search, a fresh environment that has them, and a hundred thousand of them.

The small collection is the public one where the public data is given, else 700 made-up documents of the same length.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from benchmarks.measuring import Result, median_cpu, public_data
from pytest_tau import load_domain
from pytest_tau.environment.documents.bm25 import okapi
from pytest_tau.environment.documents.store import Documents

SEARCH_MS, ENVIRONMENT_US, LARGE_S = 5.0, 50.0, 60.0
LARGE = 100_000


def main() -> None:
    """Print a line for each number."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        small(Path(folder))
        large(Path(folder))


def small(folder: Path) -> None:
    """A search over some 700 documents, and a fresh environment of a domain that has them."""
    data = public_data()
    if data is not None:
        domain = load_domain("banking_knowledge", data=data)
        seconds = median_cpu(domain.environment, rounds=20, repeat=100)
        print(Result("fresh environment with 698 documents", 1e6 * seconds, ENVIRONMENT_US, "µs"))
        documents = domain.documents
    else:
        documents = made(folder / "small", 700, words=120)
    assert documents is not None
    began = time.process_time()
    documents.index  # noqa: B018 (building it is what is measured)
    built = time.process_time() - began
    queries = [" ".join(document.text.split()[:12]) for document in list(documents)[:50]]
    seconds = median_cpu(lambda: [documents.search(query, 10) for query in queries], rounds=5, repeat=2) / len(queries)
    told = f"{len(documents)} documents, 12 words a query; read and indexed in {built:.2f} s, once a process"
    print(Result("search", 1e3 * seconds, SEARCH_MS, "ms", told))


def large(folder: Path) -> None:
    """A hundred thousand documents: read and indexed, and read again by a process that finds the index on disk."""
    made(folder / "large", LARGE, words=100)
    times = []
    for _ in range(2):
        documents = Documents(folder / "large", idf=okapi)
        began = time.process_time()
        found = documents.search("w1 w77 w4242", 10)
        times.append(time.process_time() - began)
        assert found
    told = f"{times[1]:.1f} s with the index on disk"
    print(Result(f"first search in {LARGE} documents", times[0], LARGE_S, "s", told))
    seconds = median_cpu(lambda: documents.search("w1 w77 w4242", 10), rounds=3, repeat=2)
    print(Result(f"further searches in {LARGE} documents", 1e3 * seconds, 1e3, "ms"))


def made(folder: Path, number: int, *, words: int) -> Documents:
    """Documents of words as frequent as they are in a language, a thousand a file."""
    folder.mkdir()
    rng = random.Random(1)
    vocabulary = [f"w{rank}" for rank in range(20_000)]
    share = list(accumulate(1 / (rank + 1) for rank in range(len(vocabulary))))
    for first in range(0, number, 1000):
        texts = [
            {
                "id": f"d{one}",
                "title": f"d{one}",
                "text": " ".join(rng.choices(vocabulary, cum_weights=share, k=words)),
            }
            for one in range(first, min(first + 1000, number))
        ]
        (folder / f"{first:09}.json").write_text(json.dumps(texts), encoding="utf-8")
    return Documents(folder)


if __name__ == "__main__":
    main()
