"""The page of the Python API is what its docstrings say."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest_tau

DOCS = Path(__file__).parent.parent.parent / "docs"


def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_api", DOCS / "make_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    assert (DOCS / "api.md").read_text(encoding="utf-8") == maker().page(), "run python docs/make_api.py"


def test_what_returns_its_own_class_names_it() -> None:
    page = maker().page()
    assert "`in_episode(self, number: int) -> Task`" in page
    assert "Self" not in page


def test_every_public_name_has_a_section_and_says_something() -> None:
    sections = {part.partition("\n")[0]: part for part in maker().page().split("\n## ")[1:]}
    assert list(sections) == pytest_tau.__all__
    for name, section in sections.items():
        assert len(section) > 40, name


def test_the_example_of_the_page_raises_nothing() -> None:
    code = maker().HEAD.partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "docs/api.md", "exec"), {})  # noqa: S102 (our own page)
