"""Names every fault of a domain folder and its tasks, without a model: what ``pytest-tau check`` prints.

Everything is looked at, as far as it can be: a broken policy does not hide a broken task.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pytest_tau.environment.documents.store import Documents
from pytest_tau.environment.domain import Domain, load_base, load_domain, load_spec
from pytest_tau.environment.folders import files_in, own_name, suggestion
from pytest_tau.environment.gists import read_gists
from pytest_tau.environment.policy import load_policy
from pytest_tau.environment.spec import DomainSpec
from pytest_tau.environment.task_problems import default_problems
from pytest_tau.environment.tasks import (
    REWORDED,
    SPLITS,
    paraphrases,
    read_splits,
    read_tasks,
    unknown_keys,
    unknown_paraphrase_keys,
)
from pytest_tau.environment.toolkit import Toolkit, ToolSpec, tools_of
from pytest_tau.environment.values import CHANGES, declared_values, file_of, is_domain, layers, left_open
from pytest_tau.errors import DomainError, TaskError, TauError
from pytest_tau.files import repeated_keys
from pytest_tau.schema.messages import Requestor

from .check_task import RANDOM, static_faults, task_faults

_SIDES: tuple[tuple[Requestor, str], ...] = (("assistant", "tools"), ("user", "user_tools"))
_UNREAD = {".json", ".jsonl", ".toml", ".yaml", ".yml"}  # in which somebody may have written tasks
_TEXTS = {".md", ".markdown", ".json", ".txt", ".rst", ".html", ".pdf", ".docx"}  # that may be meant as documents
_EACH = 500  # tasks
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CLOCK = re.compile(r"(?:\w+\.)*(?:datetime|date|dt)\.(?:now|utcnow|today)|time\.(?:time|time_ns|localtime|gmtime)")


def check(folder: Path, suite: Path, *, told: Callable[[int, int], None] = lambda done, of: None) -> Iterator[str]:
    """Yield a sentence for each fault of a domain folder and of the tasks in ``suite`` (a file or folder).

    ``told`` hears, now and then, how many tasks of how many in a large file have been looked at.
    """
    known: set[str] = set()
    name = own_name(folder)
    for fault in _all_faults(name, folder.resolve(), suite, told):
        if fault not in known:  # a file that several others lean on fails for each of them
            known.add(fault)
            yield fault


def _all_faults(name: str, folder: Path, suite: Path, told: Callable[[int, int], None]) -> Iterator[str]:
    faults = [*_domain_faults(folder)]
    yield from faults
    domain = None
    try:
        domain = None if faults else load_domain(folder)
    except DomainError as error:
        yield str(error)
    yield from _open_places(folder, domain) if domain is not None else ()
    yield from (f"{folder / 'domain.py'}: {fault}" for fault in (default_problems(domain) if domain else ()))
    seen: dict[str, Path] = {}
    files = [suite] if suite.is_file() else files_in(suite, "*.json")
    for file in files_in(suite) if suite.is_dir() else ():
        if file.suffix.lower() in _UNREAD and file.suffix != ".json":
            yield f"{file}: nothing reads it; tasks stand in files that end in .json"
    if not files:
        yield f"{suite}: no tasks yet; put task files (*.json) there"
        return
    yield from _tools_at_work(folder, domain) if domain is not None else ()
    yield from _clocks(folder, domain) if domain is not None else ()
    for file in files:
        yield from repeated_keys(file)
        if file.name not in (SPLITS, REWORDED):
            yield from _file_faults(file, name, domain, seen, told)
    for base in (domain.base, domain.user_base) if domain is not None else ():
        yield from (f"{folder}: {fault}" for fault in (base.altered() if base is not None else ()))
    yield from _split_faults(files[0], seen) if files else ()
    yield from _stray_paraphrases(files[0], seen) if files else ()


def _stray_paraphrases(file: Path, ids: Mapping[str, Path]) -> Iterator[str]:
    """Paraphrases of a task that is not there, and keys in them that nothing reads."""
    path = file.with_name(REWORDED)
    try:
        yield from unknown_paraphrase_keys(path)
        yield from (f"{path}: there is no task '{one}'" for one in paraphrases(path) if one not in ids)
    except TaskError as error:
        yield str(error)


def _split_faults(file: Path, ids: Mapping[str, Path]) -> Iterator[str]:
    """A split that names a task that is not there."""
    try:
        splits = read_splits(file) or {}
    except TaskError as error:
        yield str(error)
        return
    for split, named in splits.items():
        yield from (f"{file.with_name(SPLITS)}: {split}: there is no task '{one}'" for one in named if one not in ids)


def _domain_faults(folder: Path) -> Iterator[str]:
    if not is_domain(folder):
        yield f"{folder}: not a domain folder, because it has no domain.py"
        return
    try:
        spec = load_spec(folder)
    except DomainError as error:
        yield str(error)
        yield from _policy_faults(folder, ["policy.md"])
        return
    if spec.public_only:
        yield f"{folder}: has code alone; its policy, data and tasks are those of the public data, so nothing to check"
        return
    variants = [texts for policy in spec.policies.values() for texts in (policy.sections, policy.solo or {})]
    yield from _policy_faults(folder, [name for texts in variants for name in texts.values()] or ["policy.md"])
    yield from _side_faults(folder, spec.tools, "db")
    if spec.user_tools is not None:
        yield from _side_faults(folder, spec.user_tools, "db" if spec.shared_database else "user_db")
    if not tools_of(spec.tools):
        yield f"{folder}: {spec.tools.__name__} has no tools; mark methods with @tool(reads=True) or @tool(writes=True)"
    yield from _solo_faults(folder, spec)
    yield from _unread_parts(folder, spec)
    try:
        read_gists(folder)
    except DomainError as error:
        yield str(error)
    if spec.documents is not None:
        try:
            below = spec.documents.folder
            place = next((layer / below for layer in layers(folder) if (layer / below).is_dir()), folder / below)
            spec.documents.read(place).by_id  # noqa: B018 (reading them is the check)
            yield from _unread_documents(place) if spec.documents.read is Documents else ()
        except DomainError as error:
            yield str(error)


def _unread_documents(folder: Path) -> Iterator[str]:
    """Files that look like documents and are none, below the folder or of another kind, and keys that stand twice."""
    for file in files_in(folder, "*.json"):
        yield from repeated_keys(file)
    for file in files_in(folder):
        if file.suffix.lower() in _TEXTS and not (file.parent == folder and file.suffix in (".md", ".json")):
            yield f"{file}: nothing reads it; documents stand in {folder} itself, in files that end in .md or .json"


def _open_places(folder: Path, domain: Domain) -> Iterator[str]:
    """Braces in what an agent reads that were to name a value; a domain without values may mean them."""
    values = declared_values(folder)
    if not values:
        return
    texts = {"the policy": f"{domain.policy} {domain.solo_policy or ''} {domain.dual_policy or ''}"}
    for _, toolkit in _SIDES:
        tools = tools_of(getattr(domain.spec, toolkit) or Toolkit)
        texts |= {tool.name: json.dumps(tool.schema, ensure_ascii=False) for tool in tools.values()}
    for where, text in texts.items():
        for name, place in left_open(text).items():
            why = f"there is no value '{name}' in values.toml{suggestion(name, values)}"
            if name in values:
                why = "its toolkit has no values; write 'values = values_of(__package__)' in it"
            yield f"{folder}: {where} has {place} in it, and {why}"
    for document in domain.documents or ():
        for name, place in left_open(document.text).items():
            if name in values:  # others may be places of a form
                what = f"the document '{document.id}' has {place} in it, and documents are read as they stand"
                yield f"{folder}: {what}; write the value itself"


def _tools_at_work(folder: Path, domain: Domain) -> Iterator[str]:
    """Tools without arguments that answer differently in two equal worlds, or what nobody can read."""
    for requestor, toolkit in _SIDES:
        for tool in tools_of(getattr(domain.spec, toolkit) or Toolkit).values():
            if not any(one.default is one.empty for one in tool.signature.parameters.values()):
                try:
                    one, other = (domain.environment().call(tool.name, {}, requestor) for _ in range(2))
                except DomainError as error:
                    yield f"{folder}: {error}"
                    continue
                if one.content != other.content:
                    yield f"{folder}: {tool.name}() {RANDOM}"


def _clocks(folder: Path, domain: Domain) -> Iterator[str]:
    """Where the files with tools read the real clock, which two equal worlds in one second do not show."""
    kits = (kit for _, side in _SIDES if (kit := getattr(domain.spec, side)) is not None)
    tools = [inspect.unwrap(tool.function) for kit in kits for tool in tools_of(kit).values()]
    files = {Path(tool.__code__.co_filename).resolve() for tool in tools if inspect.isfunction(tool)}
    for file in sorted(file for file in files if file.is_relative_to(folder)):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and _CLOCK.fullmatch(called := ast.unparse(node.func)):
                what = f"{called}() is the real clock, and what follows from it is another answer tomorrow"
                yield f"{file}:{node.lineno}: {what}: take self.now, which DomainSpec(now=…) sets"


def _solo_faults(folder: Path, spec: DomainSpec) -> Iterator[str]:
    if spec.solo and not spec.policies and not (folder / "policy_solo.md").is_file():
        yield f"{folder}: solo=True, but there is no policy_solo.md for an agent that works alone"


def _unread_parts(folder: Path, spec: DomainSpec) -> Iterator[str]:
    """Files under the names of parts that ``domain.py`` does not declare."""
    own_user_database = spec.user_tools is not None and not spec.shared_database
    parts = {
        "user_db.json": (own_user_database, "user_tools=… and no shared_database"),
        "user_db.toml": (own_user_database, "user_tools=… and no shared_database"),
        "policy_solo.md": (spec.solo, "solo=True"),
        "policy_dual.md": (spec.dual_only, "dual_only=True"),
    }
    for name, (read, needed) in parts.items():
        if not read and (folder / name).is_file():
            yield f"{folder / name}: nothing reads it, because domain.py has not {needed}"


def _side_faults(folder: Path, toolkit: type[Toolkit], stem: str) -> Iterator[str]:
    try:
        yield from load_base(toolkit, folder, stem).problems()
        for name in (f"{stem}.json", CHANGES):
            yield from repeated_keys(file_of(folder, name))
    except DomainError as error:
        yield str(error)
    for tool in tools_of(toolkit).values():
        yield from (f"{folder}: {toolkit.__name__}.{tool.name}: {fault}" for fault in _tool_faults(tool))


def _tool_faults(tool: ToolSpec) -> Iterator[str]:
    try:
        function = tool.schema["function"]
    except Exception as error:
        yield f"no schema can be made of its signature: {error}"
        return
    if not _TOOL_NAME.fullmatch(tool.name):
        yield "providers of models refuse this name: write at most 64 of a to z, A to Z, 0 to 9, _ and -"
    if tool.reads and tool.writes:
        yield "is marked with reads=True and writes=True; a tool that may change something has writes=True alone"
    if function["description"] == tool.name:
        yield "has no docstring, which is all that a model reads about it"
    for name, prop in function["parameters"]["properties"].items():
        if not prop.get("description"):
            yield f"argument '{name}' is not described; add it to the docstring under 'Args:'"


def _file_faults(
    file: Path, name: str, domain: Domain | None, seen: dict[str, Path], told: Callable[[int, int], None]
) -> Iterator[str]:
    try:
        tasks = read_tasks(file)
    except TauError as error:
        yield str(error)
        return
    yield from unknown_keys(file)
    for number, task in enumerate(tasks, start=1):
        if number % _EACH == 0:
            told(number, len(tasks))
        if first := seen.get(task.id):
            yield f"{file}: the id '{task.id}' is taken by {first}; ids differ in a suite"
        seen[task.id] = file
        if task.domain_name not in (None, name):
            yield f"{file}: task '{task.id}': names the domain '{task.domain_name}', and this is '{name}'"
            continue
        faults = static_faults(task, domain) if domain is None else task_faults(task, domain)
        yield from (f"{file}: task '{task.id}': {fault}" for fault in faults)


def _policy_faults(folder: Path, names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        try:
            load_policy(file_of(folder, name))
        except DomainError as error:
            yield str(error)
