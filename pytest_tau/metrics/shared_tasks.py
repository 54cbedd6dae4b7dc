"""Which rows of a table are about the same tasks: those of several agents, and of a test's parameters."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import TypeVar

T = TypeVar("T")


def shared_task(row: str, task_id: str) -> tuple[str, str]:
    """The task that a row is about: "mock, test_it, a" and "mock, test_it, b" are about the same ones."""
    return row.partition(", ")[0], task_id


def shared_domains(rows: Iterable[str]) -> list[str]:
    """The domains that rows are about, each once."""
    return list(dict.fromkeys(shared_task(row, "")[0] for row in rows))


def task_of_key(key: str) -> tuple[str, str]:
    """The task behind the key of a row's task: "mock, test_it, a/b/task" and "mock/task" are about the same one."""
    domain, _, task_id = key.partition("/")
    return shared_task(*(key.rpartition("/")[::2] if ", " in domain else (domain, task_id)))


def by_task(rows: Iterable[tuple[tuple[str, str], T]]) -> dict[tuple[str, str], list[T]]:
    """What is known of the rows about each task."""
    found: dict[tuple[str, str], list[T]] = {}
    for key, row in rows:
        found.setdefault(key, []).append(row)
    return found


def each_task_once(values: Iterable[tuple[tuple[str, str], float]]) -> list[float]:
    """One value a task, the mean of those that belong to it: they are no independent draws of tasks like these."""
    return [fmean(each) for each in by_task(values).values()]


def shared_row(row: str, label: str) -> str:
    """A row without the label of its agent: "retail, gpt-typos" of gpt is "retail, typos", as it is of any other."""
    head, between, others = row.rpartition(", ")
    rest = others.removeprefix(label).removeprefix("-")
    return f"{head}{between}{rest}" if rest else head
