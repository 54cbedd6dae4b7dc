"""The ready-made tools: what they show, and their limits."""

from pathlib import Path

import pytest

from pytest_tau import Environment, load_domain
from pytest_tau.environment.documents.tools import PAGE

from .library import library, write_library


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    return library(tmp_path).environment()


def test_they_come_before_the_domain_s_own(env: Environment) -> None:
    names = [spec.name for spec in env.tool_specs()]
    assert names == ["search_documents", "grep_documents", "read_document", "cancel", "half", "three"]
    assert {spec.kind for spec in env.tool_specs()[:3]} == {"read"}
    for spec in env.tool_specs()[:3]:
        assert all(prop["description"] for prop in spec.schema["function"]["parameters"]["properties"].values())


def test_search_shows_where_the_words_stand(env: Environment) -> None:
    found = env.call("search_documents", {"query": "glass parcel"})
    assert found.content.startswith(
        "1. Parcels\n   ID: parcels\n   A parcel takes three days. A parcel of glass takes five.\n\n2. Cancelling\n"
    )
    assert "A *parcel* on its way cannot." in found.content


def test_search_of_nothing(env: Environment) -> None:
    assert env.call("search_documents", {"query": "zebra"}).content == "No document matches 'zebra'. Try other words."
    assert env.call("search_documents", {"query": " "}).error
    assert "too long" in env.call("search_documents", {"query": "x" * 401}).content


def test_options_set_the_limits(tmp_path: Path) -> None:
    env = library(tmp_path, "bm25,top_k=1,grep_top_k=1").environment()
    assert env.call("search_documents", {"query": "parcel"}).content.count("ID: ") == 1
    found = env.call("grep_documents", {"text": "parcel"}).content
    assert found.count("ID: ") == 1
    assert found.endswith("1 more documents hold it; be more specific.")


def test_grep_takes_texts_and_no_patterns(env: Environment) -> None:
    assert env.call("grep_documents", {"text": "*PARCEL*"}).content == (
        "1. Cancelling\n   ID: cancelling\n   A *parcel* on its way cannot."
    )
    either = env.call("grep_documents", {"text": "glass|30  days"}).content
    assert [line for line in either.splitlines() if "ID" in line] == ["   ID: parcels", "   ID: returns"]
    assert env.call("grep_documents", {"text": "(a+)+$"}).content == "No document holds '(a+)+$'."
    assert env.call("grep_documents", {"text": "|"}).error


def test_a_letter_may_be_one_sign_or_two(tmp_path: Path) -> None:
    texts = {"a.md": "# Ku\u0308ndigen\n\nEine Ku\u0308ndigung ist frei.\n"}
    env = load_domain(write_library(tmp_path / "shop", texts)).environment()
    for text in ("Kündigung", "Ku\u0308ndigung"):
        assert "Eine Kündigung ist frei." in env.call("grep_documents", {"text": text}).content


def test_a_phrase_that_a_line_break_divides_is_shown(tmp_path: Path) -> None:
    texts = {"hours.md": "# Hours\n\nWe open at\nnine o'clock.\nNot before.\n"}
    env = load_domain(write_library(tmp_path / "shop", texts)).environment()
    found = env.call("grep_documents", {"text": "open at nine"}).content
    assert found == "1. Hours\n   ID: hours\n   We open at nine o'clock."


def test_read_gives_the_text(env: Environment) -> None:
    found = env.call("read_document", {"document_id": "spring"})
    assert (found.content, found.error) == ("Spring\n   ID: spring\n\nOpen at 9.", False)


def test_read_of_what_is_not_there(env: Environment) -> None:
    missing = env.call("read_document", {"document_id": "parcel"})
    assert (missing.content, missing.error) == ("Error: There is no document 'parcel'. Close to it: parcels.", True)
    assert (
        env.call("read_document", {"document_id": "spring", "page": 2}).content
        == "Error: Document 'spring' has 1 page."
    )


def test_a_long_document_comes_in_pages(tmp_path: Path) -> None:
    from pytest_tau import load_domain

    text = "".join(f"{number:07}\n" for number in range(2 * PAGE // 8))
    env = load_domain(write_library(tmp_path / "shop", {"long.md": text})).environment()
    pages = [env.call("read_document", {"document_id": "long", "page": page}).content for page in (1, 2)]
    assert pages[0].startswith("long\n   ID: long\n   Page: 1 of 2\n\n0000000\n")
    assert "".join(page.split("\n\n", 1)[1] for page in pages) == text
    assert "has 2 pages" in env.call("read_document", {"document_id": "long", "page": 3}).content
