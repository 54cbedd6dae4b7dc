"""The shape of a number beside pass^k: what it reads off a trial, and how the tasks' values become one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from ..printable import count_of
from .intervals import mean_interval
from .judge_errors import JudgeErrors


@dataclass(frozen=True)
class TaskValues:
    """What a score has read off the trials of one task, in the order of their ends; ``row``: of the table.

    ``variant``: the label of the row's variant, where its tasks were told or shown otherwise than they are.
    """

    row: str
    task_id: str
    values: tuple[Any, ...]
    variant: str = ""


def plain_row(row: str, label: str) -> str:
    """The row with the same tasks as they are, for that of a variant with this label."""
    return row.removesuffix(label).removesuffix("-").removesuffix(", ") if label else row


@dataclass(frozen=True)
class Measured:
    """A score's number, what it rests on ("30 tasks"), and the ends of its 95 % interval where it has one.

    ``least``: the same with all that nobody has decided as a breach, where there is such; the number itself has it as
    none.
    """

    value: float
    over: str
    low: float | None = None
    high: float | None = None
    least: Measured | None = None

    @property
    def ends(self) -> tuple[Measured, ...]:
        """The number at its lower end, if it has another one, and itself."""
        return (self,) if self.least is None else (self.least, self)

    @property
    def without_interval(self) -> Measured:
        """The same number, or both of its ends, without an interval."""
        return replace(self, low=None, high=None, least=self.least and self.least.without_interval)


def mean_of(values: Sequence[float]) -> Measured:
    """The mean of the tasks' values, each 0 … 1, with the interval for tasks like these; at least one."""
    interval = mean_interval(values)
    return Measured(fmean(values), count_of(len(values), "tasks"), interval.low, interval.high)


@dataclass(frozen=True)
class Score:
    """A number of a run.

    Attributes:
        name: as gates write it; one that ends with "^" or "@" takes a k: ``cup^4``.
        read: what it needs of a trial's record as plain data (a journal's line); None where the trial says nothing.
        measure: the number over tasks, each with at least one value, and what stands in parentheses or after "^"; None
            where it is not defined.
        needs: what a run must have for it, as the end of a sentence: "no task of the run has …".
        worst: what a trial without a verdict counts as, where a gate asks for much, and for little; None: as
            nothing.
        column: the heading of its column in the table, "" for none.
        takes: what its parentheses hold, as a word for people: ``robust(kind)``; "" if it has none.
        interval: whether it has one, so that gates may ask for ``lower(…)`` and ``upper(…)``.
        picks: whether it is about a variant with this label, with this in the parentheses; None: about each.
        settled: the tasks with trials without a verdict as they are worst for a gate that asks for little (True) or for
            much, where no value is worst in any task; None where ``worst`` is.
        corrected: as ``measure``, with a judge's errors taken out; None where that is not known for this number.
        variants: whether it is about tasks that were told or shown otherwise, too; others are about tasks as they are.
    """

    name: str
    read: Callable[[Mapping[str, Any]], Any]
    measure: Callable[[Sequence[TaskValues], str], Measured | None]
    needs: str
    worst: tuple[Any, Any] = (0.0, 1.0)
    column: str = ""
    takes: str = ""
    interval: bool = False
    variants: bool = False
    picks: Callable[[str, str], bool] | None = None
    settled: Callable[[Sequence[TaskValues], bool], list[TaskValues]] | None = None
    corrected: Callable[[Sequence[TaskValues], str, JudgeErrors | None], Measured | None] | None = None

    @property
    def with_k(self) -> bool:
        """Whether a number of trials belongs to its name."""
        return self.name.endswith(("^", "@"))

    def number(self, tasks: Sequence[TaskValues], argument: str, judge: JudgeErrors | None) -> Measured | None:
        """The number over tasks; ``judge``: what is known of the judge of the run, where it has a valid passport."""
        return self.measure(tasks, argument) if self.corrected is None else self.corrected(tasks, argument, judge)

    @property
    def example(self) -> str:
        """An example of how a gate writes it."""
        return f"{self.name}1" if self.with_k else f"{self.name}({self.takes})" if self.takes else self.name
