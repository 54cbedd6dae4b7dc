"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root.

pytest goes by a test's file. The file of a built-in or public task lies outside the project, where no conftest.py of
the project is above it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..run import Run, run_of
from .task_files import virtual_nodeid


def hooks_of(item: pytest.Item) -> Any:
    """The hooks for this test."""
    run = run_of(item.config)
    return item.ihook if virtual_nodeid(run, item.path) is None else run.one(_RootHooks).now()


class _RootHooks:
    """The hooks of all plugins but conftest.py files below the project's root."""

    def __init__(self, run: Run) -> None:
        self._above = (run.root, *run.root.parents)
        self._manager = run.config.pluginmanager
        self._plugins: set[Any] = set()
        self._below: list[Any] = []

    def now(self) -> _RootHooks:
        """Those of the plugins that there are by now."""
        plugins = self._manager.get_plugins()
        if plugins != self._plugins:
            self._plugins = plugins
            self._below = [plugin for plugin in plugins if self._is_below(plugin)]
        return self

    def _is_below(self, plugin: Any) -> bool:
        file = Path(getattr(plugin, "__file__", None) or "")
        return file.name == "conftest.py" and file.parent not in self._above

    def __getattr__(self, name: str) -> Any:
        return self._manager.subset_hook_caller(name, self._below)
