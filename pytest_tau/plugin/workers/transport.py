"""A trial's way to the process that prints the report: as a text on the report of its test.

A string attribute survives xdist, costs nothing where it is not looked at, and is lost only with the trial that a dying
worker was running. Who takes it off frees the memory: pytest's terminal keeps all reports to the end.
"""

from __future__ import annotations

import pytest

TRIAL = "tau"  # the trial, as its line of the journal
NOT_RUN = "tau_not_run"  # the reason why a trial was not begun
SNAPSHOT = "tau_snapshot"  # what of a snapshot can be compared only when all trials are there


def put(report: pytest.TestReport, what: str, text: str) -> None:
    """Let a text travel on a report."""
    setattr(report, what, text)


def look(report: pytest.TestReport, what: str) -> str | None:
    """The text on a report, which stays there; None when there is none."""
    found: str | None = vars(report).get(what)
    return found


def take(report: pytest.TestReport, what: str) -> str | None:
    """Take a text off a report; None when there is none."""
    taken: str | None = vars(report).pop(what, None)
    return taken
