"""What a project's ``conftest.py`` brings for logs: a reader of its own format, and a finder of personal values."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_tau.errors import SettingsError, from_where

READS, FINDS = "pytest_tau_read_conversations", "pytest_tau_find_personal"
Finder = Callable[[str], Iterable[tuple[str, str]]]


@dataclass(frozen=True)
class ProjectHooks:
    """The hooks that there are: ``readers`` of logs, and ``find``, which gives kind and value."""

    readers: tuple[Callable[[Path], Any], ...] = ()
    find: Finder | None = None


def project_hooks(project: Path) -> ProjectHooks:
    """The hooks in ``conftest.py`` of a project's folder, where it has them.

    The file is only executed where it names one: it may import what this command does not need.

    Raises:
        SettingsError: the file cannot be imported.
    """
    file = project / "conftest.py"
    try:
        text = file.read_bytes()  # in whatever encoding it says
    except OSError:
        return ProjectHooks()
    if READS.encode() not in text and FINDS.encode() not in text:
        return ProjectHooks()
    spec = importlib.util.spec_from_file_location("pytest_tau_project_conftest", file)
    if spec is None or spec.loader is None:
        return ProjectHooks()
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # somebody's own file
        raise SettingsError(f"{file}: its hooks cannot be loaded: {from_where(error)}") from None
    read, find = getattr(module, READS, None), getattr(module, FINDS, None)
    readers = (lambda path: read(path=path),) if callable(read) else ()
    return ProjectHooks(readers, _guarded(find, file) if callable(find) else None)


def _guarded(find: Callable[..., Any], file: Path) -> Finder:
    """The finder; what is wrong with it is a sentence, and nothing is written then."""

    def found(text: str) -> list[tuple[str, str]]:
        try:
            return [(str(kind), str(value)) for kind, value in find(text=text) or ()]
        except Exception as error:  # somebody's own code
            raise SettingsError(f"{file}: {FINDS} failed: {from_where(error)}") from None

    return found
