"""Which task files a run is about: from ``--tau-domain``, from paths, from ini; and the node IDs they get.

A suite lives in the project (``tasks/retail/…``), in the package (node IDs ``tau/retail/…``, equal from every
directory) or in the public data (``tau2/retail/tasks.json``). Ids of the last two are turned into real paths before
collection.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..settings.options import is_given, project_root, settings
from ..settings.stash import BUILTIN, PUBLIC, RESCORED

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task


class DomainRegistry:
    """Domains that plugins make known by name, with their folders of tasks."""

    def __init__(self) -> None:
        self.domains: dict[str, Path] = {}
        self.tasks: dict[str, Path] = {}

    def add(self, name: str, folder: str | Path, tasks: str | Path | None = None) -> None:
        """Make the domain folder known as ``name``, and its tasks if there are any."""
        self.domains[name] = Path(folder)
        if tasks is not None:
            self.tasks[name] = Path(tasks)


_REGISTRY = pytest.StashKey[DomainRegistry]()
_ASKED = pytest.StashKey[set[Path]]()


def registry(config: pytest.Config) -> DomainRegistry:
    """The domains that plugins make known; they are asked when one is first looked for."""
    if _REGISTRY not in config.stash:
        known = config.stash[_REGISTRY] = DomainRegistry()
        config.hook.pytest_tau_register_domains.call_historic(kwargs={"registry": known})
    return config.stash[_REGISTRY]


def resolve_arguments(config: pytest.Config) -> None:
    """Replace what names suites on the command line by the task files they stand for; raises UsageError."""
    from ...errors import TauError

    chosen = settings(config)
    if is_given(config, "split") and chosen.data is None:
        raise pytest.UsageError("--tau-split: splits belong to the public data; give its folder with --tau-data")
    explicit = config.args_source is pytest.Config.ArgsSource.ARGS
    # Paths on the command line come before the domains of the ini file, as they come before its testpaths.
    domains = chosen.domain if (is_given(config, "domain") or not explicit) and not chosen.rescore else ()
    try:
        named = [str(file) for name in domains for file in suite_of(config, name)]
        given = [arg for text in config.args for arg in _real(config, text)]
        if named or given != config.args:
            config.args[:] = [*(given if explicit or not named else []), *named]
        _refuse_unknown_ids(config)
    except TauError as error:
        raise pytest.UsageError(str(error)) from None


def _refuse_unknown_ids(config: pytest.Config) -> None:
    """Raise SettingsError for an id in ``--tau-tasks`` that no task has: a typo must not look like a small suite."""
    import difflib

    from ...environment.tasks import public_tasks, read_tasks
    from ...errors import SettingsError

    chosen = settings(config)
    files = [Path(arg) for arg in config.args if arg.endswith(".json")]
    changed = config.hook.pytest_tau_modify_tasks.get_hookimpls()
    if not files or chosen.first_tasks is not None or changed or hasattr(config, "workerinput"):
        return
    ids: set[str] = set()
    for file in files if chosen.tasks else ():
        public = is_public(config, file)
        tasks = public_tasks(file.parent.parent, file.parent.name, chosen.split) if public else read_tasks(file)
        ids |= {task.id for task in tasks}
    for pattern in chosen.tasks:
        if not any(matches(task_id, pattern) for task_id in ids):
            close = difflib.get_close_matches(pattern, ids) or sorted(ids)[:10]
            raise SettingsError(f"--tau-tasks: no task of this run has the id '{pattern}'; there is {', '.join(close)}")


def modify_tasks(config: pytest.Config, domain: str, tasks: list[Task]) -> None:
    """Let the project change a domain's tasks, and ``--tau-criteria`` the reward basis of those that have criteria."""
    config.hook.pytest_tau_modify_tasks(config=config, domain=domain, tasks=tasks)
    chosen = settings(config).criteria
    if chosen is None:
        return
    for place, task in enumerate(tasks):
        if task.evaluation_criteria is not None:
            criteria = task.evaluation_criteria.model_copy(update={"reward_basis": chosen.split(", ")})
            tasks[place] = task.model_copy(update={"evaluation_criteria": criteria})


def matches(task_id: str, pattern: str) -> bool:
    """Whether a task is meant by an id or glob; ids of the public data hold characters that globs use."""
    return task_id == pattern or fnmatchcase(task_id, pattern)


def is_asked(config: pytest.Config, path: Path) -> bool:
    """Whether this JSON file is to be collected: nobody else's JSON is touched."""
    asked = config.stash.get(_ASKED, None)
    if asked is None:
        here = config.invocation_params.dir
        asked = config.stash[_ASKED] = {(here / arg.split("::")[0]).resolve() for arg in config.args}
    path, root = path.resolve(), project_root(config).resolve()
    if path == config.stash.get(RESCORED, None):
        return False  # it holds conversations
    if path in asked:
        return True
    own = root / "tasks"
    roots = [root / folder for folder in settings(config).task_dirs]
    roots += [root for root in asked if root == own or own in root.parents]
    return any(root in path.parents for root in roots)


def virtual_nodeid(config: pytest.Config, path: Path) -> str | None:
    """The node ID of a file that is not part of the project, None for one that is."""
    from ...environment.folders import builtin_root

    if project_root(config) / "tasks" in path.parents:
        return None
    builtin = builtin_root("tasks")
    if builtin in path.parents:
        return f"{BUILTIN}/{path.relative_to(builtin).as_posix()}"
    if is_public(config, path):
        return f"{PUBLIC}/{path.parent.name}/{path.name}"
    return None


def is_public(config: pytest.Config, path: Path) -> bool:
    """Whether a task file belongs to the public data that ``--tau-data`` names."""
    data = settings(config).data
    return data is not None and path.name == "tasks.json" and _data_root(config) in path.parents


def find_domain(config: pytest.Config, name: str, *, public: bool, policy: str | None = None) -> Domain:
    """Load a domain by name: registered, the project's own, or built in, and never by a path; raises DomainError.

    ``policy``: a variant of its policy, by default the one of ``--tau-policy``.
    """
    from ...environment.domain import load_domain

    chosen = settings(config)
    data = _data_root(config) if public else None
    folder = _own_folder(config, name) or name
    return load_domain(folder, data=data, parity=chosen.parity, policy=policy or chosen.policy)


def domain_folders(config: pytest.Config, name: str) -> list[Path]:
    """Where a domain's Python and its data lie; raises TauError for one that is not there."""
    from ...environment.folders import builtin_folder, public_folder

    code = _own_folder(config, name) or builtin_folder("domains", name)
    return [code, public_folder(_data_root(config), name)] if settings(config).data is not None else [code]


def _own_folder(config: pytest.Config, name: str) -> Path | None:
    """The folder of a registered domain or of one of the project; None for a built-in one. Raises DomainError."""
    from ...environment.folders import domain_name

    if (registered := registry(config).domains.get(name)) is not None:
        return registered
    own = project_root(config) / "domains" / domain_name(name)
    return own if (own / "domain.py").is_file() else None


def user_guidelines(config: pytest.Config) -> Path | None:
    """The folder with the public data's guidelines for simulated users, None on our own data."""
    from ...environment.folders import public_guidelines

    return public_guidelines(_data_root(config)) if settings(config).data is not None else None


def suite_of(config: pytest.Config, name: str) -> list[Path]:
    """The task files of a domain, of the public data where that is given; raises TauError."""
    from ...environment.tasks import public_file

    if settings(config).data is not None:
        return [public_file(_data_root(config), name).resolve()]
    return own_suite(config, name)


def own_suite(config: pytest.Config, name: str) -> list[Path]:
    """The task files of a domain: the project's own, registered, or built in; raises TauError."""
    from ...environment.folders import builtin_folder, domain_name
    from ...environment.tasks import suite_files
    from ...errors import TaskError

    own, registered = project_root(config) / "tasks", registry(config).tasks.get(name)
    if registered is None:
        domain_name(name)
    for candidate in (own / name, own / f"{name}.json", registered):
        if candidate is not None and candidate.exists():
            return [file.resolve() for file in suite_files(candidate)]
    if (project_root(config) / "domains" / name).is_dir():
        raise TaskError(f"the domain '{name}' has no tasks: put task files (*.json) into {own / name}")
    return suite_files(builtin_folder("tasks", name))


def task_files(config: pytest.Config, source: str) -> list[Path]:
    """The task file that node IDs begin with; raises TauError for one of a suite that is not there."""
    return [config.rootpath / file for file in _real(config, source)]


def _data_root(config: pytest.Config) -> Path:
    return (config.invocation_params.dir / str(settings(config).data)).resolve()


def _real(config: pytest.Config, arg: str) -> list[str]:
    """An argument with a virtual path as the real ones it stands for; others as they are."""
    from ...environment.folders import builtin_root
    from ...environment.tasks import suite_files

    path, separator, rest = arg.partition("::")
    prefix, _, below = path.partition("/")
    if not below or prefix not in (BUILTIN, PUBLIC) or (config.invocation_params.dir / path).exists():
        return [arg]
    if prefix == PUBLIC:
        if settings(config).data is None:
            raise pytest.UsageError(f"{arg}: give the folder of the public data with --tau-data")
        return [str(file) + separator + rest for file in suite_of(config, below.split("/")[0])]
    real = builtin_root("tasks") / below
    return [str(file) + separator + rest for file in suite_files(real)] if real.exists() else [arg]
