"""Whose hooks hold for a test: those of the conftest.py files above it, or above the project's root.

pytest goes by a test's file. The file of a built-in, public or registered task lies outside the project, where no
conftest.py of the project is above it, and so does a recording in the folder of results. :func:`open_root_hooks` makes
all of pytest's own hooks follow the same rule as ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..private import choose_hooks
from ..run import Run
from .nodeids import provided_nodeid
from .task_files import paths_of


def open_root_hooks(run: Run, session: pytest.Session) -> None:
    """Let the root's conftest.py see all that pytest does with tests whose files lie elsewhere, if there are any."""
    if run.recorded is None and not any(_lies_elsewhere(run, path) for path in paths_of(run)):
        return
    hooks = _RootHooks(run)
    run.config.pluginmanager.register(hooks)
    choose_hooks(session, hooks.for_path)


def _lies_elsewhere(run: Run, path: Path) -> bool:
    return provided_nodeid(run, path) is not None or not path.is_relative_to(run.root)


class _RootHooks:
    """The hooks of all plugins but conftest.py files that are neither above the project's root nor above the file."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._above = (run.root, *run.root.parents)
        self._hooks: dict[tuple[Path, ...], Any] = {}  # by the folders above the file that count beside the root's
        # Those folders for each path that anybody has asked for, None where pytest's own way holds: pytest asks often.
        self._beside: dict[Path, tuple[Path, ...] | None] = {}

    def pytest_plugin_registered(self) -> None:
        """There is one more, maybe a conftest.py."""
        self._hooks = {}

    def for_path(self, path: Path) -> Any:
        """Those of the plugins that there are by now, for what lies elsewhere; None for what pytest says."""
        if path not in self._beside:
            self._beside[path] = self._folders_beside(path)
        if (beside := self._beside[path]) is None:
            return None
        if beside not in self._hooks:
            manager = self._run.config.pluginmanager
            others = [plugin for plugin in manager.get_plugins() if self._is_of_others(plugin, beside)]
            self._hooks[beside] = _HooksWithout(others, manager)
        return self._hooks[beside]

    def _folders_beside(self, path: Path) -> tuple[Path, ...] | None:
        if path == self._run.recorded:
            return ()
        if path.suffix != ".json" or not _lies_elsewhere(self._run, path):
            return None
        return () if provided_nodeid(self._run, path) is not None else tuple(path.parents)

    def _is_of_others(self, plugin: Any, beside: tuple[Path, ...]) -> bool:
        file = Path(getattr(plugin, "__file__", None) or "")
        return file.name == "conftest.py" and file.parent not in self._above and file.parent not in beside


class _HooksWithout:
    """The hooks of all plugins but some, each made when it is first asked for."""

    def __init__(self, plugins: list[Any], manager: pytest.PytestPluginManager) -> None:
        self._left_out, self._manager = plugins, manager

    def __getattr__(self, name: str) -> Any:
        caller = vars(self)[name] = self._manager.subset_hook_caller(name, self._left_out)
        return caller
