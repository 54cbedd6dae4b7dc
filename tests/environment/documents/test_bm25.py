"""The index against rank-bm25, and on disk."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau.environment.documents.bm25 import Index, okapi, plus_one

WORDS = st.lists(st.sampled_from(["the", "a", "card", "gold", "fee", "bank", "x", "y", "z"]), max_size=12)
few = settings(max_examples=20)
CORPORA = st.lists(WORDS, min_size=1, max_size=15).filter(any)


@few
@given(CORPORA, WORDS)
def test_okapi_is_rank_bm25_to_the_last_bit(corpus: list[list[str]], query: list[str]) -> None:
    rank_bm25 = pytest.importorskip("rank_bm25")
    expected = rank_bm25.BM25Okapi(corpus).get_scores(query).tolist()
    index = Index.build(corpus, okapi)
    assert index.scores(query) == expected
    best = sorted(range(len(corpus)), key=lambda position: -expected[position])
    assert index.best(query, 10) == [(position, expected[position]) for position in best[:10]]


@few
@given(CORPORA, WORDS)
def test_an_index_from_disk_is_the_one_that_was_saved(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[list[str]], query: list[str]
) -> None:
    path = tmp_path_factory.mktemp("index") / "x.bm25"
    index = Index.build(corpus, plus_one)
    index.save(path)
    assert [entry.name for entry in path.parent.iterdir()] == ["x.bm25"]
    assert Index.load(path).scores(query) == index.scores(query)


def test_every_word_weighs_something_in_a_small_collection() -> None:
    index = Index.build([["card", "fee"], ["card"]], plus_one)
    assert min(index.scores(["card"])) > 0
    assert index.best(["fee"], 1)[0][0] == 0


def test_an_empty_collection_has_no_best() -> None:
    assert Index.build([], okapi).best(["x"], 3) == []
    assert Index.build([[]], okapi).best(["x"], 3) == [(0, 0.0)]


@pytest.mark.parametrize("content", [b"", b"something else", None])
def test_a_file_that_is_no_index_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.bm25"
    if content is None:
        Index.build([["a", "b"]], okapi).save(path)
        content = path.read_bytes()[:-4]
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"empty|not an index|truncated"):
        Index.load(path)


@pytest.mark.parametrize(
    "head", [b'{"size": 1, "terms": []}', b"[1]", b'{"size": [], "postings": 0, "terms": []}', b"{"]
)
def test_an_index_without_what_ours_say_of_themselves_is_refused_in_a_sentence(tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "x.bm25"
    path.write_bytes(b"pytest-tau bm25 1\n" + len(head).to_bytes(8, "little") + head)
    with pytest.raises(
        ValueError, match=r"x\.bm25: the index is broken or of another version; build and save it again$"
    ):
        Index.load(path)
