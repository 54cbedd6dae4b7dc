"""What coding agents read first is up to date and complete; and the site has every page."""

import importlib.util
import re
from pathlib import Path
from typing import Any

from .markdown import ROOT


def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_llms", ROOT / "docs" / "make_llms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_is_up_to_date() -> None:
    assert (ROOT / "llms.txt").read_text(encoding="utf-8") == maker().index(), "run python docs/make_llms.py"


def test_each_page_has_a_sentence_and_a_way_to_it() -> None:
    lines = re.findall(r"^- \[(.+)\]\((.+)\): (.+[.!?])$", maker().index(), re.MULTILINE)
    assert len(lines) == len(maker().pages())
    assert all((ROOT / way).is_file() and len(sentence) < 300 for _, way, sentence in lines)


def test_the_full_text_has_every_page(tmp_path: Path) -> None:
    maker().write(tmp_path)
    text = (tmp_path / "llms-full.txt").read_text(encoding="utf-8")
    assert all(page.read_text(encoding="utf-8") in text for page in maker().pages())
    assert (tmp_path / "llms.txt").read_text(encoding="utf-8") == maker().index()


def test_the_site_has_every_page_once() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"- (?:\w+: )?(\w+\.md)$", site, re.MULTILINE)
    beside = {"SECURITY.md", "CONTRIBUTING.md"}  # docs/make_site.py adds them
    assert sorted(named) == sorted({page.name for page in (ROOT / "docs").glob("*.md")} | beside)
