"""Begins a domain: from nothing, or from what somebody has already (a database, an OpenAPI file, functions, MCP).

A source is read into a :class:`.world.SourceWorld`: tables with their records, and tools as short methods. :mod:`.code`
writes a world as the files of a domain, with two tasks that can be played at once. Texts of a source are data: they
reach the files as literals and comments, never as code.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pytest_tau.environment.folders import builtin_names
from pytest_tau.errors import SettingsError

from .code import files_of
from .world import SourceWorld

__all__ = ["SourceWorld", "files_of", "refuse_builtin", "refuse_taken", "write"]


def refuse_builtin(name: str) -> None:
    """Raise SettingsError for the name of a built-in domain."""
    if name in builtin_names("domains"):
        raise SettingsError(f"there is a built-in domain '{name}', and yours would take its place: choose another name")


def refuse_taken(paths: Iterable[str], root: Path) -> None:
    """Raise SettingsError for the first of some paths below a folder at which there is something already."""
    if taken := next((path for path in paths if os.path.lexists(root / path)), None):
        raise SettingsError(f"{root / taken} already exists; choose another name, or another folder with -o")


def write(files: dict[str, str], root: Path) -> list[Path]:
    """Write files below a folder, all or none.

    Returns:
        Their paths.

    Raises:
        SettingsError: one of them is there already, or cannot be written.
    """
    refuse_taken(files, root)
    written = []
    for path, text in files.items():
        file = root / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as made:  # and follow no link that came in between
                made.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise SettingsError(f"{file} cannot be written: {error.strerror}") from None
        written.append(file)
    return written
