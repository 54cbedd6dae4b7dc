"""A run in one sentence for who knows no pass^k."""

from __future__ import annotations

from ..metrics.totals import Totals
from ..printable import count_of


def in_words(totals: Totals) -> str:
    """How many tasks were solved in every conversation, in some, and in none; "" where several agents played."""
    plain = totals.without_variants()
    tasks = [task for task in plain.of() if task.graded]
    if not tasks or not plain.is_whole:
        return ""
    every = sum(task.passed == task.graded for task in tasks)
    never = sum(task.passed == 0 for task in tasks)
    if all(task.graded == 1 for task in tasks):
        return f"{every} of {count_of(len(tasks), 'tasks')} solved."
    some = len(tasks) - every - never
    return (
        f"{every} of {count_of(len(tasks), 'tasks')} solved in every conversation, "
        f"{some} in some of them, and {never} in none."
    )
