"""Numbers of a run beside pass^k: each by a name that gates can ask for, and with a column of its own if it wants one.

A score says what it reads off a trial's record, and how the values of all tasks become one number. Totals keep what
was read; tables, statistics and gates ask :func:`measure`. To add a number to a run, add a :class:`Score` to
``SCORES``; nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .consistency import CONSISTENCY
from .likeness import CUSTOMERS
from .long_episodes import EPISODES, REMEMBERED
from .policy import UNDER_POLICY
from .progress import PARTIAL, PROGRESS
from .robust_scores import FLIP, ROBUST
from .safety import BEHAVIOUR, SCORES_OF_SAFETY
from .score import Measured, Score, TaskValues, plain_row

if TYPE_CHECKING:
    from .totals import Totals


def read_scores(content: Mapping[str, Any]) -> dict[str, Any]:
    """What each score reads off a trial's record, for those to which it says something."""
    return {score.name: value for score in (*SCORES, BEHAVIOUR) if (value := _read(score, content)) is not None}


def _read(score: Score, content: Mapping[str, Any]) -> Any:
    try:
        return score.read(content)
    except (AttributeError, TypeError, KeyError, ValueError, OverflowError):
        return None  # of a journal that somebody has edited into another shape: it says nothing


def measure(totals: Totals, score: Score, row: str | None = None, argument: str = "") -> Measured | None:
    """A score over one row of the table, or all; None where no trial says anything of it.

    As pass^k, it has no interval in a run that was stopped when it was decided.
    """
    tasks = [
        TaskValues(name, task_id, tuple(values), totals.variant_of(name))
        for (name, task_id), task in totals.tasks.items()
        if _is_meant(totals, score, row, name) and (values := task.measured.get(score.name))
    ]
    found = score.number(tasks, argument or ("1" if score.with_k else ""), totals.judge) if tasks else None
    return found.without_interval if found is not None and totals.spared() else found


def _is_meant(totals: Totals, score: Score, row: str | None, name: str) -> bool:
    """Whether a row's tasks count for a score over ``row``, or over all."""
    label = totals.variant_of(name)
    if score.variants and not totals.is_mutant(name):
        return row in (None, name, plain_row(name, label))
    return name == row if row is not None else not label


SCORES: tuple[Score, ...] = (
    UNDER_POLICY,
    PROGRESS,
    PARTIAL,
    *SCORES_OF_SAFETY,
    ROBUST,
    FLIP,
    CONSISTENCY,
    EPISODES,
    REMEMBERED,
    CUSTOMERS,
)


def score_of(name: str) -> Score | None:
    """The score that gates call so."""
    return next((score for score in SCORES if score.name == name), None)
