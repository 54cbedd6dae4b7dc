"""The knowledge settings: tools, policies, and what is refused."""

from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import DomainError

from ..folders import TOOLS
from .library import DOMAIN, cancelling, library, write_library


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


def test_a_policy_that_the_domain_makes_gives_way_to_a_file(tmp_path: Path) -> None:
    own = DOMAIN.replace("KnowledgeBase()", "KnowledgeBase(policy=lambda *parts: 'Made of parts.')")
    folder = write_library(tmp_path / "shop", domain=own)
    (mine := tmp_path / "mine.md").write_text("Be brief.", encoding="utf-8")
    assert load_domain(folder).policy == "Made of parts."
    assert load_domain(folder, policy=mine).policy == "Be brief."
    golden = load_domain(folder, policy=mine, knowledge="golden")
    assert golden.policy_for(task=cancelling()).startswith("Be brief.\n\n# Documents\n\n## Cancelling\n")
    with pytest.raises(DomainError, match=r"^domain 'shop' has no policy 'workflow'; it has only one$"):
        load_domain(folder, policy="workflow")


def test_an_environment_has_the_policy_of_its_task(tmp_path: Path) -> None:
    domain = library(tmp_path, "golden")
    assert domain.policy == domain.environment().policy == "Be kind."
    assert "ID: cancelling" in domain.environment(cancelling()).policy


def test_settings_share_the_documents(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop")
    one, two = load_domain(folder, knowledge="bm25"), load_domain(folder, knowledge="none")
    assert one.documents is two.documents


@pytest.mark.parametrize(("setting", "said"), [
    ("nope", "unknown knowledge setting 'nope'; use none, full"),
    ("embeddings", "unknown knowledge setting 'embeddings'"),
    ("bm25:x", "unknown knowledge setting 'bm25:x'"),
    ("bm25,top_k=0", "top_k must be a whole number from 1"),
    ("bm25,top_k", "write options as key=value"),
    ("bm25,top=1", "unknown option 'top'; use one of"),
])  # fmt: skip
def test_settings_that_do_not_exist(tmp_path: Path, setting: str, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        library(tmp_path, setting)


def test_a_tool_of_one_s_own_is_not_hidden_by_ours(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop", tools=TOOLS.replace("def three", "def read_document"))
    said = "ShopTools has a tool 'read_document', and so has the knowledge setting 'bm25'; name the tool otherwise, or"
    with pytest.raises(DomainError, match=said):
        load_domain(folder)
    assert [spec.name for spec in load_domain(folder, knowledge="none").environment().tool_specs()][
        -1
    ] == "read_document"


def test_a_domain_without_documents_has_no_settings() -> None:
    with pytest.raises(DomainError, match="domain 'mock' has no documents"):
        load_domain("mock", knowledge="bm25")


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    folder = write_library(tmp_path / "shop")
    (folder / "documents").rename(folder / "texts")
    with pytest.raises(DomainError, match="the folder of the domain's documents is not there"):
        load_domain(folder)
