"""Which tasks an environment of a built-in domain draws from."""

from __future__ import annotations

from ..environment.folders import builtin_folder
from ..environment.tasks import load_tasks, read_splits, suite_files
from ..schema.task import Task


def own_tasks(domain: str) -> list[Task]:
    """The tasks of a built-in domain's suite that are played for a first try."""
    suite = builtin_folder("tasks", domain)
    splits = read_splits(suite_files(suite)[0]) or {}
    return load_tasks(suite, split="core" if "core" in splits else None)
