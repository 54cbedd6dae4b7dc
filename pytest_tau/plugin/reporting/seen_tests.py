"""Which tests have begun, reported, or died with their worker, so that each trial is counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...metrics.tally import TRIAL as _TRIAL
from ..run import Run
from ..workers.spool import left_by

if TYPE_CHECKING:
    import pytest


class SeenTests:
    """The node IDs of a run's tests, by how far each has come.

    Args:
        run: this run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.reported: set[str] = set()
        self.begun: set[str] = set()  # as far as workers say what they begin
        self.played_again: set[str] = set()  # by another plugin, after they had been counted
        self.owed: set[str] = set()  # run a second time because a worker died, and not reported yet
        self._again: set[str] = set()  # run a second time because a worker died
        self._died: set[str] = set()  # with their worker; under --dist loadfile the next one gets them again

    def last_line(self, report: pytest.TestReport) -> str | None:
        """The line of the trial that a worker had finished before it died, None where there is none."""
        left = left_by(self._run, report.node)
        return left.line(report.nodeid) if left is not None else None

    def dies(self, nodeid: str) -> bool:
        """Note that a test died with its worker; returns whether that is news."""
        is_news = nodeid not in self._died
        self._died.add(nodeid)
        return is_news

    def is_over(self, nodeid: str, report: pytest.TestReport) -> bool:
        """Whether the test that a worker died in had said its last: the worker died of another trial then."""
        left = left_by(self._run, report.node) if nodeid in self.reported else None
        return left is not None and bool(left.unfinished)

    def is_bystander(self, nodeid: str, report: pytest.TestReport) -> bool:
        """Whether a test is to be run again after a crash that need not be its own.

        Its trial was over, or others were being played as well, or neither it nor its trial had begun.
        """
        if nodeid in self._again or nodeid in self.reported or not _TRIAL.match(nodeid):
            return False
        left = left_by(self._run, report.node)
        begun = nodeid in self.begun or (left is not None and nodeid in left.unfinished)
        if begun and (left is None or not (nodeid in left.finished or left.unfinished - {nodeid})):
            return False
        self._again.add(nodeid)
        self.owed.add(nodeid)
        return True
