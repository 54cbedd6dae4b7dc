"""Who of the project names the players: the fixtures and hooks of its conftest.py files, and which tests they reach.

pytest lets a conftest.py hold for the tests in its folder and below. Built-in and public suites lie outside the
project, so only the conftest.py of its root directory, or above, holds for them.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from ...errors import TauError
from ..collecting.nodeids import provided_nodeid
from ..collecting.task_files import named_suites, paths_of, suite_of
from ..private import fixture_of
from ..run import Run, is_played

SIDES = ("agent", "user")


@dataclass(frozen=True)
class _Source:
    """What names a player.

    Attributes:
        what: a fixture or a hook, as it is called.
        file: the conftest.py it stands in; None for a plugin, which holds for all tests.
        place: the conftest.py as people call it, "" for that of the root directory.
    """

    what: str
    file: Path | None = None
    place: str = ""

    def __str__(self) -> str:
        return f"{self.what} of {self.place}" if self.place else self.what


def sources(run: Run, side: str) -> list[_Source]:
    """What names the agent or the user somewhere in the project, as far as is known, fixtures first."""
    known, now = run.one(_known_sources), (side, frozenset(run.config.pluginmanager.get_plugins()))
    if now not in known:
        known[now] = _find_sources(run, side)
    return known[now]


def _known_sources(run: Run) -> dict[tuple[str, frozenset[Any]], list[_Source]]:
    """What names a side's players where these plugins are registered: asked for often, and only plugins change it."""
    return {}


def _find_sources(run: Run, side: str) -> list[_Source]:
    if run.settings.agent_from_command_line if side == "agent" else run.settings.user_from_command_line:
        return []
    hook = f"pytest_tau_make_{side}"
    found = [
        _source(run, f"the fixture tau_{side}", file)
        for plugin in run.config.pluginmanager.get_plugins()
        if (file := _conftest(plugin)) is not None and hasattr(plugin, f"tau_{side}")
    ]
    plugins = [one.plugin for one in getattr(run.config.hook, hook).get_hookimpls()]
    return [*found, *_unread(run, side), *(_source(run, hook, _conftest(plugin)) for plugin in plugins)]


def from_project(run: Run, side: str) -> str | None:
    """What of the project names the player of any test of this run; None where the settings do for all."""
    found = next((one for one in sources(run, side) if any(_may_hold(run, one, path) for path in _places(run))), None)
    return None if found is None else str(found)


def source_of(run: Run, side: str, file: Path) -> _Source | None:
    """What of the project names the player of a task file's tasks; None where the settings do."""
    return next((one for one in sources(run, side) if _holds(run, one, file)), None)


def suites(run: Run) -> dict[str, Path]:
    """The suites of a run, each with one of its files: of its domains, and those that arguments name beside them."""
    return run.one(_suites)


def _suites(run: Run) -> dict[str, Path]:
    found: dict[str, Path] = {}
    theirs: set[Path] = set()
    for name in run.domains:
        with suppress(TauError, IndexError):  # what is wrong with it, collection says
            files = suite_of(run, name)
            theirs.update(files)
            found[name] = files[0]
    return {**{name: path for name, path in named_suites(run).items() if path not in theirs}, **found}


def out_of_reach(run: Run) -> list[str]:
    """A sentence for each fixture or hook that no test of this run can see, as far as its files tell."""
    return [
        _sentence(run, one)
        for side in SIDES
        for one in sources(run, side)
        if not any(_may_hold(run, one, path) for path in _places(run))
    ]


def find_unused(run: Run, items: Iterable[pytest.Item]) -> list[str]:
    """A sentence for each fixture that plays no trial, though the settings' player plays some; of those in sight."""
    known, found = {*out_of_reach(run)}, []
    trials = [item for item in items if is_played(item)]
    for side in SIDES:
        theirs = {one.file: one for one in sources(run, side) if one.what.startswith("the fixture")}
        defined = {_file_of(item, f"tau_{side}") for item in trials} if theirs else set()
        if defined - theirs.keys():
            found += [_sentence(run, one) for file, one in theirs.items() if file not in defined]
    return [sentence for sentence in found if sentence not in known]


def refuse_stranger(run: Run, item: pytest.Item, name: str) -> None:
    """Fail a trial that would be played by the fixture of another project of the same call.

    pytest lets a conftest.py that lies beside its root directory hold for all tests.
    """
    file = _file_of(item, name)
    if file is None or run.root in file.parents or file.parent in run.root.parents:
        return
    if run.config.pluginmanager.has_plugin(str(file)):  # and not a plugin, which may hold for all
        pytest.fail(
            f"the fixture {name} of {file} would play this trial of another project: {run.root} is pytest's root "
            f"directory; put a pytest.ini above both, with the folders of tasks in tau_task_dirs, or run each alone",
            pytrace=False,
        )


def _sentence(run: Run, source: _Source) -> str:
    folder = source.file.parent if source.file is not None else run.root
    here = folder.relative_to(run.root).as_posix() if folder.is_relative_to(run.root) else str(folder)
    return (
        f"(!) {source} plays no trial of this run: it holds for tests in {here}/ only; for built-in, public and "
        f"recorded suites move it to {run.root / 'conftest.py'}"
    )


def _file_of(item: pytest.Item, name: str) -> Path | None:
    fixture = fixture_of(item, name)
    return None if fixture is None else _file_with(fixture.func)


@lru_cache(maxsize=64)
def _file_with(function: Callable[..., Any]) -> Path:
    return Path(inspect.getfile(function))


def _conftest(plugin: Any) -> Path | None:
    file: str = getattr(plugin, "__file__", None) or ""
    return Path(file) if os.path.basename(file) == "conftest.py" else None  # asked of every plugin, many times a run


def _source(run: Run, what: str, file: Path | None) -> _Source:
    if file is None or file.parent == run.root or file.parent in run.root.parents:
        return _Source(what, file)
    return _Source(what, file, file.relative_to(run.root).as_posix() if file.is_relative_to(run.root) else str(file))


def _unread(run: Run, side: str) -> Iterator[_Source]:
    """Those of conftest.py files that pytest has not imported yet, as their text has them."""
    read = {_conftest(plugin) for plugin in run.config.pluginmanager.get_plugins()}
    above = {folder for path in _places(run) for folder in (path, *path.parents) if run.root in folder.parents}
    for folder in sorted(above, key=lambda one: -len(one.parts)):
        file = folder / "conftest.py"
        if file not in read and file.is_file():
            with suppress(OSError, UnicodeDecodeError):
                text = file.read_text(encoding="utf-8")
                for name, what in ((f"tau_{side}", "the fixture "), (f"pytest_tau_make_{side}", "")):
                    if re.search(rf"\b{name}\b", text):
                        yield _source(run, what + name, file)


def _places(run: Run) -> list[Path]:
    """Where the tests of this run lie: the folders and files that were named, of a folder's files one."""
    return list({(path if path.is_dir() else path.parent): path for path in paths_of(run)}.values())


def _may_hold(run: Run, source: _Source, path: Path) -> bool:
    """Whether it holds for a file, or for some test in a folder."""
    return _holds(run, source, path) or (source.file is not None and path in source.file.parents)


def _holds(run: Run, source: _Source, path: Path) -> bool:
    if not source.place or source.file is None:
        return True
    return provided_nodeid(run, path) is None and source.file.parent in (path, *path.parents)
