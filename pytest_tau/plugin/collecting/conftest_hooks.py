"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root.

pytest goes by a test's file. The file of a built-in or public task lies outside the project, where no conftest.py of
the project is above it, and so does a recording in the folder of results. :func:`open_root_hooks` makes all of pytest's
own hooks follow the same rule as ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..private import choose_hooks
from ..run import Run, run_of
from .task_files import virtual_nodeid


def hooks_of(item: pytest.Item) -> Any:
    """The hooks for this test."""
    run = run_of(item.config)
    return run.one(_RootHooks).now() if _is_elsewhere(run, item.path) else item.ihook


def open_root_hooks(run: Run, session: pytest.Session) -> None:
    """Let the root's conftest.py see all that pytest does with tests whose files lie elsewhere."""

    def choose(path: Path) -> Any:
        return run.one(_RootHooks).now() if _is_elsewhere(run, path) else None

    choose_hooks(session, choose)


def _is_elsewhere(run: Run, path: Path) -> bool:
    known = run.one(_places)
    if path not in known:
        known[path] = path == run.recorded or (path.suffix == ".json" and virtual_nodeid(run, path) is not None)
    return known[path]


def _places(run: Run) -> dict[Path, bool]:
    """Which paths lie elsewhere, as far as anybody has asked: pytest asks several times a test."""
    return {}


class _RootHooks:
    """The hooks of all plugins but conftest.py files below the project's root."""

    def __init__(self, run: Run) -> None:
        self._above = (run.root, *run.root.parents)
        self._manager = run.config.pluginmanager
        self._plugins: set[Any] = set()
        self._below: list[Any] = []
        self._callers: dict[str, Any] = {}

    def now(self) -> _RootHooks:
        """Those of the plugins that there are by now."""
        plugins = self._manager.get_plugins()
        if plugins != self._plugins:
            self._plugins = plugins
            self._below = [plugin for plugin in plugins if self._is_below(plugin)]
            self._callers.clear()
        return self

    def _is_below(self, plugin: Any) -> bool:
        file = Path(getattr(plugin, "__file__", None) or "")
        return file.name == "conftest.py" and file.parent not in self._above

    def __getattr__(self, name: str) -> Any:
        if name not in self._callers:
            self._callers[name] = self._manager.subset_hook_caller(name, self._below)
        return self._callers[name]
