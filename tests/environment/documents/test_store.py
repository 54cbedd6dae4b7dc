"""Reading a folder of documents, and keeping its index."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau.environment.documents import store
from pytest_tau.environment.documents.bm25 import Index
from pytest_tau.environment.documents.store import Documents
from pytest_tau.errors import DomainError

from .library import TEXTS


def documents(folder: Path, texts: dict[str, str] | None = None) -> Documents:
    folder.mkdir(exist_ok=True)
    for name, text in (TEXTS if texts is None else texts).items():
        (folder / name).write_text(text, encoding="utf-8")
    return Documents(folder)


def test_markdown_and_json_in_the_order_of_names(tmp_path: Path) -> None:
    found = documents(tmp_path)
    assert [(one.id, one.title) for one in found] == [
        ("cancelling", "Cancelling"),
        ("parcels", "Parcels"),
        ("returns", "Returns"),
        ("spring", "Spring"),
        ("winter", "Winter"),
    ]
    assert found.by_id["spring"].text == "Open at 9."
    assert found.by_id["parcels"].text == TEXTS["parcels.md"]


@pytest.mark.parametrize(("query", "found"), [
    ("退款", ["zh"]),
    ("取消", ["zh"]),
    ("환불", ["ko"]),
    ("Ku\u0308ndigung", ["kündigen"]),
    ("KÜNDIGUNG", ["kündigen"]),
    ("１４", ["zh"]),
])  # fmt: skip
def test_words_of_other_languages_are_found(tmp_path: Path, query: str, found: list[str]) -> None:
    texts = {
        "zh.md": "# 退款政策\n\n客户可以在14天内取消订单。\n",
        "ko.md": "# 환불은 3일\n",
        "ku\u0308ndigen.md": "# Kündigen\n\nDie Ku\u0308ndigung ist frei.\n",
    }
    assert [document.id for document, _ in documents(tmp_path, texts).search(query, 5)] == found


def test_a_document_without_a_heading_is_called_by_its_id(tmp_path: Path) -> None:
    assert documents(tmp_path, {"a.md": "no heading"})[0].title == "a"


@pytest.mark.parametrize(("texts", "said"), [
    ({}, "there are no documents"),
    ({"a.json": "{"}, "not valid JSON"),
    ({"a.json": "[1]"}, r"a.json\[0\]: a document must be an object"),
    ({"a.json": '{"id": "", "text": "x"}'}, "needs a text 'id'"),
    ({"a.json": '{"id": "a"}'}, "needs a text 'text'"),
    ({"a.json": '{"id": "a", "title": 1, "text": "x"}'}, "needs a text 'title'"),
    ({"a.md": "x", "b.json": '{"id": "a", "text": "x"}'}, "two documents have the id 'a', in a.md and b.json"),
    ({"a.json": '[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]'}, "two documents have the id 'a', in a.json;"),
    ({"a.json": '{"id": "a ", "text": "x"}'}, r"a.json: the id 'a ' has a blank at an end"),
    ({" a.md": "x"}, "the id ' a' has a blank at an end"),
    ({"a.json": '{"id": "a\\nb", "text": "x"}'}, "or a line break in it"),
])  # fmt: skip
def test_what_cannot_be_used_is_said(tmp_path: Path, texts: dict[str, str], said: str) -> None:
    with pytest.raises(DomainError, match=said):
        documents(tmp_path, texts).search("x", 1)


def test_no_folder_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="cannot be read"):
        len(Documents(tmp_path / "nowhere"))
    (tmp_path / "a.md").write_bytes(b"\xff\xfe")
    with pytest.raises(DomainError, match=r"a\.md: the document cannot be read"):
        len(Documents(tmp_path))


def test_search_finds_those_that_share_a_word_with_the_query_only(tmp_path: Path) -> None:
    found = documents(tmp_path).search("PARCEL, days?", 5)
    assert [document.id for document, _ in found] == ["parcels", "returns", "cancelling"]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_a_large_index_is_built_once_and_read_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "KEPT_FROM", 1)
    first = documents(tmp_path / "documents").search("parcel", 3)
    (kept,) = store.cache_folder().iterdir()
    built: list[Index] = []
    build = Index.build

    def counted(*arguments: Any) -> Index:
        built.append(build(*arguments))
        return built[-1]

    monkeypatch.setattr(Index, "build", counted)
    assert Documents(tmp_path / "documents").search("parcel", 3) == first
    assert built == []
    kept.write_bytes(b"broken")
    assert Documents(tmp_path / "documents").search("parcel", 3) == first
    (tmp_path / "documents" / "parcels.md").write_text("gone")
    assert Documents(tmp_path / "documents").search("glass", 3) == []
    assert len(built) == 2
    assert len(list(store.cache_folder().iterdir())) == 2


def test_a_disk_that_cannot_be_written_costs_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "KEPT_FROM", 1)
    assert documents(tmp_path / "documents").search("glass", 1)[0][0].id == "parcels"
