"""What the process that prints the report knows of the run: totals, the journal, and what it says while and after.

It keeps totals, never conversations.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ...journal import is_graded, read_trials
from ...manifest import ENDED, RESULT
from ...metrics.tally import REPLAYED, Earlier, row_of
from ...metrics.tally import TRIAL as _TRIAL
from ...metrics.totals import Totals
from ...metrics.trial_facts import TrialFacts
from ...printable import count_of, one_line
from ...reports.history import result_of
from ...reports.run_facts import EVALUATED, ISOLATION, Fact, fact_lines, run_facts
from ...schema.record import TrialRecord
from ...scrub import conceal
from ..collecting.agents import agents_of, labels_of
from ..collecting.task_files import origin_of
from ..playing.outcomes import CANNOT_KEEP, DECIDED, RULE_DECIDED
from ..playing.players import is_offline
from ..playing.sources import out_of_reach
from ..private import is_crash
from ..recording.depends_on import for_baselines, of_a_file, of_a_trial
from ..run import Run
from ..workers.spool import left_by
from ..workers.transport import TRIAL, take
from .early_stop import EarlyStop
from .forecast_lines import forecast
from .gates import Gates
from .header import EVALUATE_ONE, WARNS, isolation_told, other_root, player_told, split_told
from .judges import known_judge
from .kept import RunRecords
from .mutant_stop import MutantStop
from .pointing import Pointer
from .probing import probe
from .progress import ProgressReporter
from .repeats import refuse_repeats
from .rows import Label, Place, Rows
from .summary import write_lines, write_summary
from .terminating import Terminating
from .their_hooks import TheirHooks
from .written_files import NOT_WRITTEN, ReportContents, write_outputs

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


_WHO = ("agent", "user", "judge", ENDED)
"""The facts that stand below the table, whoever reads it."""


class Controller:
    """Takes finished trials off the reports as they arrive."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.totals: Totals = Totals()
        self.totals.judge = known_judge(run).errors
        self._kept = RunRecords(run)
        self._rows = Rows(run, self.totals)
        self._progress = ProgressReporter(run, self.totals)
        self._pointer = Pointer(run)
        self._gates = Gates(run)
        self._early = EarlyStop(run, self._gates) if run.settings.stop else None
        self._mutants = MutantStop(run) if run.settings.policy_mutants else None
        self._planned: Counter[str] = Counter()
        self._reported: set[str | None] = set()
        self._begun: set[str] = set()  # as far as workers say what they begin
        self._again: set[str] = set()  # run a second time because a worker died
        self._owed: set[str] = set()  # … and not reported yet
        self._died: set[str] = set()  # with their worker; under --dist loadfile the next one gets them again
        self._earlier: dict[str, Earlier] = {}
        self._hashes: dict[str, str] = {}  # of the tasks, as they were played
        self._resumed = self._turned_red = False
        self._foretold = self._probed = False
        self._broken: list[str] = []
        self._again_played: set[str] = set()
        self._hooks = TheirHooks(run)
        self._written: list[str] = []
        self._ended = ""
        self.is_cut_off = False  # by Ctrl-C, or pytest.exit()
        self.concurrency: list[str] = []

    def plan(self, nodeids: Iterable[str]) -> None:
        """Note the trials among the tests that are about to run."""
        known = dict.fromkeys((*nodeids, *self._run.done))  # in the order of the suite
        self._planned = Counter(found["task"] for nodeid in known if (found := _TRIAL.match(nodeid)))
        self._kept.order = list(self._planned)
        self._kept.files = {file for task in self._planned if (file := of_a_file(task))}
        repeated = [nodeid for nodeid in known if "trial" in nodeid and not _TRIAL.match(nodeid)]
        self._progress.planned = self._planned.total()
        if self._planned and not self._run.config.option.collectonly:
            self._progress.open()
            self._run.one(Terminating)
        if (self._planned or repeated) and not self._run.config.option.collectonly:
            refuse_repeats(self._run.config, repeated)
        if self._early is not None:
            self._early.plan(self._planned, self._rows.of_task)
        self._take_over()
        self._gates.check_trials(self._planned.values())

    def forecast(self) -> list[str]:
        """What the trials that are left take of models; said once, though every worker collects."""
        if self._foretold:
            return []
        self._foretold = True
        left = self._planned - Counter(found["task"] for nodeid in self._run.done if (found := _TRIAL.match(nodeid)))
        lines, calls = forecast(self._run, lambda: self._by_agent(left), left.total(), self._place)
        self._progress.expected_calls = calls
        return lines

    def probe(self) -> None:
        """Ask the judge a word before the first trial, once; raises UsageError where it fails for good."""
        if not self._probed and not self._run.config.option.collectonly:
            self._probed = True
            probe(self._run, self._planned.total() - len(self._run.done))

    def _by_agent(self, planned: Counter[str]) -> dict[str, Counter[Label]]:
        """Trials by the agent's label, then by domain and task id, as far as node IDs tell them."""
        found: dict[str, Counter[Label]] = {}
        for test, trials in planned.items():
            if (place := self._place_of(test)) is not None:
                found.setdefault(place.agent, Counter())[place[1:]] += trials
        return found

    def _place(self, nodeid: str) -> Place | None:
        found = _TRIAL.match(nodeid)
        return self._place_of(found["task"]) if found else None

    def _place_of(self, test: str) -> Place | None:
        """What a test is about, by its node ID up to the trial's number."""
        if (label := self._rows.of_task(test)) is None:
            return None
        return Place(self._rows.agent_of_task(test), label[0].partition(", ")[0], label[1])  # without the way

    def open_journal(self) -> None:
        """Make sure that results can be kept before any is paid for; raises UsageError."""
        self._kept.open_or_refuse()

    def not_run(self, nodeid: str, why: str) -> None:
        """A trial was not begun."""
        found = _TRIAL.match(nodeid)
        if why == DECIDED and found and self._early is not None:
            self._early.spare(found["task"])
        elif why == RULE_DECIDED and found and self._mutants is not None:
            self._mutants.spare(found["task"])
        else:
            self.totals.not_run[why] += 1

    def begin_test(self, nodeid: str) -> None:
        """A test begins: what its trial has in common with others is written first, so that the run can be resumed."""
        self._begun.add(nodeid)
        if found := _TRIAL.match(nodeid):
            self._progress.begins(nodeid)
            if self._planned[found["task"]]:
                self._kept.open()

    def debugs(self, is_debugging: bool) -> None:
        """A debugger begins or ends: nothing is said while it has the screen."""
        self._progress.debugs(is_debugging)

    def receive(self, report: pytest.TestReport) -> str | None:
        """Take the trial off a report; returns its outcome, None when there is none on it."""
        self._owed.discard(report.nodeid)
        self._progress.end_test(report.nodeid)
        line = take(report, TRIAL)
        if line is not None and report.nodeid in self._reported:
            # Another plugin played it again because it had missed; counting that as well would raise the rate.
            self._again_played.add(report.nodeid)
            return None
        if line is not None:
            return self._receive(report.nodeid, line)
        if report.nodeid in self._reported:
            return None  # its tear-down failed, or took the worker down
        if is_crash(report) and (found := _TRIAL.match(report.nodeid)) and (label := self._rows.of(found)):
            left = left_by(self._run, report.node)
            if left is not None and (line := left.line(report.nodeid)) is not None:
                return self._receive(report.nodeid, line)
            if report.nodeid in self._died:
                return "infra_error"
            self._died.add(report.nodeid)
            self._count(TrialFacts(*label, outcome="infra_error"), found, label)
            return "infra_error"
        return None

    def is_over(self, nodeid: str, report: pytest.TestReport) -> bool:
        """Whether the test that a worker died in had said its last: the worker died of another trial then."""
        left = left_by(self._run, report.node) if nodeid in self._reported else None
        return left is not None and bool(left.unfinished)

    def is_bystander(self, nodeid: str, report: pytest.TestReport) -> bool:
        """Whether a test is to be run again after a crash that need not be its own.

        Its trial was over, or others were being played as well, or neither it nor its trial had begun.
        """
        if nodeid in self._again or nodeid in self._reported or not _TRIAL.match(nodeid):
            return False
        left = left_by(self._run, report.node)
        begun = nodeid in self._begun or (left is not None and nodeid in left.unfinished)
        if begun and (left is None or not (nodeid in left.finished or left.unfinished - {nodeid})):
            return False
        self._again.add(nodeid)
        self._owed.add(nodeid)
        return True

    def _receive(self, nodeid: str, line: str) -> str:
        content: dict[str, Any] = json.loads(line)
        self._kept.append(line, of_a_trial(nodeid, content["domain"], content.get("suite")))
        self._add(nodeid, content)
        self._announce(line)
        self._pointer.look(self.totals, self._planned.total())
        self._progress.tell()
        outcome: str = content["outcome"]
        return outcome

    def _add(self, nodeid: str, content: dict[str, Any]) -> None:
        """Count a trial in."""
        self._reported.add(nodeid)
        trial, found = TrialFacts.of(content), _TRIAL.match(nodeid)
        trial = self._earlier.get(nodeid, Earlier()).then(trial)
        row = row_of(found, trial) if found else trial.domain
        self._count(trial, found, found and (row, trial.task_id))
        if found and self._early is not None:
            self._early.add(found["task"], nodeid, trial.outcome, (row, trial.task_id))
        if found and self._mutants is not None:
            self._mutants.add(row, trial.task_id, trial.variant, trial.outcome)
        if (digest := content.get("hashes", {}).get("task")) is not None:
            self._hashes[f"{row}/{trial.task_id}"] = digest

    def _take_over(self) -> None:
        """Count what the resumed run has done, once."""
        finished = self._run.done
        if self._resumed or self._earlier or not self._run.settings.resume or self._run.config.option.collectonly:
            return
        trials = read_trials(self._run.folder, self._broken.append)
        last = {content["nodeid"]: number for number, content in enumerate(trials)}
        for number, content in enumerate(read_trials(self._run.folder, lambda sentence: None)):
            nodeid = content["nodeid"]
            is_last = nodeid in finished and last[nodeid] == number
            if is_graded(content) and content["outcome"] in REPLAYED and not is_last:
                self._earlier[nodeid] = self._earlier.get(nodeid, Earlier()).plus(TrialFacts.of(content))
        if not finished:
            return
        self._resumed = True
        for number, content in enumerate(read_trials(self._run.folder, lambda sentence: None)):
            if content["nodeid"] in finished and last[content["nodeid"]] == number:
                self._add(content["nodeid"], content)

    def _count(self, trial: TrialFacts, found: re.Match[str] | None, label: Label | None) -> None:
        if found and label:
            if self._rows.learn(found, label, trial):
                self._plan(found, label)
            trial = replace(trial, domain=label[0])
        self.totals.add(trial)

    def _plan(self, found: re.Match[str] | None, label: Label) -> None:
        self.totals.plan(*label, self._planned[found["task"]] if found else 0)
        if found and (agent := self._rows.agent(found)):
            self.totals.labels[label[0]] = agent

    def _announce(self, line: str) -> None:
        if self._run.config.hook.pytest_tau_trial_finished.get_hookimpls():
            self._hooks.call("pytest_tau_trial_finished", trial=TrialRecord.of_line(line))

    def finish(self, session: pytest.Session, *, only_misses: bool) -> None:
        """Decide the gates, and with them the exit status; ``only_misses``: nothing failed but trials."""
        self._progress.stop()
        if self._run.config.option.collectonly:
            return
        for task, trials in self._planned.items():
            found = _TRIAL.match(f"{task}trial1]")
            if trials and not self._rows.knows(task) and (label := self._rows.of(found)):
                self._plan(found, label)
        self._take_over()
        for task, trials in (self._early.spared_trials if self._early else {}).items():
            if label := self._rows.of_task(task):
                self.totals.tasks[label].spared += trials
        for task, trials in (self._mutants.spared_trials if self._mutants else {}).items():
            self.totals.unneeded += trials
            if label := self._rows.of_task(task):
                self.totals.tasks[label].planned -= trials
        labels = map(self._rows.of_task, self._planned)
        self.totals.arrange([label for label in labels if label is not None])  # and not as they happened to arrive
        self._ended = self._ended_early(session)
        self._kept.note({**self._choices(), RESULT: result_of(self.totals)})
        self._kept.close(self._reported)
        if self._resumed and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK  # all had been done
        if self.is_cut_off and session.exitstatus == pytest.ExitCode.OK and not self.is_done():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        regular = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        came_to_its_end = regular and not self.is_cut_off
        if self._gates.asked and session.exitstatus != pytest.ExitCode.USAGE_ERROR:  # which says itself what is wrong
            parts = for_baselines(self._kept.content)
            spoiled = _spoiling_reason(session, came_to_its_end, self._could_not_keep)
            self._gates.decide(self.totals, self._hashes, parts, spoiled, self._early)
            if came_to_its_end:
                session.exitstatus = self._gates.exit_status(session.exitstatus, only_misses=only_misses)
        if self._owed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # no worker was left to run them again
        could_not_judge = any(task.unheard or task.unjudged for task in self.totals.of())
        if (self._could_not_keep or could_not_judge) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if not self._gates.gates and session.exitstatus == pytest.ExitCode.OK and self._any_failed():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            self._turned_red = True
        if self._hooks.have_failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._write_files()
        if any(line.startswith(NOT_WRITTEN) for line in self._written) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def is_done(self) -> bool:
        """Whether all planned trials have been played, and nothing is left to decide."""
        return not self._gates.asked and self.totals.done() >= self._planned.total() > 0

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
        if not self._kept.is_open or not (self.totals.done() or self.totals.not_run):
            return
        about = ReportContents(
            self.facts(), self._kept.options, self._gates.verdicts(), self._gates.counts(), list(self._planned)
        )
        self._written = list(write_outputs(self._run, self.totals, self._kept.path, about))

    @property
    def _could_not_keep(self) -> bool:
        """Whether results are lost, or trials were not run because they would have been."""
        return self._kept.lost is not None or any(why.startswith(CANNOT_KEEP) for why in self.totals.not_run)

    def facts(self) -> list[Fact]:
        """How the numbers came about, as far as they are there."""
        known = self._kept.manifest
        about = {**known.about, **self._choices()} if self._kept.is_open else known.about
        return run_facts(replace(known, about=about), self.totals)

    def _domains(self) -> list[str]:
        """The domains of the rows, which marked tests name with their function."""
        return list(dict.fromkeys(row.partition(", ")[0] for row in self.totals.domains()))

    def _with_origin(self, suite: str) -> str:
        """A suite's name, where it comes from, and which part of it was played."""
        return f"{suite} ({origin_of(self._run, suite)}{split_told(self._run, suite)})"

    def _choices(self) -> dict[str, str]:
        """What later reports say of what was played in this run; no empty values."""
        chosen = self._run.settings
        agents = agents_of(self._run) if labels_of(self._run) else ()
        domains = self._domains()
        others = [name for name in chosen.domain if name not in domains]
        found = {
            "agents": ", ".join(f"{agent.label}: {agent.shown_name}" for agent in agents if agent.label),
            "agent": conceal(player_told(self._run, "agent")),
            "user": conceal(player_told(self._run, "user")),
            "suites": ", ".join(map(self._with_origin, others)),
            "domains": ", ".join(
                self._with_origin(name) if name in chosen.domain or not others else name for name in domains
            ),
            "tasks": ", ".join(chosen.tasks) if chosen.first_tasks is None else f"the first {chosen.first_tasks}",
            ISOLATION: isolation_told(self._run),
            EVALUATED: "no model: these agents know or ignore the answers" if self._asks_no_model() else "",
            ENDED: self._ended,
            "parity": "on" if chosen.data is not None and chosen.parity is None else "",
        }
        return {name: text for name, text in found.items() if text}

    def _any_failed(self) -> bool:
        """Whether trials failed that pytest does not count: shown as xfail, not run, or of the run that was resumed."""
        outcomes = self.totals.without_mutants().outcomes()  # there a miss is what an agent does that obeys
        if self.totals.not_run:
            return True
        if self._resumed:
            return outcomes.total() > outcomes["passed"] + outcomes["ungraded"]
        return self._run.settings.miss_as == "xfail" and outcomes["missed"] > 0

    @property
    def gated(self) -> bool:
        """Whether gates decide, and not each miss."""
        return bool(self._gates.gates)

    def summarize(self, reporter: TerminalReporter) -> None:
        """Print the tables, and what one has to know to read them."""
        if not self.totals.done() and not self.totals.not_run:
            write_lines(reporter, [*self._gates.lines(), *self._how_to_go_on()])
            return
        verbose = self._run.config.get_verbosity() > 0
        write_summary(reporter, self.totals, self._gates, self._about(verbose=verbose), verbose=verbose)
        self._hooks.call("pytest_tau_summary", summary=self.totals, terminalreporter=reporter)
        write_lines(reporter, [*self._hooks.lines(), *self._why_red(), *self._how_to_go_on()])
        if self._hooks.have_failed and self._run.session.exitstatus == pytest.ExitCode.OK:
            self._run.session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _why_red(self) -> list[str]:
        """Why the exit status is 1 though pytest itself has counted no failure."""
        if not self._turned_red or self.totals.not_run:
            return []
        if self._resumed:
            return ["Exit status 1: trials that had been played before --tau-resume count as well."]
        return ["Exit status 1: --tau-miss-as xfail changes how a miss is shown, and not that it is one."]

    def _how_to_go_on(self) -> list[str]:
        """What is kept of a run that was interrupted, and how it goes on."""
        done, planned = self.totals.done(), max(self.totals.planned(), self._planned.total())
        if not self.is_cut_off or done >= planned or not self._run.settings.domain:
            return []
        kept = min(done + self._kept.taken, planned)
        if not kept:
            return [f"Interrupted before any of {count_of(planned, 'trials')} was over: nothing is kept."]
        rest = f"plays the other {count_of(planned - kept, 'trials')}" if kept < planned else "counts them"
        where = f" in {self._kept.path}" if self._kept.is_open else ""
        return [
            f"Interrupted: {kept} of {count_of(planned, 'trials')} are kept{where}. The same command with --tau-resume "
            f"{rest}; conversations that were in play begin again."
        ]

    def _asks_no_model(self) -> bool:
        """Whether all who played know the answers, or ignore them."""
        return bool(self.totals.agents) and all(map(is_offline, self.totals.agents))

    def _about(self, *, verbose: bool) -> list[str]:
        """How the numbers came about; unless ``verbose``, who played, where it is kept and what went wrong with it."""
        facts = self.facts()
        lines = fact_lines(facts if verbose else [fact for fact in facts if fact[0] in _WHO])
        lines += [line.removeprefix("tau: ") for line in self.concurrency if verbose or WARNS in line]
        if self._kept.is_open:
            lines.append(f"journal: {self._kept.path}")
        lines += self._written
        if self._run.settings.domain and (elsewhere := other_root(self._run)):
            lines.append(f"(!) {elsewhere}")
        lines += [*out_of_reach(self._run), *self._broken]
        if self._again_played:
            number = count_of(len(self._again_played), "trials")
            lines.append(f"(!) Another plugin played {number} more than once (reruns): the first time counts.")
        if self._kept.lost:
            lines.append(self._kept.lost)
        lines += [watch.problem for watch in (self._early, self._mutants) if watch is not None and watch.problem]
        if ", " in self._kept.commits:
            lines.append(f"The trials were played at different commits of the project: {self._kept.commits}.")
        if self._asks_no_model() and (verbose or not self._run.settings.domain):  # else the header says it
            lines.append(f"No model was evaluated: these agents know or ignore the answers; {EVALUATE_ONE}.")
        return lines


def _spoiling_reason(session: pytest.Session, came_to_its_end: bool, could_not_keep: bool) -> str | None:
    """Why no gate can hold on this run, whatever its trials say."""
    if could_not_keep:
        return "its results could not be kept"
    stopped = session.shouldfail or session.shouldstop
    if stopped:
        return f"the run was stopped early ({stopped})"
    return None if came_to_its_end else "the run was interrupted"


def controller(run: Run) -> Controller:
    """The controller of this session, made when first needed."""
    return run.one(Controller)
