"""A world as files: the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tau_workshop.scaffold import files_of, openapi, sqlite
from tau_workshop.scaffold.world import SourceWorld
from tests.workshop.scaffold.sources import kennel, music


@pytest.mark.parametrize(
    "read", [lambda f: sqlite.world("x", music(f / "a.db")), lambda f: openapi.world("x", kennel(f / "a.json"))]
)
def test_the_same_source_gives_the_same_bytes(tmp_path: Path, read: Callable[[Path], SourceWorld]) -> None:
    (tmp_path / "again").mkdir()
    assert files_of(read(tmp_path)) == files_of(read(tmp_path / "again"))
