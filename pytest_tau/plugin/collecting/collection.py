"""Task files become test items: k trials of each task, by parametrizing the one test function of ``trial_function``.

Brackets in node IDs come from parametrizing only, never from names, so that ``--lf``, ``-k`` and ids work; and the
parameter is a short string, so that nothing that reads parameters gets a whole task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from ...agents.names import plays_roles
from ...environment.task_problems import task_problems
from ...environment.tasks import read_tasks
from ...errors import TaskError, TauError
from ...garbage import lasting
from ...schema.record import split_nodeid
from ..private import parameters_of
from ..run import Run, is_trial, run_of
from .domains import find_domain
from .nodeids import is_public, nodeid_of
from .slot import Slot, slots_by_parameter
from .task_files import is_suite, matches, modify_tasks, own_suite, paths_of, tasks_of
from .variants import check_fitting, check_tickets, check_written, fits, played_variants, task_in_variant

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task

_MOST = 10_000  # trials of a task, as with --tau-k


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
        for name, group in _by_domain(tasks, self.path, public=public).items():
            domain = find_domain(run, name, public=public)
            for task in _playable(run, domain, group, self.ihook):
                if self._is_chosen(task, domain):
                    if not domain.parity:
                        _refuse_unknown(task, domain, str(self.path))
                    _refuse_taken(self._first_with(task, domain), task, self.path)
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
    elif (marked := _marked_twice(metafunc.definition)) is not None:
        pytest.fail(f"{marked} has more than one @pytest.mark.tau: give each a test of its own", pytrace=False)
    else:
        try:
            tasks, k = _marker_tasks(run, marker, metafunc.definition)
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


def _marked_twice(test: pytest.Item) -> str | None:
    """The name of what has several ``tau`` markers, of its own or inherited, where that is what a test goes by."""
    nodes = [node for node, _ in test.iter_markers_with_node("tau")]
    return nodes[0].name if nodes.count(nodes[0]) > 1 else None


def _marker_tasks(run: Run, marker: pytest.Mark, test: pytest.Item) -> tuple[list[tuple[Task, Domain]], int]:
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
            groups = _by_domain(tasks, file, public=False) if only is None else {name: tasks}
            for own, group in groups.items():
                domain = only or find_domain(run, own, public=False)
                for task in group:
                    _refuse_taken(files.setdefault((domain, task.id), file), task, file)
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
            tasks = _playable(run, domain, [task for task, its in found if its is domain], test.ihook)
            for task in tasks:
                _refuse_unknown(task, domain, "@pytest.mark.tau")
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


def check_domains(run: Run) -> None:
    """Raise UsageError where a domain has not got what an option asks of it: once, and not for each file of a suite."""
    firsts: dict[Path, Path] = {}
    for path in paths_of(run):
        if path.suffix == ".json":
            firsts.setdefault(path.parent, path)
    try:
        for file in firsts.values():
            public = is_public(run, file)
            for name in _by_domain(tasks_of(run, file), file, public=public):
                _refuse_unfit(run, find_domain(run, name, public=public))
        if firsts:
            check_written(run, (task for task, _ in _with_domains(run)))
            check_tickets(run, _with_domains(run))
        if firsts and all(path.suffix == ".json" for path in paths_of(run)):  # others choose tasks of their own
            check_fitting(run, _with_domains(run))
    except TauError as error:
        raise pytest.UsageError(str(error)) from None


def _with_domains(run: Run) -> Iterator[tuple[Task, Domain]]:
    """The tasks of all task files."""
    for path in (path for path in paths_of(run) if path.suffix == ".json"):
        public = is_public(run, path)
        for name, tasks in _by_domain(tasks_of(run, path), path, public=public).items():
            domain = find_domain(run, name, public=public)
            yield from ((task, domain) for task in tasks)


def _refuse_unfit(run: Run, domain: Domain) -> None:
    if run.settings.mode == "solo" and not domain.spec.solo:
        raise TaskError(f"the domain '{domain.name}' has no solo mode; leave --tau-mode out")
    team = next((agent.name for agent in run.settings.agents if plays_roles(agent.name)), None)
    if team is not None and not domain.spec.roles:
        raise TaskError(f"the domain '{domain.name}' declares no roles for {team}; use one that does: retail_desk")
    if domain.knowledge is not None and domain.knowledge.unplayable:
        raise TaskError(f"--tau-knowledge {domain.knowledge.setting}: {domain.knowledge.unplayable}")


def _playable(run: Run, domain: Domain, tasks: list[Task], hook: Any) -> list[Task]:
    """The tasks as the hook leaves them: in solo mode those with a ticket, in oracle-plan mode those with a plan."""
    solo, planned = run.settings.mode == "solo", run.settings.mode == "oracle-plan"
    _refuse_unfit(run, domain)
    modify_tasks(run, domain.name, tasks, hook)
    _refuse_without_eyes(run, tasks)
    return [task for task in tasks if (task.ticket or not solo) and (task.gold_actions or not planned)]


def _refuse_without_eyes(run: Run, tasks: list[Task]) -> None:
    """Raise TaskError where pictures would be sent to a model that cannot see them."""
    chosen = run.settings
    with_pictures = next((task.id for task in tasks if task.user_scenario.attachments), None)
    if with_pictures is None or chosen.images in ("alt", "drop") or chosen.cassette == "replay":
        return
    from ...agents.names import MODEL_AGENTS
    from ...llm.backend import sees

    for agent in run.settings.agents:
        if agent.model and agent.name in MODEL_AGENTS and sees(agent.model) is False:
            raise TaskError(
                f"the task '{with_pictures}' has pictures, and litellm says that {agent.model} cannot see; "
                "name another model, or add --tau-images alt (it gets descriptions instead) or drop (it gets nothing)"
            )


def _by_domain(tasks: list[Task], path: Path, *, public: bool) -> dict[str, list[Task]]:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        # In the public data the folder is the domain, whatever a task's text says.
        name = path.parent.name if public else task.domain_name or path.parent.name
        groups.setdefault(name, []).append(task)
    return groups


def _refuse_taken(first: Path, task: Task, path: Path) -> None:
    if first != path:
        raise TaskError(f"{path}: the id '{task.id}' is taken by {first}; ids differ in a domain")


def _refuse_unknown(task: Task, domain: Domain, where: str) -> None:
    for problem in task_problems(task, domain):
        raise TaskError(f"{where}: task '{task.id}': {problem}")


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
