"""Search by meaning: the nearest documents, asked for once, and kept on disk."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.environment.documents.store import Documents, cache_folder, title_and_text
from pytest_tau.environment.documents.vectors import ByVectors, require_models
from pytest_tau.errors import DomainError, InfraError

from .library import library, write_library

MODEL = "some/model"


class Counting:
    """A model whose vectors count words."""

    def __init__(self, *more: float) -> None:
        self.asked: list[tuple[str, int]] = []
        self._more = more

    def __call__(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append((model, len(texts)))
        return [[text.count("parcel"), text.count("Open"), 1.0, *self._more] for text in texts]


def documents(folder: Path, texts: dict[str, str] | None = None) -> Documents:
    return Documents(write_library(folder, texts) / "documents")


def test_a_tool_of_the_domain_searches_by_them(tmp_path: Path) -> None:
    models = Counting()
    env = library(tmp_path, f"embeddings:{MODEL},top_k=2", models=ByVectors(models)).environment()
    found = env.call("search_documents", {"query": "Open"}).content
    assert [line for line in found.splitlines() if "ID" in line] == ["   ID: spring", "   ID: winter"]
    env.call("search_documents", {"query": "parcel"})
    assert models.asked == [(MODEL, 5), (MODEL, 1), (MODEL, 1)]


def test_without_a_model_the_search_is_refused(tmp_path: Path) -> None:
    env = library(tmp_path, f"embeddings:{MODEL}").environment()
    with pytest.raises(DomainError, match="searching with some/model asks a model, and there is none"):
        env.call("search_documents", {"query": "Open"})
    models = ByVectors(Counting())
    assert require_models(MODEL, models) is models


def test_nobody_rates_and_nobody_knows_of_costs() -> None:
    models = ByVectors(Counting())
    with pytest.raises(DomainError, match="asks some/model to rate documents, and there is no such model here"):
        models.ratings(MODEL, "query", ["a"])
    assert models.take_cost() == 0.0


def test_kept_vectors_of_another_model_of_the_name_are_asked_for_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before, models = Counting(), Counting(1.0)
    ByVectors(before, keep=True).nearest(MODEL, documents(tmp_path / "one"), title_and_text, "Open", 2)
    texts = documents(tmp_path / "two")
    for _ in range(2):
        found = ByVectors(models, keep=True).nearest(MODEL, texts, title_and_text, "Open", 2)
        assert [texts[position].id for position, _ in found] == ["spring", "winter"]
    assert models.asked == [(MODEL, 1), (MODEL, 5), (MODEL, 1)]


def test_vectors_of_two_sizes_are_refused(tmp_path: Path) -> None:
    def embed(model: str, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] * len(texts)] * len(texts)

    with pytest.raises(DomainError, match="some/model gave vectors of 1 and of 5 numbers"):
        ByVectors(embed).nearest(MODEL, documents(tmp_path / "shop"), title_and_text, "Open", 2)


@pytest.mark.parametrize("number", [0, 1, 3, 9])
def test_the_nearest_come_first_and_never_more_than_asked_for(tmp_path: Path, number: int) -> None:
    texts = documents(tmp_path / "shop")
    found = ByVectors(Counting()).nearest(MODEL, texts, title_and_text, "parcel parcel", number)
    assert len(found) == min(number, 5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert not found or texts[found[0][0]].id == "parcels"


numbers = st.floats(-100, 100).map(lambda value: round(value, 3))


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6), st.tuples(numbers, numbers), st.data())
def test_the_score_is_the_cosine_however_long_the_vectors_are(
    vectors: list[tuple[float, float]], query: tuple[float, float], data: st.DataObject
) -> None:
    def cosine(one: tuple[float, float], other: tuple[float, float]) -> float:
        lengths = math.hypot(*one) * math.hypot(*other)
        return (one[0] * other[0] + one[1] * other[1]) / lengths if lengths else 0.0

    times = data.draw(st.sampled_from([1.0, 7.0, 0.25]))

    class Held(Documents):
        def __len__(self) -> int:
            return len(vectors)

        def __iter__(self) -> Any:
            return iter(range(len(vectors)))

    def embed(model: str, texts: Sequence[Any]) -> list[list[float]]:
        return [[times * value for value in (query if text == "query" else vectors[text])] for text in texts]

    found = ByVectors(embed).nearest(MODEL, Held(Path()), lambda document: document, "query", len(vectors))  # type: ignore[arg-type, return-value]
    assert sorted(position for position, _ in found) == list(range(len(vectors)))
    for position, score in found:
        assert score == pytest.approx(cosine(query, vectors[position]), abs=1e-9)


@pytest.mark.parametrize(("given", "texts"), [(4, 5), (0, 5), (6, 5)])
def test_a_vector_for_each_text_or_a_sentence(tmp_path: Path, given: int, texts: int) -> None:
    models = ByVectors(lambda model, texts: [[1.0]] * given)
    with pytest.raises(DomainError, match=f"some/model gave {given} vectors for {texts} texts"):
        models.nearest(MODEL, documents(tmp_path / "shop"), title_and_text, "x", 1)


class TestKept:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def search(self, folder: Path, *, keep: bool = True, texts: dict[str, str] | None = None) -> tuple[Any, list[Any]]:
        """What a new process finds, and what it asked the model for."""
        counting = Counting()
        found = ByVectors(counting, keep=keep).nearest(MODEL, documents(folder, texts), title_and_text, "Open", 2)
        return found, [number for _, number in counting.asked]

    def test_the_documents_are_asked_for_once(self, tmp_path: Path) -> None:
        first, count = self.search(tmp_path / "one")
        assert count == [5, 1]
        assert self.search(tmp_path / "two") == (first, [1])

    def test_only_if_asked_to(self, tmp_path: Path) -> None:
        self.search(tmp_path / "one", keep=False)
        assert not cache_folder().exists()

    def test_other_documents_are_others(self, tmp_path: Path) -> None:
        self.search(tmp_path / "one")
        assert self.search(tmp_path / "two", texts={"a.md": "# Open", "b.md": "# B"})[1] == [2, 1]

    @pytest.mark.parametrize("content", [b"", b"half", b"12345678"], ids=["nothing", "no numbers", "too few"])
    def test_a_file_that_holds_something_else_is_made_again(self, tmp_path: Path, content: bytes) -> None:
        first, _ = self.search(tmp_path / "one")
        [path] = cache_folder().iterdir()
        path.write_bytes(content)
        assert self.search(tmp_path / "two") == (first, [5, 1])
        assert self.search(tmp_path / "three") == (first, [1])

    def test_no_documents_at_all(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            assert self.search(tmp_path / name, texts={"none.json": "[]"})[0] == []

    def test_a_folder_that_cannot_be_written_costs_nothing_but_time(self, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file in its place")
        first, count = self.search(tmp_path / "one")
        assert self.search(tmp_path / "two") == (first, count)


@pytest.mark.parametrize("vectors", [ConnectionError("no way there"), [["a"]], None])
def test_a_function_that_fails_is_no_answer_to_the_agent(tmp_path: Path, vectors: Any) -> None:
    def embed(model: str, texts: Sequence[str]) -> Any:
        if isinstance(vectors, Exception):
            raise vectors
        return vectors

    env = library(tmp_path, f"embeddings:{MODEL}", models=ByVectors(embed)).environment()
    with pytest.raises(InfraError, match=r"^the vectors of some/model failed: .*(Connection|Type)Error"):
        env.call("search_documents", {"query": "Open"})
