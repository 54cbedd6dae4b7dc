"""Hooks that only the controlling process calls, in a conftest.py that it does not know.

It collects nothing, so it has loaded the conftest.py files above the command line's arguments only. A worker loads the
others as it collects, and calls none of these hooks.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from ..run import Run

_HOOKS = ("pytest_tau_trial_finished", "pytest_tau_summary")


def note_known(run: Run) -> None:
    """Remember, before anything is collected, which of these hooks there are: the controlling process has them too."""
    run.one(_known).update(map(id, _plugins(run)))


def warn_of_unheard(run: Run) -> None:
    """Warn of each that has come with what was collected."""
    known = run.one(_known)
    for name in _HOOKS:
        for plugin in _plugins(run, name):
            file = Path(getattr(plugin, "__file__", None) or "")
            if id(plugin) not in known and file.name == "conftest.py" and file.parent != run.root:
                here = file.relative_to(run.root).as_posix() if file.is_relative_to(run.root) else str(file)
                warnings.warn(
                    f"{name} of {here} is not called under -n: move it to {run.root / 'conftest.py'}", stacklevel=2
                )


def _known(run: Run) -> set[int]:
    """The plugins with one of these hooks that were there from the beginning."""
    return set()


def _plugins(run: Run, *names: str) -> list[Any]:
    return [impl.plugin for name in names or _HOOKS for impl in getattr(run.config.hook, name).get_hookimpls()]
