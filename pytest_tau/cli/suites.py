"""The tasks of a domain as a command is given it: a folder, a name, or the public data's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..environment.folders import suggestion
from ..errors import TaskError

if TYPE_CHECKING:
    from ..schema.task import Task


def tasks_of(domain: str, data: str | None = None) -> list[Task]:
    """The tasks of a domain: those in ``./tasks/NAME``, else in ``tasks/NAME`` beside ``domains/``. Raises TauError."""
    from ..environment.domain import find_domain
    from ..environment.tasks import load_tasks, read_tasks, suite_files

    if data is not None:
        return load_tasks(domain, data=data)
    folder = find_domain(domain).resolve()
    own = Path("tasks", domain)  # as in a run, a project's own tasks of a built-in domain come first
    suite = own if domain == folder.name and own.is_dir() else folder.parent.parent / "tasks" / folder.name
    return [task for file in suite_files(suite) for task in read_tasks(file)]


def the_task(tasks: Sequence[Task], wanted: str) -> Task:
    """The task with this id; raises TaskError with the likeliest that was meant."""
    for task in tasks:
        if task.id == wanted:
            return task
    listed = f"; there are {len(tasks)}, and `pytest-tau show` lists them"
    hint = suggestion(wanted, [task.id for task in tasks]) or listed
    raise TaskError(f"there is no task '{wanted}'{hint}")
