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
from ..run import Run
from .task_files import paths_of, virtual_nodeid


def open_root_hooks(run: Run, session: pytest.Session) -> None:
    """Let the root's conftest.py see all that pytest does with tests whose files lie elsewhere, if there are any."""
    if run.recorded is None and not any(virtual_nodeid(run, path) for path in paths_of(run)):
        return
    hooks = _RootHooks(run)
    run.config.pluginmanager.register(hooks)
    choose_hooks(session, hooks.for_path)


class _RootHooks:
    """The hooks of all plugins but conftest.py files below the project's root."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._above = (run.root, *run.root.parents)
        self._hooks: Any = None
        self._elsewhere: dict[Path, bool] = {}  # which paths are, as far as anybody has asked: pytest asks often

    def pytest_plugin_registered(self) -> None:
        """There is one more, maybe a conftest.py."""
        self._hooks = None

    def for_path(self, path: Path) -> Any:
        """Those of the plugins that there are by now, for what lies elsewhere; None for what pytest says."""
        if path not in self._elsewhere:
            virtual = path.suffix == ".json" and virtual_nodeid(self._run, path) is not None
            self._elsewhere[path] = virtual or path == self._run.recorded
        if not self._elsewhere[path]:
            return None
        if self._hooks is None:
            manager = self._run.config.pluginmanager
            below = [plugin for plugin in manager.get_plugins() if self._is_below(plugin)]
            self._hooks = _HooksWithout(below, manager)
        return self._hooks

    def _is_below(self, plugin: Any) -> bool:
        file = Path(getattr(plugin, "__file__", None) or "")
        return file.name == "conftest.py" and file.parent not in self._above


class _HooksWithout:
    """The hooks of all plugins but some, each made when it is first asked for."""

    def __init__(self, plugins: list[Any], manager: pytest.PytestPluginManager) -> None:
        self._left_out, self._manager = plugins, manager

    def __getattr__(self, name: str) -> Any:
        caller = vars(self)[name] = self._manager.subset_hook_caller(name, self._left_out)
        return caller
