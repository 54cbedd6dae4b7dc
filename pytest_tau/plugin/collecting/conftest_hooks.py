"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root.

pytest goes by a test's file. The file of a built-in or public task lies outside the project, where no conftest.py of
the project is above it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..settings.options import project_root
from .task_files import virtual_nodeid


def hooks_of(item: pytest.Item) -> Any:
    """The hooks for this test."""
    config = item.config
    if virtual_nodeid(config, item.path) is None:
        return item.ihook
    plugins = config.pluginmanager.get_plugins()
    known = config.stash.get(_ROOT, None)
    if known is None or known.plugins != plugins:
        known = config.stash[_ROOT] = _RootHooks(config, plugins)
    return known


class _RootHooks:
    """The hooks of all these plugins but conftest.py files below the project's root."""

    def __init__(self, config: pytest.Config, plugins: set[Any]) -> None:
        root = project_root(config)
        self.plugins = plugins
        self._manager = config.pluginmanager
        self._below = [
            plugin
            for plugin in plugins
            if (file := Path(getattr(plugin, "__file__", None) or "")).name == "conftest.py"
            and file.parent not in (root, *root.parents)
        ]

    def __getattr__(self, name: str) -> Any:
        return self._manager.subset_hook_caller(name, self._below)


_ROOT = pytest.StashKey[_RootHooks]()
