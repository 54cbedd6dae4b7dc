"""The tasks of a test in Python, which names them in ``@pytest.mark.tau``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ...environment.tasks import read_tasks
from ...errors import TauError
from ..run import Run
from .domains import find_domain
from .playable import by_domain, playable, refuse_taken, refuse_unfit_task
from .task_files import is_suite, matches, own_suite

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task

_MOST = 10_000  # trials of a task, as with --tau-k


def marked_twice(test: pytest.Item) -> str | None:
    """The name of what has several ``tau`` markers, of its own or inherited, where that is what a test goes by."""
    nodes = [node for node, _ in test.iter_markers_with_node("tau")]
    return nodes[0].name if nodes.count(nodes[0]) > 1 else None


def marker_tasks(run: Run, marker: pytest.Mark, test: pytest.Item) -> tuple[list[tuple[Task, Domain]], int]:
    """The tasks that a test's marker names, and how many trials of each."""
    name, k, patterns = _read_marker(marker)
    if k is not None and not run.settings.divides(k):
        customers = run.settings.user_seeds or 0
        pytest.fail(
            f"@pytest.mark.tau: k={k} cannot be divided among --tau-user-seeds {customers}: each customer must meet "
            f"two trials or more, and as many: write k={2 * customers} or k={3 * customers}, or leave k out",
            pytrace=False,
        )
    try:
        found = _left_by_hooks(run, name, test)
    except TauError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None  # pytest.fail() would show both
    if isinstance(patterns, int):
        found = found[:patterns]
    elif patterns is not None:
        for pattern in patterns:
            if not any(matches(task.id, pattern) for task, _ in found):
                pytest.fail(f"@pytest.mark.tau: no task of '{name}' matches '{pattern}'", pytrace=False)
        found = [(task, domain) for task, domain in found if any(matches(task.id, pattern) for pattern in patterns)]
    return found, run.settings.k if k is None else k


def _suite(run: Run, name: str) -> list[tuple[Task, Domain]]:
    """The tasks of a domain, or of a suite that has another name than its domains; raises TauError."""
    known = run.one(_suites)
    if name not in known:
        # Of a name that is neither, the sentence about domains says more than that about files.
        only = None if is_suite(run, name) else find_domain(run, name, public=False)
        found: list[tuple[Task, Domain]] = []
        files: dict[tuple[Domain, str], Path] = {}
        for file in own_suite(run, name):
            tasks = read_tasks(file)
            groups = by_domain(tasks, file, public=False) if only is None else {name: tasks}
            for own, group in groups.items():
                domain = only or find_domain(run, own, public=False)
                for task in group:
                    refuse_taken(files.setdefault((domain, task.id), file), task, file)
                    found.append((task, domain))
        known[name] = found
    return known[name]


def _left_by_hooks(run: Run, name: str, test: pytest.Item) -> list[tuple[Task, Domain]]:
    """What the hooks leave of a suite for a test, once for all tests in its folder; raises TauError."""
    known, place = run.one(_left), (name, test.path.parent)
    if place not in known:
        found = _suite(run, name)
        left: list[tuple[Task, Domain]] = []
        for domain in dict.fromkeys(domain for _, domain in found):
            tasks = playable(run, domain, [task for task, its in found if its is domain], test.ihook)
            for task in tasks:
                refuse_unfit_task(task, domain, "@pytest.mark.tau")
            left += [(task, domain) for task in tasks]
        known[place] = left
    return known[place]


def _left(run: Run) -> dict[tuple[str, Path], list[tuple[Task, Domain]]]:
    """What hooks leave of suites that markers name, by name and the folder of the tests."""
    return {}


def _suites(run: Run) -> dict[str, list[tuple[Task, Domain]]]:
    """The tasks of the domains and suites that markers name: read once for all tests."""
    return {}


def _read_marker(marker: pytest.Mark) -> tuple[str, int | None, Sequence[str] | int | None]:
    """What a marker says: domain, trials and tasks; fails the collection where that cannot be."""
    given = dict(marker.kwargs)
    domain, k, tasks = given.pop("domain", None), given.pop("k", None), given.pop("tasks", None)
    example = "as in @pytest.mark.tau(domain='retail', tasks=['exchange_*'], k=4)"
    if marker.args or given or not isinstance(domain, str):
        pytest.fail(f"@pytest.mark.tau takes domain, and maybe tasks and k, by name, {example}", pytrace=False)
    if k is not None and not (isinstance(k, int) and 1 <= k <= _MOST):
        pytest.fail(f"@pytest.mark.tau: k must be a whole number from 1 to {_MOST}, not {k!r}", pytrace=False)
    if isinstance(tasks, str):
        tasks = [tasks]
    if not (
        tasks is None
        or (isinstance(tasks, int) and tasks >= 1)
        or (isinstance(tasks, (list, tuple)) and tasks and all(isinstance(pattern, str) for pattern in tasks))
    ):
        pytest.fail(f"@pytest.mark.tau: tasks must be ids, globs or a number, not {tasks!r}", pytrace=False)
    return domain, k, tasks
