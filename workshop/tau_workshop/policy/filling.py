"""Writes the rules that tasks rest on into their files, and nothing else: ``python -m tau_workshop.policy.filling``.

A file keeps its form. What composing writes of a new task, this writes of those that were composed or written before.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_tau.environment.domain import load_domain
from pytest_tau.environment.folders import builtin_root
from pytest_tau.environment.tasks import read_json, read_task, task_files_in
from pytest_tau.errors import DomainError
from pytest_tau.schema.task import Task

from .book import find_book, with_rules

_WIDTH = 120
_BEFORE = ("description", "tags", "domain", "id")  # the key stands behind the first of these that there is


def rules_of(task: Task) -> list[str]:
    """The rules that a task rests on, as the book of its domain has it; raises DomainError."""
    return list(with_rules(task.model_copy(update={"rules": None}), load_domain(task.domain_name or "")).rules or [])


def filled(text: str, where: str) -> str:
    """A task file with the key ``rules`` in each task that rests on any, and all else as it was."""
    content = json.loads(text)
    tasks = content if isinstance(content, list) else [content]
    rules = [rules_of(read_task(item, where)) for item in tasks]
    if json.dumps(content, indent=2, ensure_ascii=False) + "\n" == text:
        made = [_with_key(item, its) for item, its in zip(tasks, rules, strict=True)]
        return json.dumps(made if isinstance(content, list) else made[0], indent=2, ensure_ascii=False) + "\n"
    if isinstance(content, list):
        raise DomainError(
            f"{where}: a list of tasks that json.dumps(indent=2) would write otherwise; write it so first"
        )
    return _inserted(text, content, rules[0])


def _with_key(item: dict[str, object], rules: list[str]) -> dict[str, object]:
    """A task with the key at its place."""
    last = next(key for key in _BEFORE if key in item)
    made: dict[str, object] = {}
    for key, value in item.items():
        if key != "rules":
            made[key] = value
        if key == last and rules:
            made["rules"] = rules
    return made


def _inserted(text: str, item: dict[str, object], rules: list[str]) -> str:
    """A task as somebody wrote it, with the key in a line of its own."""
    text = re.sub(r'^  "rules": \[[^\]]*\],\n', "", text, flags=re.MULTILINE)
    if not rules:
        return text
    last = next(key for key in _BEFORE if key in item)
    start = re.search(rf'^  "{last}":\s*', text, re.MULTILINE)
    if start is None:
        raise DomainError(f"'{item.get('id')}': its key '{last}' is not in a line of its own, indented by two spaces")
    _, end = json.JSONDecoder().raw_decode(text, start.end())
    line = f'  "rules": {json.dumps(rules)},'
    if len(line) > _WIDTH:
        line = '  "rules": ' + json.dumps(rules, indent=2).replace("\n", "\n  ") + ","
    return f"{text[: end + 1]}\n{line}{text[end + 1 :]}"


def suite_paths() -> Iterator[Path]:
    """The task files of our own suites whose domain has a book and a policy of its own, which no ghost has."""
    for folder in sorted(path for path in builtin_root("tasks").iterdir() if path.is_dir()):
        for file in task_files_in(folder):
            content = read_json(file)
            first = content[0] if isinstance(content, list) else content
            domain = load_domain(read_task(first, str(file)).domain_name or folder.name)
            if (domain.folder / "domain.py").is_file() and find_book(domain) is not None:
                yield file


def main() -> int:
    """Fill all suites; says which files changed."""
    for path in suite_paths():
        before = path.read_text(encoding="utf-8")
        now = filled(before, str(path))
        if now != before:
            path.write_text(now, encoding="utf-8")
            sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
