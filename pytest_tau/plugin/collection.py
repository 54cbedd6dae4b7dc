"""Task files become test items: k trials of each task, by parametrizing the one test function of ``suite``.

Brackets in node IDs come from parametrizing only, never from names, so that ``--lf``, ``-k`` and ids work; and the
parameter is a short string, so that nothing that reads parameters gets a whole task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from .options import project_root, settings
from .suites import find_domain, is_public, virtual_nodeid

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.task import Task


@dataclass(frozen=True)
class Slot:
    """One trial of one task, waiting to be run."""

    task: Task
    domain: Domain
    trial: int


_SLOTS = pytest.StashKey[dict[str, Slot]]()
_SEEN = pytest.StashKey[dict[tuple[str, str], Path]]()
_TAKEN = pytest.StashKey[dict[str, int]]()


def slot_for(config: pytest.Config, key: str) -> Slot:
    """The trial that a parameter stands for."""
    return config.stash[_SLOTS][key]


class TaskFile(pytest.Module):
    """A JSON file of tasks, collected as a module whose only test runs them."""

    tasks: list[tuple[Task, Domain]]
    single: bool

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Read the tasks, then collect the test function for them; raises CollectError with one sentence."""
        from ..errors import TauError
        from . import suite

        try:
            self.tasks = list(self._load())
        except TauError as error:
            raise self.CollectError(str(error)) from None
        if not self.tasks:
            return []
        self.obj = suite
        return super().collect()

    def _load(self) -> Iterator[tuple[Task, Domain]]:
        from ..environment.tasks import public_tasks, read_tasks
        from ..errors import TaskError

        chosen = settings(self.config)
        public, solo = is_public(self.config, self.path), chosen.mode == "solo"
        if public:
            tasks = public_tasks(self.path.parent.parent, self.path.parent.name, chosen.split)
        else:
            tasks = read_tasks(self.path)
        self.single = len(tasks) == 1 and not public
        for name, group in _by_domain(tasks, self.path, public=public).items():
            domain = find_domain(self.config, name, public=public)
            if solo and not domain.spec.solo:
                raise TaskError(f"the domain '{name}' has no solo mode; leave --tau-mode out")
            self.config.hook.pytest_tau_modify_tasks(config=self.config, domain=name, tasks=group)
            for task in group:
                # Without a ticket there is nothing for an agent to work from alone.
                if (task.ticket or not solo) and self._is_chosen(task, chosen.tasks):
                    if not domain.parity:
                        _refuse_unknown(task, domain, self.path)
                    if (first := self._first_with(task.id)) != self.path:
                        raise TaskError(f"{self.path}: the id '{task.id}' is taken by {first}; ids differ in a suite")
                    yield task, domain

    def _is_chosen(self, task: Task, wanted: Sequence[str]) -> bool:
        if len(wanted) == 1 and wanted[0].isdigit():
            suite = self._suite()
            taken = self.config.stash.setdefault(_TAKEN, {})
            taken[suite] = taken.get(suite, 0) + 1
            return taken[suite] <= int(wanted[0])
        return not wanted or any(fnmatchcase(task.id, pattern) or task.id == pattern for pattern in wanted)

    def _first_with(self, task_id: str) -> Path:
        seen = self.config.stash.setdefault(_SEEN, {})
        return seen.setdefault((self._suite(), task_id), self.path)

    def _suite(self) -> str:
        return str(self.path.parent)


def collect_file(path: Path, parent: pytest.Collector) -> TaskFile:
    """The collector for a task file."""
    nodeid = virtual_nodeid(parent.config, path)
    extra: dict[str, Any] = {} if nodeid is None else {"nodeid": nodeid}
    return TaskFile.from_parent(parent, path=path, **extra)


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test that uses the tau fixtures its trials: those of its file, or of its ``tau`` marker."""
    if "tau_slot" not in metafunc.fixturenames:
        return
    config = metafunc.config
    file = metafunc.definition.getparent(TaskFile)
    marker = metafunc.definition.get_closest_marker("tau")
    single = False
    if file is not None:
        tasks, single, k = file.tasks, file.single, settings(config).k
    elif marker is None:
        name = metafunc.definition.name
        pytest.fail(
            f"{name} uses tau fixtures: say of which tasks, as in @pytest.mark.tau(domain='retail')", pytrace=False
        )
    else:
        tasks, k = _marked(config, **marker.kwargs)
    slots = config.stash.setdefault(_SLOTS, {})
    parameters = []
    for task, domain in tasks:
        marks = [_tag(config, tag) for tag in task.tags]
        for trial in range(1, k + 1):
            key = f"{metafunc.definition.nodeid}/{task.id}#{trial}"
            slots[key] = Slot(task, domain, trial)
            shown = f"trial{trial}" if single else f"{task.id}-trial{trial}"
            parameters.append(pytest.param(key, id=shown, marks=marks))
    metafunc.parametrize("tau_slot", parameters, indirect=True)


def _marked(
    config: pytest.Config,
    domain: str,
    tasks: Sequence[str] | str | int | None = None,
    k: int | None = None,
) -> tuple[list[tuple[Task, Domain]], int]:
    """The tasks that a marker names, and how many trials of each."""
    from ..environment.tasks import load_tasks
    from ..errors import TauError
    from .suites import REGISTRY

    own = project_root(config) / "tasks" / domain
    suite = own if own.exists() else config.stash[REGISTRY].tasks.get(domain, domain)
    patterns = [tasks] if isinstance(tasks, str) else tasks
    try:
        found = load_tasks(suite)
        loaded = find_domain(config, domain, public=False)
    except TauError as error:
        pytest.fail(str(error), pytrace=False)
    config.hook.pytest_tau_modify_tasks(config=config, domain=domain, tasks=found)
    if isinstance(patterns, int):
        found = found[:patterns]
    elif patterns is not None:
        for pattern in patterns:
            if not any(fnmatchcase(task.id, pattern) for task in found):
                pytest.fail(f"@pytest.mark.tau: no task of '{domain}' matches '{pattern}'", pytrace=False)
        found = [task for task in found if any(fnmatchcase(task.id, pattern) for pattern in patterns)]
    return [(task, loaded) for task in found], settings(config).k if k is None else k


def _by_domain(tasks: list[Task], path: Path, *, public: bool) -> dict[str, list[Task]]:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        # In the public data the folder is the domain, whatever a task's text says.
        name = path.parent.name if public else task.domain_name or path.parent.name
        groups.setdefault(name, []).append(task)
    return groups


def _refuse_unknown(task: Task, domain: Domain, path: Path) -> None:
    from ..environment.tasks import task_problems
    from ..errors import TaskError

    for problem in task_problems(task, domain):
        raise TaskError(f"{path}: task '{task.id}': {problem}")


def _tag(config: pytest.Config, tag: str) -> pytest.MarkDecorator:
    """A task's tag as a marker, known to pytest so that ``--strict-markers`` accepts it."""
    line = f"{tag}: a tag of tau tasks"
    if line not in config.getini("markers"):
        config.addinivalue_line("markers", line)
    return cast(pytest.MarkDecorator, getattr(pytest.mark, tag))
