"""All tables of a run and what stands between them, in the order in which a terminal has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..metrics.totals import Totals
from .agents import agent_tables
from .breakdowns import scatter
from .customers import customer_lines
from .mutants import mutant_lines
from .notes import notes
from .robust import robust_lines
from .safety import safety_lines
from .terminal import summary_table, task_table


def run_tables(
    totals: Totals, *, told: Callable[[Totals], list[str]] = notes, each_task: bool = False
) -> Iterator[list[str]]:
    """The tables of a run as blocks of lines, none of them empty.

    Args:
        totals: of the run.
        told: what is said below the first table.
        each_task: also each task, and what only some readers want to know.
    """
    changed, totals = mutant_lines(totals), totals.without_mutants()
    tables = [summary_table(totals), told(totals), safety_lines(totals), *agent_tables(totals)]
    if each_task:
        tables = [task_table(totals), *tables, scatter(totals), customer_lines(totals)]
    yield from filter(None, [*tables, *robust_lines(totals), *changed])
