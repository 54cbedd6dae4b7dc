"""Readers of others' formats: the hook ``pytest_tau_read_conversations`` of a project's ``conftest.py``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_tau.errors import SettingsError, from_where

HOOK = "pytest_tau_read_conversations"


def project_readers(project: Path) -> list[Callable[[Path], Any]]:
    """The reader in ``conftest.py`` of a project's folder, where it has one.

    The file is only executed where it names the hook: it may import what this command does not need.

    Raises:
        SettingsError: the file cannot be imported.
    """
    file = project / "conftest.py"
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    if HOOK not in text:
        return []
    spec = importlib.util.spec_from_file_location("pytest_tau_project_conftest", file)
    if spec is None or spec.loader is None:
        return []
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # somebody's own file
        raise SettingsError(f"{file}: its hook {HOOK} cannot be loaded: {from_where(error)}") from None
    hook = getattr(module, HOOK, None)
    return [lambda path: hook(path=path)] if callable(hook) else []
