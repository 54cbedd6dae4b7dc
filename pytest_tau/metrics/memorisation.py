"""The memorisation gap: how much better an agent is under a policy it may know by heart than under another one.

A ghost is a domain whose fees, limits, windows, tiers and methods are others; its suite is called after the original,
as in ``retail_ghost`` or ``retail_ghost_7``. A task of it has the id of the original's task whose customer says the
same words. So pass^k of both is paired by task, and the interval is that of a paired difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .compare import Comparison, Counts, compare
from .totals import Totals

# The longest name before it: of "shop_ghost_ghost" the original is "shop_ghost", and not "shop".
_GHOST = re.compile(r"(.+)_ghost(?:_\w+)?")


@dataclass(frozen=True)
class _MemorisationGap:
    """pass^k of the original row minus pass^k of the ghost's, over the tasks that are in both."""

    row: str
    ghost: str
    found: Comparison

    @property
    def value(self) -> float:
        """The gap, −1 … 1; above 0 the agent does better where it may know the policy by heart."""
        return self.found.before - self.found.after

    @property
    def interval(self) -> tuple[float, float]:
        """At 95 %."""
        low, high = self.found.spread.bounds(0.95)
        return max(-1.0, -high), min(1.0, -low)


def memorisation_gaps(totals: Totals) -> Iterator[_MemorisationGap]:
    """The gap of each ghost whose original was played as well, at the largest k that all of its pairs have."""
    rows = totals.domains()
    for ghost in rows:
        name, comma, rest = ghost.partition(",")
        named = _GHOST.fullmatch(name)
        if named is None or (row := f"{named[1]}{comma}{rest}") not in rows:
            continue
        before, after = _counts(totals, row), _counts(totals, ghost)
        trials = [min(before[key][1], after[key][1]) for key in before if key in after]
        found = compare(before, after, k=min(trials)) if trials else None
        if found is not None:
            yield _MemorisationGap(row, ghost, found)


def _counts(totals: Totals, row: str) -> dict[str, Counts]:
    """Of each task with a verdict: how many trials passed, and of how many."""
    tasks = ((task_id, task) for (domain, task_id), task in totals.tasks.items() if domain == row)
    return {task_id: (task.passed, task.graded) for task_id, task in tasks if task.graded}
