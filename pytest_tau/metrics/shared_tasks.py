"""Which rows of a table are about the same tasks: those of several agents, and of a test's parameters."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from statistics import fmean
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def shared_task(row: str, task_id: str) -> tuple[str, str]:
    """The task that a row is about: "mock, test_it, a" and "mock, test_it, b" are about the same ones."""
    return row.partition(", ")[0], task_id


def shared_domains(rows: Iterable[str]) -> list[str]:
    """The domains that rows are about, each once."""
    return list(dict.fromkeys(shared_task(row, "")[0] for row in rows))


def split_key(key: str) -> tuple[str, str]:
    """Row and task id behind a key of which nothing else is known, as in a baseline: "mock, test_it, a/b/task".

    Rows of tests name files and parameters, in which there are slashes more often than in ids.
    """
    domain, _, task_id = key.partition("/")
    row, _, last = key.rpartition("/")
    return (row, last) if ", " in domain else (domain, task_id)


def by_task(rows: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """What is known of the rows about each task."""
    found: dict[K, list[T]] = {}
    for key, row in rows:
        found.setdefault(key, []).append(row)
    return found


def each_task_once(values: Iterable[tuple[Hashable, float]]) -> list[float]:
    """One value a task, the mean of those that belong to it: they are no independent draws of tasks like these."""
    return [fmean(each) for each in by_task(values).values()]


def shared_row(row: str, label: str) -> str:
    """A row without the label of its agent: "retail, gpt-typos" of gpt is "retail, typos", as it is of any other."""
    head, between, others = row.rpartition(", ")
    rest = others.removeprefix(label).removeprefix("-")
    return f"{head}{between}{rest}" if rest else head
