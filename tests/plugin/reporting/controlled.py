"""A controller that is fed with reports as pytest makes them, without a test being run."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.reporting.controller import Controller
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.workers.transport import TRIAL, put
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.reports.runs import record

OK, FAILED, NONE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED
PASSED, MISSED = record("a", 1), record("a", 2, Outcome.MISSED)
AGENT = "--tau-agent=mine:Agent"


def report(nodeid: str, trial: TrialRecord | None = None, when: Any = "call", outcome: Any = "passed") -> Any:
    made = pytest.TestReport(nodeid, (nodeid, 0, nodeid), {}, outcome, None, when)
    if trial is not None:
        put(made, TRIAL, trial.model_dump_json())
    return made


def controlled(pytester: pytest.Pytester, *args: str, done: Iterable[str] = ()) -> Controller:
    run = Run(pytester.parseconfig(AGENT, *args))
    run.done = frozenset(done)
    return Controller(run)


def finished(known: Controller, status: int, *, only_misses: bool = True, stopped: str = "", failed: str = "") -> int:
    session: Any = SimpleNamespace(exitstatus=status, shouldfail=failed, shouldstop=stopped, testsfailed=1)
    known.finish(session, only_misses=only_misses)
    return int(session.exitstatus)
