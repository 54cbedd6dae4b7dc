"""Task files become test items: k trials of each task, by parametrizing the one test function of ``trial_function``.

Brackets in node IDs come from parametrizing only, never from names, so that ``--lf``, ``-k`` and ids work; and the
parameter is a short string, so that nothing that reads parameters gets a whole task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from ...errors import TauError
from ...garbage import lasting
from ...schema.record import split_nodeid
from ..private import parameters_of
from ..run import Run, is_trial, run_of
from .domains import find_domain
from .marker import marked_twice, marker_tasks
from .nodeids import is_public, nodeid_of
from .playable import by_domain, playable, refuse_taken, refuse_unfit_task
from .slot import Slot, slots_by_parameter
from .task_files import matches, tasks_of
from .variants import fits, played_variants, task_in_variant

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task


def _collected_files(run: Run) -> dict[tuple[Domain, str], Path]:
    """The file of each task that was collected."""
    return {}


def _collected_counts(run: Run) -> Counter[Domain]:
    """How many tasks of each domain were collected, as far as that is counted."""
    return Counter()


def slot_for(run: Run, key: str) -> Slot:
    """The trial that a parameter stands for, ready to be played."""
    slot = run.one(slots_by_parameter)[key]
    if not slot.ready and slot.variant is not None:
        made = task_in_variant(run, slot.variant, slot.task, slot.domain, slot.trial)
        slot = run.one(slots_by_parameter)[key] = slot._replace(task=made.task, view=made.view, ready=True)
    return slot


def _warned_files(run: Run) -> set[str]:
    """What has been said of files that cannot be collected."""
    return set()


class TaskFile(pytest.Module):
    """A JSON file of tasks, collected as a module whose only test runs them."""

    tasks: list[tuple[Task, Domain]]
    single: bool

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Read the tasks, then collect the test function for them; raises CollectError with one sentence."""
        from . import trial_function

        with lasting():  # as those of a whole run are; a file that is named by itself begins one only now
            try:
                self.tasks = list(self._load())
            except TauError as error:
                if str(error) in run_of(self.config).one(_warned_files):
                    return []  # the fault of a domain is told once, and not for each of its files
                run_of(self.config).one(_warned_files).add(str(error))
                raise self.CollectError(str(error)) from None
            if not self.tasks:
                return []
            self.obj = trial_function
            return super().collect()

    def _load(self) -> Iterator[tuple[Task, Domain]]:
        run = run_of(self.config)
        public = is_public(run, self.path)
        tasks = tasks_of(run, self.path)
        self.single = len(tasks) == 1 and not public
        for name, group in by_domain(tasks, self.path, public=public).items():
            domain = find_domain(run, name, public=public)
            for task in playable(run, domain, group, self.ihook):
                if self._is_chosen(task, domain):
                    if not domain.parity:
                        refuse_unfit_task(task, domain, str(self.path))
                    refuse_taken(self._first_with(task, domain), task, self.path)
                    yield task, domain

    def _is_chosen(self, task: Task, domain: Domain) -> bool:
        chosen = run_of(self.config).settings
        if chosen.first_tasks is not None:
            taken = run_of(self.config).one(_collected_counts)
            taken[domain] += 1
            return taken[domain] <= chosen.first_tasks
        return not chosen.tasks or any(matches(task.id, pattern) for pattern in chosen.tasks)

    def _first_with(self, task: Task, domain: Domain) -> Path:
        seen = run_of(self.config).one(_collected_files)
        return seen.setdefault((domain, task.id), self.path)


def collect_file(path: Path, parent: pytest.Collector) -> TaskFile:
    """The collector for a task file: the same one as often as pytest asks (see :func:`~.task_files.is_asked`)."""
    run = run_of(parent.config)
    known = run.one(_collectors)
    if (parent, path) not in known:
        nodeid = nodeid_of(run, path)
        extra: dict[str, Any] = {} if nodeid is None else {"nodeid": nodeid}
        known[parent, path] = TaskFile.from_parent(parent, path=path, **extra)
    return known[parent, path]


def _collectors(run: Run) -> dict[tuple[pytest.Collector, Path], TaskFile]:
    """The collectors of task files, by their folder's and their own path."""
    return {}


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give a test that uses the tau fixtures its trials: those of its file, or of its ``tau`` marker."""
    run = run_of(metafunc.config)
    file = metafunc.definition.getparent(TaskFile)
    marker = metafunc.definition.get_closest_marker("tau")
    single, suite = False, None
    if file is not None:
        tasks, single, k = file.tasks, file.single, run.settings.k
    elif marker is None:
        name = metafunc.definition.name
        pytest.fail(
            f"{name} uses tau fixtures: say of which tasks, as in @pytest.mark.tau(domain='retail')", pytrace=False
        )
    elif (marked := marked_twice(metafunc.definition)) is not None:
        pytest.fail(f"{marked} has more than one @pytest.mark.tau: give each a test of its own", pytrace=False)
    else:
        try:
            tasks, k = marker_tasks(run, marker, metafunc.definition)
        except pytest.fail.Exception as error:
            raise pytest.fail.Exception(f"{metafunc.definition.name}: {error.msg}", pytrace=False) from None
        suite = marker.kwargs["domain"]
    parameters = []
    test, slots = metafunc.definition.nodeid, run.one(slots_by_parameter)
    agents, others = run.settings.agent_labels or ("",), played_variants(run)
    number = Counter(task.id for task, _ in tasks)  # ids differ in a domain, but a suite may be of several
    for task, domain in tasks:
        marks = tag_marks(run, task) if task.tags else ()
        its = None if suite == domain.name else suite
        fitting = [None, *(variant for variant in others if fits(run, variant, task, domain))]
        for agent, variant in product(agents, fitting):
            # What tells trials apart stands before the task: so it names the row of the table (metrics.tally.row_of).
            label = "" if variant is None else variant.label
            shown = task.id
            if number[shown] > 1:
                from ...metrics.tally import in_domain  # who lists tests waits for nothing that counts

                shown = in_domain(domain.name, task.id)
            name = "-".join(filter(None, (agent, label, "" if single else shown, "trial")))
            for trial in range(1, k + 1):
                key = f"{test}/{agent}/{label}/{domain.name}/{task.id}#{trial}"
                slots[key] = Slot(task, domain, trial, None, agent, variant, None, variant is None, its)
                parameters.append(pytest.param(key, id=f"{name}{trial}", marks=marks))
    metafunc.parametrize("tau_slot", parameters, indirect=True)


def once(run: Run, items: list[pytest.Item]) -> None:
    """Leave each trial once in a session's tests: ``--keep-duplicates`` would count one as several of its task."""
    first: list[pytest.Item] = []
    again: list[pytest.Item] = []
    seen: set[str] = set()
    for item in items:
        (again if is_trial(item) and item.nodeid in seen else first).append(item)
        seen.add(item.nodeid)
    if again:
        run.config.hook.pytest_deselected(items=again)
        items[:] = first


def tell_apart(run: Run, items: list[pytest.Item]) -> None:
    """Note of which tests of one name in several files the rows of the table are to name the files.

    Of those that play the same tasks: their trials are no repetitions of each other.
    """
    slots = run.one(slots_by_parameter)
    first: dict[tuple[Domain, str], str] = {}
    keys: dict[str, list[str]] = {}
    same: set[str] = set()
    for item in items:
        if not is_trial(item) or item.getparent(TaskFile) is not None:
            continue
        key, test = parameters_of(item)["tau_slot"], split_nodeid(item.nodeid)[0]
        keys.setdefault(test, []).append(key)
        name = item.nodeid.partition("::")[2].rpartition("trial")[0]
        if (other := first.setdefault((slots[key].domain, name), test)) != test:
            same |= {test, other}
    for key in (key for test in same for key in keys[test]):
        slots[key] = slots[key]._replace(file_in_row=True)


def tag_marks(run: Run, task: Task) -> list[pytest.MarkDecorator]:
    """A task's tags as markers."""
    made = run.one(_tag_marks)
    for tag in task.tags:
        if tag not in made:
            made[tag] = _tag(run, tag)
    return [made[tag] for tag in task.tags]


def _tag_marks(run: Run) -> dict[str, pytest.MarkDecorator]:
    """The markers of tags met so far, by tag."""
    return {}


def _tag(run: Run, tag: str) -> pytest.MarkDecorator:
    """A task's tag as a marker, known to pytest so that ``--strict-markers`` accepts it.

    A tag that is also the name of a marker with arguments, such as ``skip`` or ``timeout``, would do what that does
    (Allure's are registered without their arguments); and pytest has no marker that begins with an underscore. They
    become ``tag_skip`` and the like.
    """
    known = run.config.getini("markers")
    taken = tag.startswith(("_", "allure_")) or any(line.startswith(f"{tag}(") for line in known)
    name = f"tag_{tag}" if taken else tag
    line = f"{name}: a tag of tau tasks"
    if line not in known:
        run.config.addinivalue_line("markers", line)
    return cast(pytest.MarkDecorator, getattr(pytest.mark, name))
