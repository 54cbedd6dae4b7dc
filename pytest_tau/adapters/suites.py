"""Which tasks an environment of a built-in domain draws from."""

from __future__ import annotations

from collections.abc import Sequence

from ..environment.folders import builtin_folder
from ..environment.tasks import load_tasks, read_splits, suite_files
from ..errors import SettingsError
from ..schema.task import Task


def chosen_tasks(domain: str, tasks: Sequence[Task] | None) -> list[Task]:
    """These tasks, or the domain's own where none are given; raises SettingsError for an empty choice."""
    chosen = own_tasks(domain) if tasks is None else list(tasks)
    if not chosen:
        raise SettingsError(f"no tasks were given for an environment of {domain}: give some, or leave tasks out")
    return chosen


def own_tasks(domain: str) -> list[Task]:
    """The tasks of a built-in domain's suite that are played for a first try."""
    suite = builtin_folder("tasks", domain)
    splits = read_splits(suite_files(suite)[0]) or {}
    return load_tasks(suite, split="core" if "core" in splits else None)
