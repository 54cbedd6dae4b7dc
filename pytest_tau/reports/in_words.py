"""A run in one sentence for who knows no pass^k."""

from __future__ import annotations

from ..metrics.shared_tasks import by_task, shared_task
from ..metrics.totals import Totals
from ..printable import count_of


def in_words(totals: Totals) -> str:
    """How many tasks were solved in every conversation, in some, and in none; "" where several agents played."""
    plain = totals.without_variants()
    pairs = ((shared_task(*key), (task.passed, task.graded)) for key, task in plain.tasks.items() if task.graded)
    tasks = [tuple(map(sum, zip(*rows, strict=True))) for rows in by_task(pairs).values()]
    if not tasks or not plain.is_whole:
        return ""
    every = sum(passed == graded for passed, graded in tasks)
    never = sum(passed == 0 for passed, _ in tasks)
    if all(graded == 1 for _, graded in tasks):
        return f"{every} of {count_of(len(tasks), 'tasks')} solved."
    some = len(tasks) - every - never
    return (
        f"{every} of {count_of(len(tasks), 'tasks')} solved in every conversation, "
        f"{some} in some of them, and {never} in none."
    )
