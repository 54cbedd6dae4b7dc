"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root.

pytest goes by a test's file. The file of a built-in or public task lies outside the project, where no conftest.py of
the project is above it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .options import project_root
from .suites import virtual_nodeid


def hooks_of(item: pytest.Item) -> Any:
    """The hooks for this test."""
    if virtual_nodeid(item.config, item.path) is None:
        return item.ihook
    return _RootHooks(item.config)


class _RootHooks:
    """The hooks of all plugins but conftest.py files below the project's root."""

    def __init__(self, config: pytest.Config) -> None:
        root = project_root(config)
        self._manager = config.pluginmanager
        self._below = [
            plugin
            for plugin in self._manager.get_plugins()
            if (file := Path(getattr(plugin, "__file__", None) or "")).name == "conftest.py"
            and file.parent not in (root, *root.parents)
        ]

    def __getattr__(self, name: str) -> Any:
        return self._manager.subset_hook_caller(name, self._below)
