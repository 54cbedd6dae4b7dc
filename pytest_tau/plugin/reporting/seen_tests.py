"""Which tests have begun, reported, or died with their worker, so that each trial is counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...metrics.tally import TRIAL as _TRIAL
from ...schema.record import TrialRecord
from ..run import Run
from ..workers.spool import conversation_left, left_by

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
        self.skipped: set[str] = set()  # without a word on their trials
        self.played_again: set[str] = set()  # by another plugin, after they had been counted
        # Run a second time because a worker died, and not reported yet; with xdist's report of the first time.
        self.owed: dict[str, pytest.TestReport] = {}
        self._again: set[str] = set()  # run a second time because a worker died
        self.died: set[str] = set()  # with their worker; under --dist loadfile the next one gets them again

    def last_line(self, report: pytest.TestReport) -> str | None:
        """The line of the trial that a worker had finished before it died, None where there is none."""
        left = left_by(self._run, report.node)
        return left.line(report.nodeid) if left is not None else None

    def crashed(self, report: pytest.TestReport) -> TrialRecord | None:
        """What a worker that died had written down of the trial it died of, None where nobody can read it.

        Of a conversation that was over and not graded yet that is all of it, whichever worker had played it.
        """
        if (line := conversation_left(self._run, report.nodeid)) is not None:
            return TrialRecord.of_line(line)
        left = left_by(self._run, report.node)
        begun = left.unfinished.get(report.nodeid) if left is not None else None
        return TrialRecord.model_validate(begun) if begun is not None else None

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
        if begun and (left is None or not (nodeid in left.finished or left.unfinished.keys() - {nodeid})):
            return False
        self._again.add(nodeid)
        self.owed[nodeid] = report
        return True
