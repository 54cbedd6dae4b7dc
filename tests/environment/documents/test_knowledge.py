"""The knowledge settings: tools, policies, and what is refused."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.environment.documents.vectors import ByVectors
from pytest_tau.errors import DomainError

from .library import cancelling, library, write_library


@pytest.mark.parametrize(("setting", "tools"), [
    (None, ["search_documents", "grep_documents", "read_document"]),
    ("bm25", ["search_documents", "grep_documents", "read_document"]),
    ("grep", ["grep_documents", "read_document"]),
    ("none", []),
    ("full", []),
    ("golden", []),
])  # fmt: skip
def test_the_tools_of_a_setting(tmp_path: Path, setting: str | None, tools: list[str]) -> None:
    names = [spec.name for spec in library(tmp_path, setting).environment().tool_specs()]
    assert names == [*tools, "cancel", "half", "three"]


def test_the_policy_of_a_setting(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop")
    settings = ("bm25", "full", "golden")
    policies = {name: load_domain(folder, knowledge=name).policy_for(task=cancelling()) for name in settings}
    assert policies["bm25"] == "Be kind."
    assert policies["golden"].startswith("Be kind.\n\n# Documents\n\n## Cancelling\n\nID: cancelling\n\n")
    assert policies["golden"].count("\nID: ") == 1
    assert policies["full"].count("\nID: ") == 5


def test_an_environment_has_the_policy_of_its_task(tmp_path: Path) -> None:
    domain = library(tmp_path, "golden")
    assert domain.policy == domain.environment().policy == "Be kind."
    assert "ID: cancelling" in domain.environment(cancelling()).policy


def test_settings_share_the_documents(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop")
    one, two = load_domain(folder, knowledge="bm25"), load_domain(folder, knowledge="none")
    assert one.documents is two.documents


@pytest.mark.parametrize(("setting", "said"), [
    ("nope", "there is no knowledge setting 'nope'; there are none, full"),
    ("embeddings", "no knowledge setting 'embeddings'"),
    ("bm25:x", "no knowledge setting 'bm25:x'"),
    ("bm25,top_k=0", "top_k must be a whole number from 1"),
    ("bm25,top_k", "write options as key=value"),
    ("bm25,top=1", "there is no option 'top'"),
])  # fmt: skip
def test_settings_that_do_not_exist(tmp_path: Path, setting: str, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        library(tmp_path, setting)


def test_a_domain_without_documents_has_no_settings() -> None:
    with pytest.raises(DomainError, match="domain 'mock' has no documents"):
        load_domain("mock", knowledge="bm25")


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop")
    (folder / "documents").rename(folder / "texts")
    with pytest.raises(DomainError, match="the folder of the domain's documents is not there"):
        load_domain(folder)


class Counting:
    """A model whose vectors count words."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def __call__(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append((model, len(texts)))
        return [[text.count("parcel"), text.count("Open"), 1.0] for text in texts]


def test_search_by_meaning_asks_for_vectors(tmp_path: Path) -> None:
    models = Counting()
    env = library(tmp_path, "embeddings:some/model,top_k=2", models=ByVectors(models)).environment()
    found = env.call("search_documents", {"query": "Open"}).content
    assert [line for line in found.splitlines() if "ID" in line] == ["   ID: spring", "   ID: winter"]
    env.call("search_documents", {"query": "parcel"})
    assert models.asked == [("some/model", 5), ("some/model", 1), ("some/model", 1)]


def test_search_by_meaning_without_a_model_is_refused(tmp_path: Path) -> None:
    env = library(tmp_path, "embeddings:some/model").environment()
    with pytest.raises(DomainError, match="searching with some/model asks a model, and there is none"):
        env.call("search_documents", {"query": "Open"})


def test_the_documents_vectors_are_asked_for_once_and_kept_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = []
    for copy in ("one", "two"):  # two folders with the same documents: two processes
        counting = Counting()
        domain = library(tmp_path / copy, "embeddings:some/model", models=ByVectors(counting, keep=True))
        found.append(domain.environment().call("search_documents", {"query": "Open"}).content)
        assert counting.asked == ([("some/model", 5)] if copy == "one" else []) + [("some/model", 1)]
    assert found[0] == found[1]
