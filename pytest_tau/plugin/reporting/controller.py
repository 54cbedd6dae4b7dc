"""What the process that prints the report knows of the run: totals, the journal, and what it says while and after.

It keeps totals, never conversations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ...journal import is_of_task_file
from ...manifest import RESULT
from ...metrics.tally import REPLAYED
from ...metrics.tally import TRIAL as _TRIAL
from ...metrics.trial_facts import total_cost
from ...printable import count_of, one_line, printable
from ...reports.history import result_of
from ...reports.terminal import money
from ...schema.record import Outcome, TrialRecord
from ..playing.outcomes import CANNOT_KEEP
from ..playing.records import as_json
from ..private import has_workers, is_crash
from ..recording.depends_on import for_baselines, of_a_file, of_a_trial
from ..refusals import refuse_unheeded
from ..run import Run
from ..workers.transport import TRIAL, take
from .about_run import AboutRun
from .counting import LEFT_OUT, TrialCounter
from .forecast_lines import forecast
from .gates import Gates
from .kept import RunRecords
from .pointing import may_point, point
from .probing import probe
from .progress import ProgressReporter
from .repeats import refuse_repeats
from .run_files import ReportContents
from .seen_tests import SeenTests
from .summary import write_lines, write_summary
from .terminating import Ending, Terminating
from .their_hooks import TheirHooks
from .written_files import NOT_WRITTEN, write_outputs

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class Controller:
    """Takes finished trials off the reports as they arrive."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._gates = Gates(run)
        self.counter = TrialCounter(run, self._gates)
        self.totals = self.counter.totals
        self._kept = RunRecords(run)
        self.about = AboutRun(run, self.totals, self._kept)
        self.seen = SeenTests(run)
        self.progress = ProgressReporter(run, self.totals)
        self._may_point = may_point(run)
        self._turned_red = self._ended_short = self._foretold = self._probed = False
        self._hooks = TheirHooks(run)
        self._written: list[str] = []
        self._due: set[str] = set()  # the tests of the trials that workers are to play
        self.is_cut_off = False  # by Ctrl-C, pytest.exit() or an error in collection
        self.is_interrupted = False  # by Ctrl-C

    def plan(self, nodeids: Iterable[str]) -> None:
        """Note the trials among the tests that are about to run."""
        known = dict.fromkeys((*nodeids, *self._run.done))  # in the order of the suite
        trials = [nodeid for nodeid in known if _TRIAL.match(nodeid)]
        refuse_unheeded(self._run, trials)
        if has_workers(self._run.config):
            self._due = {*trials} - self._run.done
        self.counter.plan(known)
        planned, only_collects = self.counter.planned, self._run.config.option.collectonly
        self._kept.plan(planned, {file for task in planned if (file := of_a_file(task))})
        repeated = [nodeid for nodeid in known if "trial" in nodeid and not _TRIAL.match(nodeid)]
        self.progress.planned = planned.total() - self.counter.left_out.total()
        if planned and not only_collects:
            self.progress.open()
            self._run.one(Ending)
            self._run.one(Terminating)
        if (planned or repeated) and not only_collects:
            refuse_repeats(self._run.config, repeated)
        self.counter.take_over(self.seen.reported.add)
        self._announce_untold()
        self._gates.check_trials(planned.values())

    def forecast(self) -> list[str]:
        """What the trials that are left take of models; said once, though every worker collects."""
        if self._foretold:
            return []
        self._foretold = True
        by_agent = partial(self.counter.planned_by_agent, self._run.done)
        lines, calls = forecast(self._run, by_agent, self.counter.count_left(self._run.done), self.counter.place)
        self.progress.expected_calls = calls
        return lines

    def probe(self) -> None:
        """Ask the judge a word before the first trial, once; raises UsageError where it fails for good."""
        if not self._probed and not self._run.config.option.collectonly:
            self._probed = True
            probe(self._run, self.counter.count_left(self._run.done))

    def open_journal(self) -> None:
        """Make sure that results can be kept before any is paid for; raises UsageError."""
        self._kept.open_or_refuse()

    def begin_test(self, nodeid: str) -> None:
        """A test begins: what its trial has in common with others is written first, so that the run can be resumed."""
        self.seen.begun.add(nodeid)
        if found := _TRIAL.match(nodeid):
            self.progress.begins(nodeid)
            if self.counter.planned[found["task"]]:
                self._kept.open()

    def receive(self, report: pytest.TestReport) -> str | None:
        """Take the trial off a report; returns its outcome, None when there is none on it."""
        self.seen.owed.pop(report.nodeid, None)
        self.progress.end_test(report.nodeid)
        line = take(report, TRIAL)
        if line is not None and report.nodeid in self.seen.reported:
            # Another plugin played it again because it had missed; counting that as well would raise the rate.
            self.seen.played_again.add(report.nodeid)
            return None
        if line is not None:
            return self._receive(report.nodeid, line)
        if report.nodeid in self.seen.reported:
            # Its tear-down failed, or took the worker down.
            return "infra_error" if report.nodeid in self.seen.died and is_crash(report) else None
        line = self._crashed(report) if is_crash(report) else None
        return self._receive(report.nodeid, line) if line is not None else None

    def _crashed(self, report: pytest.TestReport) -> str | None:
        """The line of a trial whose worker died; None: not ours."""
        if (line := self.seen.last_line(report)) is not None:
            return line
        if (trial := self.seen.crashed(report) or self.counter.crashed(report.nodeid)) is None:
            return None
        self.seen.died.add(report.nodeid)
        note = printable(str(report.longrepr))
        return as_json(trial.model_copy(update={"outcome": Outcome.INFRA_ERROR, "note": note}))

    def _receive(self, nodeid: str, line: str) -> str:
        content: dict[str, Any] = json.loads(line)
        self._kept.append(line, of_a_trial(nodeid, content["domain"], content.get("suite")), content)
        self.seen.reported.add(nodeid)
        self.counter.add(nodeid, content)
        self._announce(line)
        self._may_point = self._may_point and point(self._run, self.totals, self.counter.planned.total())
        self.progress.tell()
        outcome: str = content["outcome"]
        return outcome

    def _announce(self, line: str) -> None:
        if self._run.config.hook.pytest_tau_trial_finished.get_hookimpls():
            self._hooks.call("pytest_tau_trial_finished", trial=TrialRecord.of_line(line))

    def _announce_untold(self) -> None:
        """Tell of trials that were over when their run was cut off or killed, before their tests could report them."""
        for line in self._kept.untold():
            self._announce(line)

    def finish(self, session: pytest.Session, *, only_misses: bool) -> None:
        """Decide the gates, and with them the exit status; ``only_misses``: nothing failed but trials."""
        self.progress.stop()
        if self._run.config.option.collectonly:
            return
        for nodeid, report in self.seen.owed.items():  # no worker was left to run them again
            if (line := self._crashed(report)) is not None:
                self._receive(nodeid, line)
        self.counter.take_over(self.seen.reported.add)
        self.counter.finish()
        self.about.ended = self._ended_early(session)
        self._kept.note({**self.about.choices(), RESULT: result_of(self.totals)})
        self._kept.close(self.seen.reported)
        self._announce_untold()
        if not (self.seen.begun or self.totals.not_run):
            self._kept.drop()
        if self.counter.is_resumed and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK  # all had been done
        regular = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        came_to_its_end = regular and not self.is_cut_off
        if self._gates.asked and session.exitstatus != pytest.ExitCode.USAGE_ERROR:  # which says itself what is wrong
            parts = for_baselines(self._kept.content)
            spoiled = _spoiling_reason(session, came_to_its_end, self._could_not_keep)
            if not (spoiled or self.totals.planned() or self.totals.done()):
                spoiled = _NOTHING if self._run.domains else f"{_NOTHING}: {_NAME_SOME}"
            elif not spoiled and self.counter.left_out:
                spoiled = LEFT_OUT
            self._gates.decide(self.totals, self.counter.hashes, parts, spoiled, self.counter.early)
            if came_to_its_end:
                session.exitstatus = self._gates.exit_status(session.exitstatus, only_misses=only_misses)
        self._write_files()
        if session.exitstatus == pytest.ExitCode.OK and self._is_red():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            self._ended_short = bool(self._never_begun)
            self._turned_red = not self._gates.gates and self.counter.any_failed

    def _is_red(self) -> bool:
        """Whether a run fails in which, as pytest counts, nothing did."""
        return bool(
            (self.is_cut_off and not self.is_done())
            or self.seen.owed
            or self._never_begun
            or self._could_not_keep
            or self.totals.unreviewed
            or any(task.unheard or task.unjudged for task in self.totals.of())
            or (not self._gates.gates and self.counter.any_failed)
            or self._hooks.have_failed
            or any(line.startswith(NOT_WRITTEN) for line in self._written)
        )

    def is_done(self) -> bool:
        """Whether all planned trials have been played, and nothing is left to decide."""
        return not self._gates.asked and self.counter.is_all_done

    def _ended_early(self, session: pytest.Session) -> str:
        """What ended the run before all its trials, "" where nothing did."""
        done, planned = self.totals.done(), self.totals.planned()
        stopped, most = session.shouldfail or session.shouldstop, self._run.config.option.maxfail or 0
        if done >= planned:
            return ""
        if stopped and 0 < most <= session.testsfailed:
            why = f" by --maxfail={most}"
        elif stopped:
            why = f" ({one_line(str(stopped))})"
        elif session.exitstatus == pytest.ExitCode.INTERRUPTED or self.is_cut_off:
            why = " by an interrupt"
        elif session.exitstatus == pytest.ExitCode.INTERNAL_ERROR:
            why = " by an internal error"
        elif self.totals.not_run:
            why = f", as {next(iter(self.totals.not_run))},"
        else:
            return ""
        return f"early{why} after {done} of {count_of(planned, 'trials')}"

    def _write_files(self) -> None:
        """Write what was asked for besides the journal: now, as a session may have no summary in its terminal."""
        if not self._kept.is_open or not self._has_results:
            return
        about = ReportContents(
            self.about.facts(),
            self._kept.options,
            self._gates.verdicts(),
            self._gates.counts(),
            list(self.counter.planned),
        )
        self._written = list(write_outputs(self._run, self.totals, self._kept.path, about, self._kept.rescued))

    @property
    def _never_begun(self) -> int:
        """How many trials did not begin: where workers die at their start, xdist gives up without a failure."""
        return len(self._due - self.seen.begun)

    @property
    def _could_not_keep(self) -> bool:
        """Whether results are lost, or trials were not run because they would have been."""
        return self._kept.lost is not None or any(why.startswith(CANNOT_KEEP) for why in self.totals.not_run)

    @property
    def _has_results(self) -> bool:
        return bool(self.totals.done() or self.totals.not_run or self._in_vain)

    @property
    def _in_vain(self) -> list[float | None]:
        """What each conversation cost whose test was skipped after it, or without looking at it."""
        return [cost for nodeid, cost in self._kept.taken.items() if nodeid in self.seen.skipped]

    @property
    def gated(self) -> bool:
        """Whether gates decide, and not each miss."""
        return bool(self._gates.gates)

    def summarize(self, reporter: TerminalReporter) -> None:
        """Print the tables, and what one has to know to read them."""
        if not self._has_results:
            write_lines(reporter, [*self._gates.lines(), *self._why_red(), *self._how_to_go_on()])
            return
        verbose = self._run.config.get_verbosity() > 0
        lines = [*self.about.lines(verbose=verbose), *self._written, *self.about.warnings(verbose=verbose)]
        lines += [*self.counter.problems, *self._problems()]
        write_summary(reporter, self.totals, self._gates, lines, verbose=verbose)
        self._hooks.call("pytest_tau_summary", summary=self.totals, terminalreporter=reporter)
        write_lines(reporter, [*self._hooks.lines(), *self._why_red(), *self._how_to_go_on()])
        if self._hooks.have_failed and self._run.session.exitstatus == pytest.ExitCode.OK:
            self._run.session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _why_red(self) -> list[str]:
        """Why the exit status is 1 though pytest itself has counted no failure."""
        if self._ended_short:
            number = count_of(self._never_begun, "trials")
            go_on = "; --tau-resume plays what is left" if self.seen.begun else ""
            return [f"Exit status 1: {number} did not begin, as workers ended before{go_on}."]
        if not self._turned_red or self.totals.not_run:
            return []
        if self.counter.is_resumed:
            return ["Exit status 1: trials that had been played before --tau-resume count as well."]
        return ["Exit status 1: --tau-miss-as xfail changes how a miss is shown, and not that it is one."]

    def _how_to_go_on(self) -> list[str]:
        """What is kept of a run that was interrupted, and how it goes on."""
        done, planned = self.totals.done(), max(self.totals.planned(), self.counter.planned.total())
        if not self.is_cut_off or not (self.is_interrupted or done):
            return []
        if not planned:
            return ["Interrupted before the tests were known: nothing was played."]
        outcomes = self.totals.outcomes()
        return [self._kept.after_interrupt(done, planned, sum(outcomes[one] for one in REPLAYED))]

    def _problems(self) -> list[str]:
        """What went wrong with counting, as lines below the table."""
        lines = self.counter.watch_problems
        if self.seen.played_again:
            number = count_of(len(self.seen.played_again), "trials")
            lines.append(f"(!) Another plugin played {number} more than once (reruns): the first time counts.")
        if costs := self._in_vain:
            tests, them = ("its test was", "it") if len(costs) == 1 else ("their tests were", "them")
            lines.append(
                f"(!) {count_of(len(costs), 'conversations')} had ended and {tests} skipped, which is no verdict: this "
                f"table does not count {them} (cost: {money(total_cost(costs))}); let a test fail that is to count."
            )
        left = self._kept.taken.keys() - self.seen.skipped
        if left and not self.is_cut_off:  # of an interrupted run that is said where it says how to go on
            more, them = count_of(len(left), "more conversations"), "it" if len(left) == 1 else "them"
            # What a test in Python says of its trial nobody knows yet, so the journal has not got it either.
            told = f"this table has not got {them}; --tau-resume gives {them} to the tests"
            if all(map(is_of_task_file, left)):
                told = f"files made of the journal have {them}, and this table has not; --tau-resume counts {them}"
            lines.append(f"(!) {more} had ended before the run did: {told}.")
        return lines


_NOTHING = "nothing was played"
_NAME_SOME = "name a domain with --tau-domain, or mark tests with @pytest.mark.tau"


def _spoiling_reason(session: pytest.Session, came_to_its_end: bool, could_not_keep: bool) -> str | None:
    """Why no gate can hold on this run, whatever its trials say."""
    if could_not_keep:
        return "its results could not be kept"
    stopped = session.shouldfail or session.shouldstop
    if stopped:
        return f"the run was stopped early ({stopped})"
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        return _NOTHING
    return None if came_to_its_end else "the run was interrupted"


def controller(run: Run) -> Controller:
    """The controller of this session, made when first needed."""
    return run.one(Controller)
