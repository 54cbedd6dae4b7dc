"""Reads task files: one task or a list of them as JSON, with a sentence for every way they can be wrong."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import from_json

from ..errors import TaskError, TauError
from ..files import loads
from ..schema.calls import EnvFunctionCall
from ..schema.checks import CallPattern, Confirmed, Identified, NotSaid, Order, ReadBefore, TrajectoryCheck
from ..schema.messages import Requestor
from ..schema.milestones import AllOf, Asserted, Not, OneOf, Point, Predicate, RecordCount, RecordIs, Said
from ..schema.problems import first_problem
from ..schema.task import EvaluationCriteria, InitialState, Task
from .attachments import with_attachments
from .environment import Environment
from .folders import builtin_folder, meant, public_folder
from .toolkit import Toolkit, tools_of

if TYPE_CHECKING:
    from .domain import Domain

SPLITS = "split_tasks.json"
REWORDED = "reworded.json"

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
    """
    if data is not None:
        return public_tasks(Path(data), str(name), split or "base")
    files = suite_files(find_suite(name))
    wanted = None if split is None else split_ids(files[0], split)
    return [task for path in files for task in read_tasks(path, wanted)]


def find_suite(name: str | Path) -> Path:
    """The file or folder of a suite given by name or path."""
    path = Path(name)
    if len(path.parts) > 1 or path.suffix == ".json":
        if not path.exists():
            raise TaskError(f"{path}: there is no such file or folder of tasks")
        return path
    local = Path("tasks") / path
    return local if local.exists() else builtin_folder("tasks", path.name)


def suite_files(path: Path) -> list[Path]:
    """The task files of a suite, in the order of their names; raises TaskError when there are none."""
    files = (
        [path]
        if path.is_file()
        else sorted(file for file in path.rglob("*.json") if file.name not in (SPLITS, REWORDED))
    )
    if not files:
        raise TaskError(f"{path}: no task files (*.json) in it")
    return files


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


def read_splits(file: Path) -> dict[str, list[str]] | None:
    """The splits of the suite that a task file belongs to, None where it has none; raises TaskError."""
    path = file.with_name(SPLITS)
    return _splits(path, path.stat().st_mtime_ns) if path.is_file() else None


@lru_cache(maxsize=16)
def _splits(path: Path, changed: int) -> dict[str, list[str]]:
    """Read once, and not for each of a suite's files; ``changed`` tells a file from what it was before."""
    splits = read_json(path)
    if not isinstance(splits, dict) or not all(isinstance(ids, list) for ids in splits.values()):
        raise TaskError(f"{path}: must be an object with a list of task ids for each split")
    return splits


_read_ahead: dict[Path, tuple[int, set[str] | None, list[Task]]] = {}


def read_ahead(path: Path, split: str) -> None:
    """Keep what :func:`read_tasks` gives of a split, or of all the file where there is no such split.

    It holds as long as the file does not change. Nothing is said of its faults.
    """
    with suppress(TauError, OSError):
        wanted = split_ids(path, split) if split in (read_splits(path) or {}) else None
        _read_ahead[path] = (_changed(path), wanted, read_tasks(path, wanted))


def _changed(path: Path) -> int:
    """When a task file, or what stands beside it, was last changed."""
    beside = path.with_name(REWORDED)
    return max(each.stat().st_mtime_ns for each in (path, beside) if each is path or each.is_file())


def read_tasks(path: Path, wanted: Container[str] | None = None) -> list[Task]:
    """The tasks of one file, or those ``wanted`` by their ids; raises TaskError naming file, task and JSON path.

    A public domain may have a folder ``tasks`` with a task a file; ``tasks.json`` beside it is an older copy, and
    stands for the folder.
    """
    if path in _read_ahead and _read_ahead[path][:2] == (_changed(path), wanted):
        return list(_read_ahead[path][2])
    files = sorted(path.with_name("tasks").glob("task_*.json")) if path.name == "tasks.json" else []
    words = paraphrases(path.with_name(REWORDED))
    tasks = [
        with_attachments(read_task(_with_paraphrases(item, words), where), file.parent, where)
        for file in files or [path]
        for item, where in _items(read_json(file), file)
        if wanted is None or not isinstance(item, dict) or item.get("id") in wanted or "id" not in item
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
    return content


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
        raise TaskError(f"{where}: {name}{first_problem(error)}") from None


def read_json(path: Path) -> Any:
    """A JSON file; raises TaskError."""
    try:
        written = path.read_bytes()
        with suppress(ValueError):  # what pydantic refuses is read again, for our words
            return from_json(written, allow_inf_nan=False)
        return loads(written.decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else f"not valid JSON: {error}"
        raise TaskError(f"{path}: {reason}") from None


def _items(content: Any, path: Path) -> Iterator[tuple[Any, str]]:
    if isinstance(content, dict):
        yield content, str(path)
    elif isinstance(content, list) and content:
        yield from ((item, f"{path}[{position}]") for position, item in enumerate(content))
    else:
        raise TaskError(f"{path}: must hold a task (a JSON object) or a list of tasks, and holds {_shape(content)}")


def _shape(content: Any) -> str:
    return "an empty list" if content == [] else f"a {type(content).__name__}"


def unknown_keys(path: Path) -> Iterator[str]:
    """A sentence for each key of a task file that nothing reads."""
    for item, where in _items(read_json(path), path):
        for section, key, _ in _strangers(item):
            yield f"{where}: nothing reads the key '{section + '.' if section else ''}{key}'"


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


def task_problems(task: Task, domain: Domain) -> Iterator[str]:
    """What in a task does not fit its domain: unknown tools, arguments or methods, a sentence for each."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    known = {side: tools_of(toolkit) if toolkit else {} for side, toolkit in toolkits.items()}
    for position, action in enumerate(task.gold_actions):
        where = "evaluation_criteria.actions"
        if (found := known[action.requestor].get(action.name)) is None:
            yield f"{where}[{position}]: {_unknown('tool', action.name, known[action.requestor], action.requestor)}"
        elif not action.arguments.keys() <= found.signature.parameters.keys():
            wrong = min(action.arguments.keys() - found.signature.parameters.keys())
            yield f"{where}[{position}]: {action.name} has no argument '{wrong}'"
    for position, tool in enumerate(task.user_tools or ()):
        if tool not in known["user"]:
            yield f"user_tools[{position}]: {_unknown('tool', tool, known['user'], 'user')}"
    scenario, state = task.user_scenario, task.initial_state
    if scenario.attach or scenario.attachments:
        yield from _attach_problems(task, domain)
    criteria = task.evaluation_criteria
    if criteria is not None and criteria.env_assertions:
        yield from _call_problems("evaluation_criteria.env_assertions", criteria.env_assertions, toolkits)
    if state is not None and state.initialization_actions:
        yield from _call_problems("initial_state.initialization_actions", state.initialization_actions, toolkits)
    if criteria is not None and (criteria.trajectory or criteria.milestones or criteria.minefields):
        yield from _criteria_problems(criteria, domain)
    if task.episodes or scenario.interrupts:
        yield from _visit_problems(task, domain)
    if domain.documents is not None or (criteria is not None and criteria.trajectory):
        yield from _document_problems(task, domain)


def _criteria_problems(criteria: EvaluationCriteria, domain: Domain) -> Iterator[str]:
    """What checks, milestones and minefields are about and the domain does not have."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    for position, check in enumerate(criteria.trajectory or ()):
        for problem in _check_problems(check, toolkits):
            yield f"evaluation_criteria.trajectory[{position}]: {problem}"
    points: dict[str, Sequence[Point] | None] = {"milestones": criteria.milestones, "minefields": criteria.minefields}
    for section, found in points.items():
        for position, point in enumerate(found or ()):
            for problem in _predicate_problems(point.when, domain):
                yield f"evaluation_criteria.{section}[{position}]: {problem}"


def _call_problems(
    section: str, calls: Sequence[EnvFunctionCall], toolkits: Mapping[str, type[Toolkit] | None]
) -> Iterator[str]:
    """Methods that a task calls and that are not there."""
    for position, call in enumerate(calls):
        if not callable(getattr(toolkits[call.env_type], call.func_name, None)):
            yield f"{section}[{position}]: the {call.env_type} toolkit has no method '{call.func_name}'"


def _visit_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Interruptions after unknown calls, and later conversations that begin with no gold action."""
    scenarios = {"user_scenario": task.user_scenario}
    actions = [action.action_id for action in task.gold_actions]
    for position, visit in enumerate(task.episodes or []):
        scenarios[f"episodes[{position}].user_scenario"] = visit.user_scenario
        if visit.before is not None and visit.before not in actions:
            yield f"episodes[{position}].before: {_unknown('gold action', visit.before, actions)}"
    tools = tools_of(domain.spec.tools)
    for where, scenario in scenarios.items():
        for position, one in enumerate(scenario.interrupts or []):
            if one.after_call not in tools:
                yield f"{where}.interrupts[{position}]: {_unknown('tool', one.after_call, tools, 'assistant')}"


def _check_problems(check: TrajectoryCheck, toolkits: Mapping[str, type[Toolkit] | None]) -> Iterator[str]:
    """Tools that a check names and that are not there."""
    for side, name in _checked_tools(check):
        checked = toolkits[side]
        known = tools_of(checked) if checked else {}
        if name not in known:
            yield _unknown("tool", name, known, side)


def _predicate_problems(predicate: Predicate, domain: Domain) -> Iterator[str]:
    """What a predicate is about and the domain does not have."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    if isinstance(predicate, Not):
        yield from _predicate_problems(predicate.of, domain)
    elif isinstance(predicate, (AllOf, OneOf)):
        for part in predicate.of:
            yield from _predicate_problems(part, domain)
    elif isinstance(predicate, (RecordIs, RecordCount)):
        base = domain.base if predicate.side == "assistant" or domain.spec.shared_database else domain.user_base
        tables = base.tables if base else {}
        if predicate.table not in tables:
            yield _unknown("table", predicate.table, tables, predicate.side)
    elif isinstance(predicate, Asserted):
        if not callable(getattr(toolkits[predicate.env_type], predicate.func_name, None)):
            yield f"the {predicate.env_type} toolkit has no method '{predicate.func_name}'"
        elif Environment(domain).writes(predicate.func_name, predicate.env_type):
            yield f"{predicate.func_name} writes, and looking at a milestone must change nothing"
    elif not isinstance(predicate, Said):
        yield from _check_problems(predicate, toolkits)


def _attach_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Tools that pictures are to follow and that are not there, and arguments that no gold action has."""
    tools = tools_of(domain.spec.user_tools) if domain.spec.user_tools else {}
    for position, one in enumerate(task.user_scenario.attach or []):
        if one.call is not None and one.call not in tools:
            yield f"user_scenario.attach[{position}]: {_unknown('tool', one.call, tools, 'user')}"
    arguments = {"reason", "tool", *(name for action in task.gold_actions for name in action.arguments)}
    for position, picture in enumerate(task.user_scenario.attachments or []):
        for name in picture.decides or []:
            if name not in arguments:
                where = f"user_scenario.attachments[{position}].decides"
                yield f"{where}: no gold action has an argument '{name}'{meant(name, arguments)}"


def _document_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Documents that are not there, and reading that cannot be checked."""
    named, criteria = {"required_documents": task.required_documents or []}, task.evaluation_criteria
    for position, check in enumerate((criteria.trajectory if criteria else None) or ()):
        if isinstance(check, ReadBefore):
            where = f"evaluation_criteria.trajectory[{position}]"
            named[where] = check.documents or []
            if domain.documents is None:
                yield f"{where}: domain '{domain.name}' has no documents to read"
            elif not check.documents and not task.required_documents:
                yield f"{where}: names no documents, and the task has no required_documents"
    if domain.documents is not None:
        for where, documents in named.items():
            for one in documents:
                if one not in domain.documents.by_id:
                    yield f"{where}: {_unknown('document', one, domain.documents.by_id)}"


def _checked_tools(check: TrajectoryCheck) -> Iterator[tuple[Requestor, str]]:
    """Every tool that a check names, with its side."""
    if isinstance(check, CallPattern):
        yield check.requestor, check.name
    elif isinstance(check, Order):
        yield from ((call.requestor, call.name) for call in check.calls)
    elif isinstance(check, Confirmed):
        yield from (("assistant", name) for name in check.names or [])
    elif isinstance(check, Identified):
        yield from (("assistant", name) for name in [*(check.by or []), *(check.needed_for or [])])
    elif isinstance(check, NotSaid):
        yield from (("assistant", name) for name in check.until or [])
    elif isinstance(check, ReadBefore):
        yield from (("assistant", name) for name in check.names or [])


def _unknown(what: str, name: str, known: Iterable[str], side: str = "") -> str:
    return f"there is no {side + ' ' if side else ''}{what} '{name}'{meant(name, known)}"
