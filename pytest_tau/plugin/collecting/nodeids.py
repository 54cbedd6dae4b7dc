"""The node IDs of task files that lie outside of the project.

A suite lives in the project (``tasks/retail/…``), in the package or where it is registered (``tau/retail/…``, equal
from every directory), or in the public data (``tau2/retail/tasks.json``). Any other file goes by its path from the root
directory.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ...files import resolve
from ..run import BUILTIN, PUBLIC, Run, below_root
from .domains import data_root, registry


def nodeid_of(run: Run, path: Path) -> str | None:
    """The node ID of a task file, None where pytest's own will do: below its root directory.

    Of others pytest says only how they lie below an argument, so that files of several suites would go by one name.
    """
    virtual = virtual_nodeid(run, path)
    if virtual is not None or path.is_relative_to(run.config.rootpath):
        return virtual
    with suppress(ValueError):  # on another drive of Windows
        path = Path(os.path.relpath(path, resolve(run.root)))
    return path.as_posix()


def virtual_nodeid(run: Run, path: Path) -> str | None:
    """The node ID of a file of a built-in, public or registered suite; None for any other, and for the project's."""
    given = provided_nodeid(run, path)
    if given is not None or path.is_relative_to(run.root):
        return given
    for name, suite in run.one(_registered).items():
        if path.is_relative_to(suite):
            return f"{BUILTIN}/{name}/{path.relative_to(suite).as_posix() if path != suite else path.name}"
    return None


def provided_nodeid(run: Run, path: Path) -> str | None:
    """The node ID of a file that is built in or belongs to the public data, None for any other."""
    from ...environment.folders import builtin_root

    if run.root / "tasks" in path.parents:
        return None
    builtin = builtin_root("tasks")
    if builtin in path.parents:
        return f"{BUILTIN}/{path.relative_to(builtin).as_posix()}"
    if is_public(run, path):
        return f"{PUBLIC}/{path.parent.name}/{path.name}"
    return None


def is_public(run: Run, path: Path) -> bool:
    """Whether a task file belongs to the public data that ``--tau-data`` names."""
    data = run.settings.data
    return data is not None and path.name == "tasks.json" and data_root(run) in path.parents


def registered_path(run: Run, below: str) -> Path | None:
    """The file or folder of a registered suite, as its node ID has it below ``tau/``; None where there is none."""
    name, _, rest = below.partition("/")
    suite = run.one(_registered).get(name)
    if suite is None or not rest or (suite.is_file() and rest == suite.name):
        return suite
    return suite / rest if (suite / rest).exists() else None


def registered_suite(run: Run, file: str) -> Path | None:
    """The registered suite that a node ID's file is of; None where it is of none."""
    place, _, below = below_root(file).partition("/")
    known = place == BUILTIN and registered_path(run, below) is not None
    return run.one(_registered)[below.partition("/")[0]] if known else None


def _registered(run: Run) -> dict[str, Path]:
    """The folders and files of the suites that are registered, by name."""
    from ...errors import TauError

    with suppress(TauError):  # what is wrong with the hook, collection says
        return {name: resolve(suite) for name, suite in registry(run).tasks.items()}
    return {}
