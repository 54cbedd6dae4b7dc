"""Reads task files: one task or a list of them as JSON, with a sentence for every way they can be wrong."""

from __future__ import annotations

import difflib
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from ..errors import TaskError, TauError, reason
from ..files import decode, loads
from ..schema.problems import first_problem, unread_keys
from ..schema.scenario import Rewording
from ..schema.task import EvaluationCriteria, InitialState, Task
from .attachments import with_attachments
from .folders import (
    builtin_folder,
    builtin_names,
    builtin_root,
    files_in,
    is_name,
    is_of_domains,
    is_path,
    public_folder,
    refuse_isolated,
    suggestion,
)

SPLITS = "split_tasks.json"
REWORDED = "reworded.json"

_MOST = 5  # mistakes of a task that are named at once
# Unknown keys that are compared with ours: who writes more of them does not mistype.
_MOST_TYPOS = 100
_KNOWN = {
    "": set(Task.model_fields) | {"annotations"},
    "evaluation_criteria": set(EvaluationCriteria.model_fields),
    "initial_state": set(InitialState.model_fields),
}


def load_tasks(name: str | Path, *, data: str | Path | None = None, split: str | None = None) -> list[Task]:
    """Load a suite of tasks.

    Args:
        name: a built-in suite, a suite under ``./tasks``, or the path of a task file or folder.
        data: the root of the public τ²-bench data, whose tasks of the domain ``name`` are loaded instead.
        split: a split of the suite, from the file ``split_tasks.json`` next to its tasks; by default all tasks, or
            "base" for the public data.

    Raises:
        TaskError: a file cannot be read, a task is not valid, or two have the same id.
        DomainError: there is no such suite or data.
        SettingsError: an isolated agent asks for them.
    """
    refuse_isolated("load_tasks()")
    if data is not None:
        return public_tasks(Path(data), str(name), split or "base")
    files = suite_files(find_suite(name))
    wanted = None if split is None else split_ids(files[0], split)
    found: dict[str, tuple[Path, Task]] = {}
    for path in files:
        for task in read_tasks(path, wanted):
            if task.id in found:
                raise TaskError(f"{path}: the id '{task.id}' is taken by {found[task.id][0]}; ids differ in a suite")
            found[task.id] = path, task
    return [task for _, task in found.values()]


def find_suite(name: str | Path) -> Path:
    """The file or folder of a suite given by name or path."""
    path = Path(name)
    if is_path(name) or path.suffix == ".json":
        return path
    local = Path("tasks") / path
    # What no file system takes for a name is no suite: pathlib would raise.
    return local if os.path.exists(local) else builtin_folder("tasks", path.name)


def suite_in(file: str, root: Path) -> Path | None:
    """The suite that a node ID's file is of, by its name: ``tau/…`` is built in, ``tasks/…`` is below the root.

    None where there is no such: then the tasks of the domain have to do. A domain may have several suites.
    """
    place, _, below = file.replace("../", "").partition("/")
    suite = below.partition("/")[0]
    if place == "tau":
        return builtin_root("tasks") / suite if suite in builtin_names("tasks") else None
    own = root / "tasks" / suite
    return own if place == "tasks" and is_name(suite) and own.is_dir() else None


def suite_files(path: Path) -> list[Path]:
    """The task files of a suite, in the order of their names; raises TaskError when there are none."""
    if not os.path.exists(path):
        raise TaskError(f"{path}: there is no such file or folder of tasks")
    files = [path] if path.is_file() else task_files_in(path)
    if not files:
        raise TaskError(f"{path}: no task files (*.json) in it; put some there, or remove the folder")
    return files


def task_files_in(folder: Path) -> list[Path]:
    """The task files in a folder and below it, in the order of their names."""
    return [file for file in files_in(folder, "*.json") if file.name not in (SPLITS, REWORDED)]


def public_file(data: Path, domain: str) -> Path:
    """The task file of a domain in the public data."""
    return public_folder(data, domain) / "tasks.json"


def public_tasks(data: Path, domain: str, split: str) -> list[Task]:
    """The tasks of a split of the public data, in file order."""
    path = public_file(data, domain)
    if split == "base" and not path.with_name(SPLITS).is_file():
        return read_tasks(path)
    return read_tasks(path, split_ids(path, split))


def split_ids(file: Path, split: str) -> set[str]:
    """The ids of a split of the suite that a task file belongs to; raises TaskError with the splits there are."""
    splits = read_splits(file)
    path = file.with_name(SPLITS)
    if splits is None:
        raise TaskError(f"{file.parent}: there is no split '{split}', because there is no {SPLITS} beside the tasks")
    if split not in splits:
        raise TaskError(f"{path}: there is no split '{split}'; it has {', '.join(splits)}")
    return set(splits[split])


def missing_ids(files: Sequence[Path], split: str) -> list[str]:
    """The ids in a split of a suite that no task in its files has; raises TaskError."""
    items = [item for file in files for item, _ in _items(read_json(file), file) if isinstance(item, dict)]
    known = {id for item in items if isinstance(id := item.get("id"), str)}
    return sorted(split_ids(files[0], split) - known)


def read_splits(file: Path) -> dict[str, list[str]] | None:
    """The splits of the suite that a task file belongs to, None where it has none; raises TaskError."""
    path = file.with_name(SPLITS)
    return _splits(path, path.stat().st_mtime_ns) if path.is_file() else None


@lru_cache(maxsize=16)
def _splits(path: Path, changed: int) -> dict[str, list[str]]:
    """Read once, and not for each of a suite's files; ``changed`` tells a file from what it was before."""
    splits = read_json(path)
    if not isinstance(splits, dict) or not all(
        isinstance(ids, list) and all(isinstance(one, str) for one in ids) for ids in splits.values()
    ):
        raise TaskError(f"{path}: must be an object with a list of task ids (strings) for each split")
    return splits


_read_ahead: dict[Path, tuple[int, set[str] | None, list[Task]]] = {}


def read_ahead(path: Path, split: str) -> list[Task]:
    """Keep what :func:`read_tasks` gives of a split, or of all the file where there is no such split, and return it.

    It holds as long as the file does not change. Nothing is said of its faults.
    """
    with suppress(TauError, OSError):
        wanted = split_ids(path, split) if split in (read_splits(path) or {}) else None
        _read_ahead[path] = (_change_time(path), wanted, tasks := read_tasks(path, wanted))
        return tasks
    return []


def _change_time(path: Path) -> int:
    """When a task file, or what stands beside it, was last changed."""
    beside = path.with_name(REWORDED)
    return max(each.stat().st_mtime_ns for each in (path, beside) if each is path or each.is_file())


def read_tasks(path: Path, wanted: Container[str] | None = None) -> list[Task]:
    """The tasks of one file, or those ``wanted`` by their ids; raises TaskError naming file, task and JSON path.

    A public domain may have a folder ``tasks`` with a task a file; ``tasks.json`` beside it is an older copy, and
    stands for the folder.
    """
    if path in _read_ahead and _read_ahead[path][:2] == (_change_time(path), wanted):
        return list(_read_ahead[path][2])
    is_public = path.name == "tasks.json" and is_of_domains(path.absolute().parent.parent)
    files = sorted(path.with_name("tasks").glob("task_*.json")) if is_public else []
    words = paraphrases(path.with_name(REWORDED))
    tasks = [
        with_attachments(read_task(_with_paraphrases(item, words), where), file.parent, where)
        for file in files or [path]
        for item, where in _items(read_json(file), file)
        if wanted is None or not isinstance(item, dict) or not isinstance(id := item.get("id"), str) or id in wanted
    ]
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise TaskError(f"{path}: two tasks have the id '{task.id}'; ids must differ within a suite")
        seen.add(task.id)
    return tasks


def paraphrases(path: Path) -> dict[str, list[Any]]:
    """The paraphrases of a suite by task id, from a file beside its tasks; none without it. Raises TaskError."""
    return _paraphrases(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=16)
def _paraphrases(path: Path, changed: int) -> dict[str, list[Any]]:
    content = read_json(path)
    if not isinstance(content, dict) or not all(isinstance(words, list) for words in content.values()):
        raise TaskError(f"{path}: must be an object with a list of paraphrases for each task id")
    for where, words in _placed(path, content):
        try:
            Rewording.model_validate(words)
        except ValidationError as error:
            raise TaskError(f"{where}: {first_problem(error, most=_MOST)}") from None
    return content


def _placed(path: Path, content: dict[str, list[Any]]) -> Iterator[tuple[str, Any]]:
    """Each paraphrase with where it stands."""
    for task, several in content.items():
        yield from ((f"{path}: {task}[{position}]", words) for position, words in enumerate(several))


def unknown_paraphrase_keys(path: Path) -> Iterator[str]:
    """A sentence for each key of a file of paraphrases that nothing reads."""
    for where, words in _placed(path, paraphrases(path)):
        for place, key, free in unread_keys(words, Rewording.model_validate(words)):
            yield f"{where}: nothing reads the key '{place}{key}'{suggestion(key, free)}"


def _with_paraphrases(item: Any, words: dict[str, list[Any]]) -> Any:
    if not words or not isinstance(item, dict) or not (more := words.get(str(item.get("id")))):
        return item
    return {**item, "reworded": [*(item.get("reworded") or []), *more]}


def read_task(item: Any, where: str) -> Task:
    """One task from JSON data; raises TaskError."""
    if isinstance(item, dict):
        _refuse_typos(item, where)
    try:
        return Task.model_validate(item)
    except ValidationError as error:
        name = f"task '{item['id']}': " if isinstance(item, dict) and isinstance(item.get("id"), str) else ""
        raise TaskError(f"{where}: {name}{first_problem(error, most=_MOST)}") from None


def read_json(path: Path) -> Any:
    """A JSON file; raises TaskError."""
    try:
        written = path.read_bytes()
        with suppress(ValueError):  # what pydantic refuses is read again, for our words
            return from_json(written, allow_inf_nan=False)
        return loads(decode(written))
    except (OSError, ValueError, RecursionError) as error:
        why = reason(error) if isinstance(error, OSError) else f"not valid JSON: {reason(error)}"
        raise TaskError(f"{path}: {why}") from None


def _items(content: Any, path: Path) -> Iterator[tuple[Any, str]]:
    if isinstance(content, dict):
        yield content, str(path)
    elif isinstance(content, list) and content:
        yield from ((item, f"{path}[{position}]") for position, item in enumerate(content))
    else:
        raise TaskError(f"{path}: must hold a task (a JSON object) or a list of tasks, and holds {_shape(content)}")


def _shape(content: Any) -> str:
    shapes = {list: "an empty list", str: "a text", bool: "true or false", type(None): "null"}
    return shapes.get(type(content), "a number")


def unknown_keys(path: Path) -> Iterator[str]:
    """A sentence for each key of a task file that nothing reads."""
    for item, where in _items(read_json(path), path):
        for place, key, free in unread_keys(item, read_task(item, where)):
            if place or key not in _KNOWN[""]:
                yield f"{where}: nothing reads the key '{place}{key}'{suggestion(key, free)}"


def _strangers(item: Any) -> Iterator[tuple[str, str, set[str]]]:
    """Every unknown key of a task with its section and the keys that are still free there."""
    for section, part in _sections(item):
        known = _KNOWN[section]
        for key in part:
            if key not in known:
                yield section, str(key), known - part.keys()


def _sections(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a task whose keys are looked at, by the section's name; "" for the task itself."""
    for section in _KNOWN:
        part = item.get(section) if section else item
        if isinstance(part, dict):
            yield section, part


def _refuse_typos(item: dict[str, Any], where: str) -> None:
    """Unknown keys are other tools' business, unless one looks like a misspelt key of ours."""
    if all(_KNOWN[section] >= part.keys() for section, part in _sections(item)):
        return
    for _, key, free in islice(_strangers(item), _MOST_TYPOS):
        if close := difflib.get_close_matches(key, free, n=1, cutoff=0.8):
            raise TaskError(f"{where}: unknown key '{key}' (did you mean '{close[0]}'?)")
