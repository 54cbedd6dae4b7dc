"""What the pages name exists, and what exists is named: options, hooks, fixtures, links, packages, defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_tau.diagnosis.left_early import UNTRANSFERRED
from pytest_tau.diagnosis.user_audit import RULES, SPOILING
from pytest_tau.diagnosis.withheld import DENIED, LEFT_OUT, TOO_EARLY
from pytest_tau.plugin import fixtures, hookspecs
from pytest_tau.plugin.settings.options import ACTIONS, HELP, OPTIONS
from pytest_tau.plugin.settings.reading import Settings
from pytest_tau.plugin.settings.values import EXPORTS
from pytest_tau.schema.record import FaultKind

from .markdown import PAGES, ROOT, blocks, links, table

PYTEST_PAGE = ROOT / "docs" / "pytest.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "pytest_tau"


@pytest.fixture
def flags() -> set[str]:
    """Every option of ours."""
    return {option.flag for option in (*OPTIONS, *ACTIONS)}


def _option_rows() -> dict[str, str]:
    """The options of the table, with their default."""
    return {row[0].strip("`").split(" ")[0]: row[1].strip("`") for row in table(PYTEST_PAGE, "option")}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_option_that_a_page_names_exists(page: Path, flags: set[str]) -> None:
    named = set(re.findall(r"--tau(?:-[a-z]+)+", page.read_text(encoding="utf-8")))
    assert named <= flags | {HELP}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_kind_of_export_stands_before_a_colon(page: Path) -> None:
    named = re.findall(r"--tau-export (\w+)([:=])", page.read_text(encoding="utf-8"))
    assert set(named) <= {(kind, ":") for kind in EXPORTS}


def test_every_option_is_in_the_table(flags: set[str]) -> None:
    assert set(_option_rows()) == flags


def test_the_table_gives_the_real_defaults() -> None:
    defaults = {name: value for name, value in vars(Settings).items() if not name.startswith("_")}
    rows = {flag.removeprefix("--tau-").replace("-", "_"): default for flag, default in _option_rows().items()}
    numbers = {name: float(default) for name, default in rows.items() if default.isdecimal()}
    assert numbers == {
        name: value
        for name, value in defaults.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and name in rows
    }
    texts = {name: rows[name] for name in ("mode", "results", "inconclusive", "miss_as")}
    assert texts == {name: defaults[name] for name in texts}


def test_every_hook_is_in_the_table() -> None:
    specs = {name for name in vars(hookspecs) if name.startswith("pytest_tau_")}
    assert {row[0].strip("`").partition("(")[0] for row in table(PYTEST_PAGE, "hook")} == specs


def test_every_rule_of_the_user_audit_is_in_the_table() -> None:
    page = ROOT / "docs" / "grading.md"
    assert {row[0] for row in table(page, "rule")} == {*RULES, *SPOILING, UNTRANSFERRED, LEFT_OUT, DENIED, TOO_EARLY}


def test_every_fault_is_in_the_table() -> None:
    page = ROOT / "docs" / "statistics.md"
    assert {row[0] for row in table(page, "fault")} == {kind.label for kind in FaultKind}


def test_every_fixture_is_named() -> None:
    text = PYTEST_PAGE.read_text(encoding="utf-8")
    names = [name for name in vars(fixtures) if name.startswith("tau_")]
    assert names
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert [str(target) for target in links(page) if not target.exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_anchors_of_links_are_headings(page: Path) -> None:
    found = re.findall(r"(?<!!)\[[^\]]*\]\((?!https?:)([^)#\s]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / target if target else page, anchor) for target, anchor in found]
    assert [f"{target}#{anchor}" for target, anchor in targets if anchor not in _anchors(target)] == []


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_layout_shows_every_package_and_no_other() -> None:
    ours = _layout().partition("\nworkshop/\n")[0]
    shown = set(re.findall(r"^  (\w+)/", ours, re.MULTILINE))
    assert shown == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_the_layout_names_every_module_at_the_top_of_the_package() -> None:
    (files,) = re.findall(r"^  \(files\)(.*?)^\w", _layout(), re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"\w+\.py", files)) == {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py"}


def _layout() -> str:
    return blocks(ARCHITECTURE.read_text(encoding="utf-8"), "text")[1]
