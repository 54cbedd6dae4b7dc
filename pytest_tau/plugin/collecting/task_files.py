"""Which task files a run is about: from ``--tau-domain``, from paths, from ini.

Node IDs of files that lie outside of the project (:mod:`.nodeids`) are turned into real paths before collection.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...files import resolve
from ..run import BASE, BUILTIN, CORE, PUBLIC, Run, below_root
from .domains import data_root, is_domain, registry
from .nodeids import is_public, registered_path, virtual_nodeid

SPLITS, REWORDED = (
    "split_tasks.json",
    "reworded.json",
)  # not from environment.tasks: collecting other people's JSON must not import pydantic

if TYPE_CHECKING:
    from ...schema.task import Task


def resolve_arguments(run: Run) -> None:
    """Replace what names suites on the command line by the task files they stand for; raises UsageError."""
    from ...errors import TauError

    explicit = run.config.args_source is pytest.Config.ArgsSource.ARGS
    try:
        named = _in_few_arguments(run.one(_files_of_domains))
        given = [arg for text in run.config.args for arg in _real(run, text)]
        if named or given != run.config.args:
            run.config.args[:] = [*(given if explicit or not named else []), *named]
        _refuse_unknown_split(run)
        _refuse_unknown_ids(run)
    except TauError as error:
        raise pytest.UsageError(str(error)) from None


def _in_few_arguments(files: list[Path]) -> list[str]:
    """The files as arguments of pytest: a folder in the place of its files, where it holds nothing else.

    For each file that is named by itself pytest looks at all files beside it, and so 26 times at a folder of 26.
    """
    whole = {folder for folder, number in Counter(file.parent for file in files).items() if _holds_only(folder, number)}
    return list(dict.fromkeys(str(file.parent if file.parent in whole else file) for file in files))


def _holds_only(folder: Path, number: int) -> bool:
    """Whether there are so many task files in a folder, more than one, and nothing besides that is collected."""
    with os.scandir(folder) as entries:
        names = [entry.name if _is_file(entry) else "" for entry in entries]
    return number > 1 and all(name.endswith(".json") for name in names) and len({*names} - {SPLITS, REWORDED}) == number


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a loop of links
        return False


def paths_of(run: Run) -> list[Path]:
    """What pytest is to collect: files and folders that were named, of suites their files."""
    files = run.one(_files_of_domains)
    folders = {file.parent for file in files}
    paths = (Path(run.here, arg.partition("::")[0]) for arg in run.config.args)
    return [*(path for path in paths if path not in folders), *files]


def named_suites(run: Run) -> dict[str, Path]:
    """The folders of task files that arguments name: as node IDs call them, each with a path in it, or its own."""
    found: dict[str, Path] = {}
    for path in paths_of(run):
        folder = path if path.is_dir() else path.parent
        if (nodeid := virtual_nodeid(run, path)) is not None:
            found.setdefault(nodeid.rpartition("/")[0], path)
        elif path.suffix == ".json" or (run.root / "tasks" in (folder, *folder.parents) and any(path.rglob("*.json"))):
            name = folder.relative_to(run.root).as_posix() if folder.is_relative_to(run.root) else str(folder)
            found.setdefault(name, path)
        for name in run.settings.task_dirs:
            if folder in Path(run.root, name).parents:
                found.setdefault(name, Path(run.root, name))
    return found


def _refuse_unknown_split(run: Run) -> None:
    """Raise TaskError when a suite of the run has no such split."""
    from ...environment.tasks import split_ids

    if run.settings.split is not None and run.settings.data is None:
        for file in run.one(_files_of_domains):
            split_ids(file, run.settings.split)


def _files_of_domains(run: Run) -> list[Path]:
    """The task files of the domains that the run is about; raises TauError."""
    from ...errors import TaskError

    if path := next((name for name in run.domains if "/" in name), None):
        meant = Path(path).name or "NAME"
        raise TaskError(f"--tau-domain: {path!r} is a path; give the name, '{meant}', and start pytest above 'tasks/'")
    return [resolve(file) for name in run.domains for file in suite_of(run, name)]


def tasks_of(run: Run, file: Path) -> list[Task]:
    """The tasks of a file that are in the run's split; raises TauError."""
    from ...environment.tasks import public_tasks, read_tasks, split_ids

    if (read := run.one(_read_for_ids).pop(file, None)) is not None:
        return read
    if is_public(run, file):
        return public_tasks(file.parent.parent, file.parent.name, run.settings.split or BASE)
    split = split_of(run, file)
    wanted = None if split is None else split_ids(file, split)
    return read_tasks(file, wanted)


def split_of(run: Run, file: Path) -> str | None:
    """The split that counts for a file of an own suite: the one asked for, or else "core" where there is one.

    Files that are named by path, and tasks that are named by id, are played whatever split they are in.
    """
    from ...environment.tasks import read_splits

    chosen = run.settings
    if chosen.split is not None:
        return chosen.split
    if chosen.tasks and chosen.first_tasks is None:
        return None
    return CORE if resolve(file) in run.one(_files_of_domains) and CORE in (read_splits(file) or {}) else None


def _refuse_unknown_ids(run: Run) -> None:
    """Raise SettingsError for an id in ``--tau-tasks`` that no task has: a typo must not look like a small suite."""
    chosen = run.settings
    files = [path for path in paths_of(run) if path.suffix == ".json"]
    changed = run.config.hook.pytest_tau_modify_tasks.get_hookimpls()
    if not files or chosen.first_tasks is not None or changed or run.is_worker:
        return
    ids: set[str] = set()
    for file in files if chosen.tasks else ():
        tasks = run.one(_read_for_ids)[file] = tasks_of(run, file)
        ids |= {task.id for task in tasks}
    refuse_unknown(chosen.tasks, ids)


def _read_for_ids(run: Run) -> dict[Path, list[Task]]:
    """The tasks that were read for their ids, each file's until it is collected."""
    return {}


def refuse_unknown(patterns: Iterable[str], ids: Collection[str]) -> None:
    """Raise SettingsError for the first of the patterns that is none of the ids."""
    import difflib

    from ...errors import SettingsError
    from ...metrics.wording import some
    from ...printable import one_line

    for pattern in patterns:
        if not any(matches(task_id, pattern) for task_id in ids):
            there = one_line(some(difflib.get_close_matches(pattern, ids) or sorted(ids), 10))
            raise SettingsError(f"--tau-tasks: no task of this run has the id '{pattern}'; there is {there}")


def modify_tasks(run: Run, domain: str, tasks: list[Task], hook: Any) -> None:
    """Let the project change a domain's tasks, and ``--tau-criteria`` the reward basis of those that have criteria.

    ``hook``: calls the hooks that hold for where the tasks, or the tests of them, lie.
    """
    returned = hook.pytest_tau_modify_tasks(config=run.config, domain=domain, tasks=tasks)
    _refuse_strange(domain, tasks, any(one is not None and one is not tasks for one in returned))
    chosen = run.settings.criteria
    if chosen is None:
        return
    for place, task in enumerate(tasks):
        if task.evaluation_criteria is not None:
            criteria = task.evaluation_criteria.model_copy(update={"reward_basis": chosen.split(", ")})
            tasks[place] = task.model_copy(update={"evaluation_criteria": criteria})


def _refuse_strange(domain: str, tasks: list[Task], returned: bool) -> None:
    """Raise TaskError where the hook left what is no task, or two tasks of one id, or returned others in vain."""
    from ...errors import TaskError

    if returned:
        raise TaskError(
            "pytest_tau_modify_tasks returned something, which counts for nothing: write tasks[:] = … in it"
        )
    seen: set[str] = set()
    for task in tasks:
        if (task_id := getattr(task, "id", None)) is None:
            raise TaskError(f"pytest_tau_modify_tasks left a {type(task).__name__} among the tasks of '{domain}'")
        if task_id in seen:
            raise TaskError(
                f"pytest_tau_modify_tasks left two tasks '{task_id}' in '{domain}': give each an id of its own"
            )
        seen.add(task_id)


def matches(task_id: str, pattern: str) -> bool:
    """Whether a task is meant by an id (``5``, ``id:5``) or glob; ids of the public data hold what globs use."""
    return task_id in (pattern, pattern.removeprefix("id:")) or fnmatchcase(task_id, pattern)


def is_asked(run: Run, path: Path) -> bool:
    """Whether this JSON file is to be collected: nobody else's JSON is touched.

    pytest asks for each file of a folder once for each file of it that it is to collect: the answers are kept.
    """
    known = run.one(_answers)
    if path not in known:
        known[path] = _is_asked(run, path)
    return known[path]


def _answers(run: Run) -> dict[Path, bool]:
    """Whether a file is asked for, of those that pytest has come upon."""
    return {}


def _is_asked(run: Run, path: Path) -> bool:
    real = resolve(path)
    if real == run.recorded or real.name in (SPLITS, REWORDED):
        return False  # it holds conversations, or says something about the tasks beside it
    # Under a name with a dot lies a copy of an editor or a file system.
    return real in run.one(_requested_paths) or (path.name[0] != "." and _lies_in(path, run.one(_task_folders)))


def _task_folders(run: Run) -> set[Path]:
    """The folders in which each JSON file is one of tasks."""
    own = {resolve(run.root / "tasks")}
    asked = (resolve(path) for path in paths_of(run) if _lies_in(path, own))
    return {*(resolve(run.root / folder) for folder in run.settings.task_dirs), *asked}


def _lies_in(path: Path, folders: Collection[Path]) -> bool:
    """Whether a path is one of these folders or lies below one, be it behind a link."""
    return bool(folders) and any(resolve(one) in folders for one in (path, *path.parents))


def unread_folders(run: Run) -> list[str]:
    """A sentence for each folder of ``tau_task_dirs`` from which a run that names nothing else takes no tasks."""
    if run.config.args_source is pytest.Config.ArgsSource.ARGS or run.domains:
        return []
    read = {resolve(path) for path in paths_of(run)}
    found = []
    for name in run.settings.task_dirs:
        folder = run.root / name
        if not any(folder.rglob("*.json")):
            found.append(f"tau_task_dirs: there are no task files (*.json) in {name}")
        elif not (
            _lies_in(Path(os.path.normpath(folder)), read) or any(_lies_in(one, {resolve(folder)}) for one in read)
        ):
            found.append(
                f"tau_task_dirs: pytest does not look into {name}; name it in testpaths or on the command line"
            )
    return found


def _requested_paths(run: Run) -> set[Path]:
    """The files and folders that pytest is to collect."""
    return set(map(resolve, paths_of(run)))


def is_not_collected(run: Run, path: Path) -> bool:
    """Whether pytest comes upon this path only because a folder above it leads to the built-in suites.

    It collects all folders from its root directory, or from that of the file system, down to the files it is given.
    """
    return path.parent in run.one(_way)


def _way(run: Run) -> set[Path]:
    """The folders that lead to the built-in suites, but for those below what else is to be collected."""
    from ...environment.folders import builtin_root

    root = builtin_root("tasks")
    others = [path for path in run.one(_requested_paths) if path != root and root not in path.parents]
    return {folder for folder in (root, *root.parents) if not any(o == folder or o in folder.parents for o in others)}


def is_suite(run: Run, name: str) -> bool:
    """Whether a name is that of a suite, and not of a domain."""
    from ...environment.folders import builtin_names

    there = _suite_here(run, name) is not None or name in builtin_names("tasks")
    return there and not is_domain(run, name)


def _suite_here(run: Run, name: str) -> Path | None:
    """Where the project's own suite of a name lies, or the registered one; raises DomainError for what is no name."""
    from ...environment.folders import domain_name

    registered = registry(run).tasks.get(name)
    if registered is None:
        domain_name(name)
    own = run.root / "tasks"
    candidates = (own / name, own / f"{name}.json", registered)
    return next((one for one in candidates if one is not None and one.exists()), None)


def suite_of(run: Run, name: str) -> list[Path]:
    """The task files of a domain, of the public data where that is given; raises TauError."""
    from ...environment.tasks import public_file

    if run.settings.data is not None:
        return [resolve(public_file(data_root(run), name))]
    return own_suite(run, name)


def own_suite(run: Run, name: str) -> list[Path]:
    """The task files of a domain: the project's own, registered, or built in; raises TauError."""
    known = run.one(_own_suites)
    if name not in known:
        known[name] = _find_own_suite(run, name)
    return known[name]


def _own_suites(run: Run) -> dict[str, list[Path]]:
    """The files of each suite, which is asked for twenty times a run."""
    return {}


def _find_own_suite(run: Run, name: str) -> list[Path]:
    from ...environment.folders import builtin_folder, builtin_names
    from ...environment.tasks import suite_files
    from ...errors import TaskError

    if (here := _suite_here(run, name)) is not None:
        return [resolve(file) for file in suite_files(here)]
    if (run.root / "domains" / name).is_dir():
        place = run.root / "tasks" / name
        raise TaskError(f"the domain '{name}' has no tasks: put task files (*.json) into {place}")
    if name not in builtin_names("tasks") and (run.here / "tasks" / name).exists():
        lies = f"the suite '{name}' lies in {run.here / 'tasks'}, and pytest's root directory is {run.root}"
        raise TaskError(f"{lies}: add --rootdir={run.here}")
    return suite_files(builtin_folder("tasks", name))


def task_files(run: Run, source: str) -> list[Path]:
    """The task file that node IDs begin with; raises TauError for one of a suite that is not there."""
    return [run.config.rootpath / file for file in _real(run, source)]


def _real(run: Run, arg: str) -> list[str]:
    """An argument with a virtual path, or one from the root as in reports, as the real ones; others as they are."""
    from ...environment.folders import builtin_root
    from ...environment.tasks import suite_files

    path, separator, rest = arg.partition("::")
    if (run.here / path).exists():
        return [arg]
    prefix, _, below = below_root(path).partition("/")
    if not below or prefix not in (BUILTIN, PUBLIC):
        there = (root / path for root in (run.root, run.config.rootpath))
        return [next((str(file) + separator + rest for file in there if file.exists()), arg)]
    if prefix == PUBLIC:
        if run.settings.data is None:
            raise pytest.UsageError(f"{arg}: give the folder of the public data with --tau-data")
        return [str(file) + separator + rest for file in suite_of(run, below.split("/")[0])]
    real = registered_path(run, below) or builtin_root("tasks") / below
    return [str(file) + separator + rest for file in suite_files(real)] if real.exists() else [arg]


def origin_of(run: Run, name: str) -> str:
    """Where a domain's tasks come from, in the words of headers and reports."""
    own = run.root / "tasks"
    if run.recorded is not None:
        return "recorded"
    if run.settings.data:
        return f"public data, split {run.settings.split or BASE}"
    if (own / name).exists() or (own / f"{name}.json").exists():
        return "of this project"
    return "registered" if name in registry(run).tasks else "built in"
