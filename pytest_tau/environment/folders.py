"""Where things lie: the built-in domains and tasks in a checkout or a wheel, and the public data under a root."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal

from ..errors import DomainError, SettingsError
from ..files import resolve
from ..printable import cut

ISOLATED = "TAU_ISOLATED"
"""The variable that says that a process is an isolated agent's (``--tau-isolate``)."""
PACKAGE = Path(__file__).resolve().parent.parent
_LONGEST = 240  # bytes: as a file's name, with an ending
_NAME = re.compile(r"\w[^/\\:\x00-\x1f\x7f]{0,99}")


def refuse_isolated(what: str) -> None:
    """Raise SettingsError in an isolated agent's process, which has no tasks and no domains."""
    if os.environ.get(ISOLATED):
        raise SettingsError(f"{what} is not for an isolated agent (--tau-isolate): it knows its context, and no more")


@cache
def builtin_root(kind: Literal["domains", "tasks"]) -> Path:
    """The folder of the built-in domains or tasks: inside the package in a wheel, beside it in a checkout."""
    inside = PACKAGE / kind
    return inside if inside.is_dir() else PACKAGE.parent / kind


@cache
def builtin_names(kind: Literal["domains", "tasks"]) -> tuple[str, ...]:
    """The names of the built-in domains or suites."""
    root = builtin_root(kind)
    found = root.iterdir() if root.is_dir() else ()
    return tuple(sorted(path.name for path in found if path.is_dir() and path.name[0] not in "._"))


def builtin_folder(kind: Literal["domains", "tasks"], name: str) -> Path:
    """The folder of a built-in domain or suite; raises DomainError with the names there are."""
    names = builtin_names(kind)
    if kind == "tasks" and name not in names and name in builtin_names("domains"):
        raise no_own_data(name)
    if name not in names:
        what = "domain" if kind == "domains" else "suite of tasks"
        own = sorted(path.name for path in Path(kind).glob("[!._]*") if path.is_dir())
        raise DomainError(
            f"there is no {what} '{name}'{suggestion(name, [*own, *names])}: built in are {', '.join(names)}; "
            f"your own lives in {kind}/{name}"
        )
    return builtin_root(kind) / name


def no_own_data(name: str) -> DomainError:
    """What is said of a domain that is played on the public data alone, where that is not named."""
    where = "name the folder of the public data (pytest --tau-data, pytest-tau --data, data=)"
    return DomainError(f"domain '{name}' has no data of its own; {where}")


def builtin_path(below: str) -> Path:
    """A file or folder of the built-in suites, such as ``mock/add_a_task.json``.

    Raises:
        DomainError: it is not there; the sentence says what is.
    """
    suite, _, file = below.partition("/")
    if not suite:
        raise DomainError(f"a suite's name is missing: built in are {', '.join(builtin_names('tasks'))}")
    folder = builtin_folder("tasks", suite)
    path = folder / file
    if not path.exists():
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))
        raise DomainError(
            f"the built-in suite '{suite}' has no file '{file}'{suggestion(file, names)}: pytest --tau-domain {suite} "
            "--collect-only -q lists its tests"
        )
    return path


def is_name(name: str) -> bool:
    """Whether a text is a name of a domain or a suite, and no path."""
    return _NAME.fullmatch(name) is not None and len(name.encode(errors="replace")) <= _LONGEST


def files_in(folder: Path, pattern: str = "*") -> list[Path]:
    """The files in a folder and below it, without the copies that editors and file systems keep under dotted names."""
    found = folder.rglob(pattern)
    return sorted(file for file in found if not any(part[0] == "." for part in file.relative_to(folder).parts))


def own_name(folder: Path) -> str:
    """What a folder is called: a link has a name of its own, and ``.`` that of the current folder."""
    return Path(os.path.abspath(folder)).name


def is_path(name: str | Path) -> bool:
    """Whether somebody means a path, and not the name of a domain or a suite."""
    written = str(name)
    return not written.strip(".") or "/" in written or "\\" in written


def domain_name(name: str) -> str:
    """A domain's name as it stands in data: a task, a journal, a results file.

    Loading a domain runs the Python in its folder, so data may name a domain that is registered, the project's own or
    built in, and never a path.

    Raises:
        DomainError: it is no name.
    """
    if not is_name(name):
        raise DomainError(f"{cut(name, 100)!r} is not a domain name: a file may name a domain, never a path")
    return name


def public_folder(data: Path, name: str) -> Path:
    """A domain's folder in the public data, given its root or any folder down to ``domains``; raises DomainError."""
    for below in ("", "domains", "tau2/domains", "data/tau2/domains"):
        root = data / below
        if os.path.isdir(root / name) and is_of_domains(root):
            return root / name
    raise DomainError(f"{data}: no public data for '{name}' there; give the folder that holds 'domains/{name}'")


def is_of_domains(folder: Path) -> bool:
    """Whether a folder is called ``domains``, as that of the public data is, or is a link to one."""
    return "domains" in (folder.name, resolve(folder).name)


def public_guidelines(data: Path) -> Path | None:
    """The public data's guidelines for simulated users, given its root or any folder down to ``domains``."""
    for root in (data, data / "tau2", data / "data" / "tau2", data.parent):
        if (root / "user_simulator").is_dir():
            return root / "user_simulator"
    return None


def suggestion(name: str, known: Iterable[str]) -> str:
    """What a mistyped name was likely to be, to stand behind it in a sentence; "" when nothing is close."""
    close = get_close_matches(name, [one for one in known if one != name], n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
