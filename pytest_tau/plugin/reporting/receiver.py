"""Takes trials off the reports as they come by, and says how those with no verdict are shown.

Registered when the first trial is in sight, so that a session without trials does not pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ..private import has_workers, outlive, reap, say, tell_junit
from ..run import RECEIVER, Run, is_played
from ..workers.link import answer_of
from ..workers.sharing import SharedParts
from ..workers.spool import leave_to_others
from ..workers.transport import NOT_RUN, SNAPSHOT, TRIAL, look
from .controller import Controller, controller
from .exits import guard_exits
from .summary import fold_misses
from .terminating import is_interrupt

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_UNFIT = re.compile(r"\W+")  # for the name of a property


def controller_of(run: Run) -> Controller:
    """The controller of this session; the first time, what feeds it is registered."""
    if not run.config.pluginmanager.hasplugin(RECEIVER):
        # Whatever has failed before any trial could, such as collecting, was no trial.
        run.config.pluginmanager.register(Receiver(run, only_misses=not run.session.testsfailed), RECEIVER)
    return controller(run)


def workers_collected(run: Run, node: Any, nodeids: list[str]) -> None:
    """A worker knows its tests: plan the trials among them."""
    outlive(node)
    known = controller_of(run)
    known.plan(nodeids)
    say(run.config, known.forecast())
    known.probe()


class Receiver:
    """The hooks that feed the controller, in the process that prints the report."""

    def __init__(self, run: Run, *, only_misses: bool) -> None:
        self._run = run
        self._controller = controller(run)
        self._shown: dict[str, tuple[str, str, tuple[str, dict[str, bool]]]] = {}
        self._only_misses = only_misses
        self._parts = SharedParts()
        run.begins = self._controller.begin_test
        guard_exits(run).is_done = self._controller.is_done
        run.ending.callback(lambda: tell_junit(run.config, self._properties()))  # before pytest writes the file

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        """Say what the trials will take of models."""
        return self._controller.forecast() if any(map(is_played, items)) else []

    def pytest_runtestloop(self) -> None:
        """Ask the judge a word before the first trial; with workers that is once they know their tests."""
        if not has_workers(self._run.config):
            self._controller.probe()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test begins; without workers, the test itself says when it looks at its trial."""
        if has_workers(self._run.config):
            self._controller.begin_test(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the trial on a report."""
        if look(report, SNAPSHOT) is not None:
            from ..integrations.snapshots import snapshots

            snapshots(self._run).receive(report)
        if (reason := look(report, NOT_RUN)) is not None:
            self._controller.counter.not_run(report.nodeid, reason)
        if report.when == "teardown":
            self._controller.progress.end_test(report.nodeid)  # also of one that only looks like a trial
        outcome = self._controller.receive(report) if look(report, TRIAL) is not None or report.failed else None
        if report.skipped and outcome is None:
            self._controller.seen.skipped.add(report.nodeid)
        self._parts.share(report)
        if outcome == "ungraded":
            self._shown[report.nodeid] = ("ungraded", "u", ("UNGRADED", {"yellow": True}))
        elif outcome == "missed" and self._controller.gated and report.failed:
            self._shown[report.nodeid] = ("missed", "m", ("MISSED", {"yellow": True}))
        elif report.failed and outcome not in ("missed", "infra_error", "invalid"):
            self._only_misses = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Show what is neither passed nor failed as what it is."""
        return self._shown.get(report.nodeid) if report.when == "call" else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that something failed that is no trial."""
        if report.failed:
            self._only_misses = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Save what a worker that died had done; take what one says that came to its end."""
        if error:
            reap(node)
            leave_to_others(self._run, node)
        else:
            self._controller.about.concurrency = answer_of(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport, sched: Any) -> None:
        """Run a test again whose worker was killed, as far as can be known, by another trial than its own."""
        from ..workers.scheduling import can_run_again

        again = can_run_again(sched) and self._controller.seen.is_bystander(crashitem, report)
        if again:
            sched.mark_test_pending(crashitem)
        if again or self._controller.seen.is_over(crashitem, report):
            report.outcome, report.when = "passed", "setup"  # what is to be said of it is said by its own report

    def pytest_enter_pdb(self) -> None:
        """Leave the screen to the debugger."""
        self._controller.progress.debugs(True)

    def pytest_leave_pdb(self) -> None:
        """Take it back."""
        self._controller.progress.debugs(False)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that somebody ended the run, also by pytest.exit() with the status of a success."""
        self._controller.is_cut_off = True
        self._controller.is_interrupted = is_interrupt(excinfo.value)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide the run."""
        self._controller.finish(session, only_misses=self._only_misses)

    def _properties(self) -> Iterator[tuple[str, str]]:
        for label, fact in self._controller.about.facts():
            yield f"tau_{_UNFIT.sub('_', label)}", fact

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Iterator[None]:
        """Print the tables last: what pytest lists of each trial would push them off the screen."""
        if terminalreporter.config.get_verbosity() <= 0:
            fold_misses(terminalreporter)
        yield
        self._controller.summarize(terminalreporter)
