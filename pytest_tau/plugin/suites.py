"""Which task files a run is about: from ``--tau-domain``, from paths, from ini; and the node IDs they get.

A suite lives in the project (``tasks/retail/…``), in the package (node IDs ``tau/retail/…``, equal from every
directory) or in the public data (``tau2/retail/tasks.json``). Ids of the last two are turned into real paths before
collection.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .options import project_root, settings

if TYPE_CHECKING:
    from ..environment.domain import Domain

BUILTIN, PUBLIC = "tau", "tau2"


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


REGISTRY = pytest.StashKey[DomainRegistry]()
_ASKED = pytest.StashKey[set[Path]]()


def resolve_arguments(config: pytest.Config) -> None:
    """Replace what names suites on the command line by the task files they stand for; raises UsageError."""
    from ..errors import TauError

    chosen = settings(config)
    try:
        named = [str(file) for name in chosen.domain for file in _suite_files(config, name)]
        given = [arg for text in config.args for arg in _real(config, text)]
    except TauError as error:
        raise pytest.UsageError(str(error)) from None
    explicit = config.args_source is pytest.Config.ArgsSource.ARGS
    if named or given != config.args:
        config.args[:] = [*(given if explicit or not named else []), *named]
    config.stash[_ASKED] = {Path(arg.split("::")[0]).resolve() for arg in config.args}


def is_asked(config: pytest.Config, path: Path) -> bool:
    """Whether this JSON file is to be collected: nobody else's JSON is touched."""
    asked = config.stash.get(_ASKED, None)
    if asked is None:
        asked = config.stash[_ASKED] = {
            (config.invocation_params.dir / a.split("::")[0]).resolve() for a in config.args
        }
    if path in asked:
        return True
    own = project_root(config) / "tasks"
    roots = [project_root(config) / folder for folder in settings(config).task_dirs]
    roots += [root for root in asked if root == own or own in root.parents]
    return any(root in path.parents for root in roots)


def virtual_nodeid(config: pytest.Config, path: Path) -> str | None:
    """The node ID of a file that is not part of the project, None for one that is."""
    from ..environment.folders import builtin_root

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


def find_domain(config: pytest.Config, name: str, *, public: bool) -> Domain:
    """Load a domain by name: registered, the project's own, or built in; raises DomainError."""
    from ..environment.domain import load_domain

    registry = config.stash[REGISTRY]
    own = project_root(config) / "domains" / name
    folder = registry.domains.get(name) or (own if (own / "domain.py").is_file() else name)
    return load_domain(folder, data=_data_root(config) if public else None, parity=settings(config).parity)


def _suite_files(config: pytest.Config, name: str) -> list[Path]:
    from ..environment.folders import builtin_folder
    from ..environment.tasks import public_file, suite_files
    from ..errors import TaskError

    if settings(config).data is not None:
        return [public_file(_data_root(config), name).resolve()]
    own = project_root(config) / "tasks"
    for candidate in (own / name, own / f"{name}.json", config.stash[REGISTRY].tasks.get(name)):
        if candidate is not None and candidate.exists():
            return [file.resolve() for file in suite_files(candidate)]
    if (project_root(config) / "domains" / name).is_dir():
        raise TaskError(f"the domain '{name}' has no tasks: put task files (*.json) into {own / name}")
    return suite_files(builtin_folder("tasks", name))


def _data_root(config: pytest.Config) -> Path:
    return (config.invocation_params.dir / str(settings(config).data)).resolve()


def _real(config: pytest.Config, arg: str) -> list[str]:
    """An argument with a virtual path as the real ones it stands for; others as they are."""
    from ..environment.folders import builtin_root
    from ..environment.tasks import suite_files

    path, separator, rest = arg.partition("::")
    prefix, _, below = path.partition("/")
    if not below or prefix not in (BUILTIN, PUBLIC) or (config.invocation_params.dir / path).exists():
        return [arg]
    if prefix == PUBLIC:
        if settings(config).data is None:
            raise pytest.UsageError(f"{arg}: give the folder of the public data with --tau-data")
        return [str(file) + separator + rest for file in _suite_files(config, below.split("/")[0])]
    real = builtin_root("tasks") / below
    return [str(file) + separator + rest for file in suite_files(real)] if real.exists() else [arg]
