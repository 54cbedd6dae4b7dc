"""The page about snapshots, followed from top to bottom: its commands print, and its files hold, what it shows."""

import importlib
import re
import shlex

import pytest

from tests.conftest import PLUGINS

from .markdown import ROOT, blocks, files, sessions, table

importlib.import_module("pytest_tau.plugin.integrations.snapshot_files")  # see tests/plugin/inner.py
PAGE = ROOT / "docs" / "snapshots.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    return (*PLUGINS, "syrupy")


def test_the_page_from_top_to_bottom(pytester: pytest.Pytester) -> None:
    for name, body in files(PAGE).items():
        (pytester.path / name).write_text(body, encoding="utf-8")
    followed = sessions(PAGE)
    assert len(followed) == 3
    for session in followed:
        program, *arguments = shlex.split(session.command)
        assert program == "pytest"
        assert session.missing(pytester.runpytest(*arguments).stdout.str()) is None
    (named,) = re.findall(r"`(snapshots/\S+)` is then:", TEXT)
    assert (pytester.path / named).read_text(encoding="utf-8") == blocks(TEXT, "text")[0]


def test_the_paths_of_the_table() -> None:
    from pytest_tau.plugin.integrations.snapshot_files import FOLDER, snapshot_path

    rows = [[cell.strip("`") for cell in row] for row in table(PAGE, "test")]
    assert len(rows) == 4
    assert [f"{FOLDER}/{snapshot_path(nodeid, 'tools')}" for nodeid, _ in rows] == [file for _, file in rows]
