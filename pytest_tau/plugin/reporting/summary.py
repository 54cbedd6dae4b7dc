"""The summary of a run in the terminal: tables, gates, and what one has to know to read them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from ...metrics.totals import Totals
from ...printable import printable
from ...reports.notes import first_notes, notes
from ...reports.tables import run_tables
from .. import private
from .gates import Gates

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

SHOWN = 5
"""The tasks of which a run without ``-v`` shows a missed conversation."""


def write_summary(
    reporter: TerminalReporter, totals: Totals, gates: Gates, about: Iterable[str], *, verbose: bool
) -> None:
    """Print what the run found.

    Args:
        reporter: pytest's.
        totals: of the run.
        gates: its gates, decided by now.
        about: how the numbers came about, and where they are kept.
        verbose: also each task, and what only some readers want to know.
    """
    for report in reporter.stats.get("missed", []):
        reporter.write_sep("_", f"MISSED {report.nodeid}")
        reporter.write_line(report.longreprtext)
    if alarm := gates.alarm():
        reporter.write_sep("=", "tau: severity 1", red=True)
        write_lines(reporter, alarm)
    reporter.write_sep("=", "tau: pass^k")
    told = notes if verbose else partial(first_notes, more="More with -v.")
    tables = run_tables(totals, told=told, each_task=verbose)
    for lines in filter(None, [*tables, gates.lines(), list(about)]):
        write_lines(reporter, lines)
        reporter.write_line("")


def fold_misses(reporter: TerminalReporter) -> None:
    """Leave of each task the first miss, of the run those of the first ``SHOWN`` tasks; of the others their one line.

    Done when the report files are written: they have everything.
    """
    shown: set[str] = set()
    for report in reporter.stats.get("failed", []):
        told, crash = dict(report.user_properties), getattr(report.longrepr, "reprcrash", None)
        if told.get("tau_outcome") != "missed" or crash is None:
            continue
        if told["tau_task"] not in shown and len(shown) < SHOWN:
            shown.add(told["tau_task"])
            continue
        text = f"{crash.message}\n(All of it with -v.)\n"
        report.longrepr = private.failure_text([text], crash.path, crash.lineno, crash.message)


def write_lines(reporter: TerminalReporter, lines: Iterable[str]) -> None:
    """Print lines, whatever a model has put into them."""
    for line in lines:
        reporter.write_line(printable(line))
