"""What the process that prints the report knows of the run: totals, the journal, and what it says while and after.

It keeps totals, never conversations.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import TauError, reason
from ...journal import has_spools, is_graded, read_trials
from ...manifest import COMMIT, load_manifest
from ...metrics.tally import REPLAYED, row_of
from ...metrics.tally import TRIAL as _TRIAL
from ...metrics.totals import Totals, TrialFacts
from ...printable import printable
from ...reports.agents import agent_tables
from ...reports.history import RESULT, result_of
from ...reports.run_facts import Fact, fact_lines, run_facts
from ...reports.safety import safety_lines
from ...reports.terminal import duration, notes, progress_line, summary_table, task_table
from ...schema.record import TrialRecord
from ..collecting.agents import labels_of
from ..collecting.task_files import origin_of
from ..collecting.ways import parted
from ..playing.models import REFUSED
from ..playing.outcomes import CANNOT_KEEP, DECIDED
from ..playing.players import is_offline
from ..private import is_crash, say
from ..recording.depends_on import for_baselines, look_up, of_a_file, of_a_trial
from ..recording.resuming import commit_of, journal_of, manifest
from ..run import Run
from ..workers.spool import left_by
from ..workers.transport import TRIAL, take
from .early_stop import EarlyStop
from .forecast_lines import forecast
from .gates import RERUNS, Gates
from .header import EVALUATE_ONE
from .written_files import NOT_WRITTEN, About, write_outputs

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from ...journal import JournalWriter
    from ...manifest import Manifest


class Controller:
    """Takes finished trials off the reports as they arrive."""

    def __init__(self, run: Run) -> None:

        self._run = run
        self.totals: Totals = Totals()
        self._journal: JournalWriter = journal_of(run)
        self._manifest: Manifest | None = None
        self._reported: set[str | None] = set()
        self._begun: set[str] = set()  # as far as workers say what they begin
        self._again: set[str] = set()  # run a second time because a worker died
        self._owed: set[str] = set()  # … and not reported yet
        self._resumed = False
        self._lost: str | None = None
        self._broken: list[str] = []
        self._written: list[str] = []
        self.concurrency: list[str] = []
        self._foretold = False
        self._planned: Counter[str] = Counter()
        self._files: set[str] = set()
        self._labels: dict[str, tuple[str, str]] = {}
        self._rows: dict[tuple[str, str], str] = {}  # by test and label of its agent
        self._hashes: dict[str, str] = {}  # of the tasks, as they were played
        self._gates = Gates(run)
        self._early = EarlyStop(run, self._gates) if run.settings.stop else None
        self._replays: Counter[str] = Counter()
        self._began = self._said = time.monotonic()
        self._waiting: dict[str, float] = {}  # tests that look at their trial, and since when
        self._over = threading.Event()

    def plan(self, nodeids: Iterable[str]) -> None:
        """Note the trials among the tests that are about to run."""
        known = dict.fromkeys((*nodeids, *self._run.done))  # in the order of the suite
        self._planned = Counter(found["task"] for nodeid in known if (found := _TRIAL.match(nodeid)))
        self._files = {file for task in self._planned if (file := of_a_file(task))}
        option = self._run.config.option
        if self._planned and getattr(option, "reruns", None) and not option.collectonly:
            raise pytest.UsageError(RERUNS)
        if self._early is not None:
            self._early.plan(self._planned, lambda task: self._label(_TRIAL.match(f"{task}trial1]")))
        self._take_over()
        self._gates.check_trials(self._planned.values())

    def forecast(self) -> list[str]:
        """What the planned trials take of models; said once, though every worker collects."""
        if self._foretold:
            return []

        self._foretold = True
        return forecast(self._run, self._labelled, self._planned.total())

    def _labelled(self) -> dict[tuple[str, str], int]:
        """The planned trials by domain and task id, as far as node IDs tell them."""
        return {label: n for task, n in self._planned.items() if (label := self._label(_TRIAL.match(f"{task}trial1]")))}

    def open_journal(self) -> None:
        """Make sure that results can be kept before any is paid for; raises UsageError."""
        try:
            self._open()
        except TauError as error:
            raise pytest.UsageError(str(error)) from None
        except OSError as error:
            where = self._run.results
            raise pytest.UsageError(
                f"{where}: results cannot be kept there ({error.strerror}); see --tau-results"
            ) from None

    def not_run(self, nodeid: str, why: str) -> None:
        """A trial was not begun."""
        found = _TRIAL.match(nodeid)
        if why == DECIDED and found and self._early is not None:
            self._early.spare(found["task"])
        else:
            self.totals.not_run[why] += 1

    def began(self, nodeid: str) -> None:
        """A test begins: what its trial has in common with others is written first, so that the run can be resumed."""
        self._begun.add(nodeid)
        if _TRIAL.match(nodeid):
            if not self._waiting and len(self._begun) == 1:
                threading.Thread(target=self._watch, name="tau-progress", daemon=True).start()
            self._waiting[nodeid] = time.monotonic()
        found = None if self._manifest is not None else _TRIAL.match(nodeid)
        if found and self._planned[found["task"]]:
            try:
                self._open()
            except (OSError, TauError) as error:
                self._lost = _not_written(error)

    def receive(self, report: pytest.TestReport) -> str | None:
        """Take the trial off a report; returns its outcome, None when there is none on it."""
        self._owed.discard(report.nodeid)
        self._waiting.pop(report.nodeid, None)
        line = take(report, TRIAL)
        if line is not None:
            return self._receive(report.nodeid, line)
        if report.nodeid in self._reported:
            return None  # its tear-down failed, or took the worker down
        if is_crash(report) and (found := _TRIAL.match(report.nodeid)) and (label := self._label(found)):
            left = left_by(self._run, report.node)
            if left is not None and (line := left.line(report.nodeid)) is not None:
                return self._receive(report.nodeid, line)
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
        self._keep(line, of_a_trial(nodeid, content["domain"]))
        self._add(nodeid, content)
        self._announce(line)
        self._progress()
        outcome: str = content["outcome"]
        return outcome

    def _add(self, nodeid: str, content: dict[str, Any]) -> None:
        """Count a trial in."""
        self._reported.add(nodeid)
        trial, found = TrialFacts.of(content), _TRIAL.match(nodeid)
        trial = replace(trial, replays=self._replays[nodeid])
        row = row_of(found, trial) if found else trial.domain
        self._count(trial, found, found and (row, trial.task_id))
        if found and self._early is not None:
            self._early.add(found["task"], nodeid, trial.outcome, (row, trial.task_id))
        if (digest := content.get("hashes", {}).get("task")) is not None:
            self._hashes[f"{row}/{trial.task_id}"] = digest

    def _take_over(self) -> None:
        """Count what the resumed run has done, once."""
        finished = self._run.done
        if self._resumed or self._replays or not self._run.settings.resume or self._run.config.option.collectonly:
            return
        trials = read_trials(self._run.folder, self._broken.append)
        last = {content["nodeid"]: number for number, content in enumerate(trials)}
        for number, content in enumerate(read_trials(self._run.folder, lambda sentence: None)):
            nodeid = content["nodeid"]
            is_last = nodeid in finished and last[nodeid] == number
            self._replays[nodeid] += is_graded(content) and content["outcome"] in REPLAYED and not is_last
        if not finished:
            return
        self._resumed = True
        for number, content in enumerate(read_trials(self._run.folder, lambda sentence: None)):
            if content["nodeid"] in finished and last[content["nodeid"]] == number:
                self._add(content["nodeid"], content)

    def _open(self) -> None:
        """Open the journal, and write what the trials in it have in common."""
        if self._manifest is not None:
            return
        self._journal.open()
        (self._run.folder / REFUSED).unlink(missing_ok=True)  # as the run that is resumed has left it
        if self._run.settings.resume:
            self._manifest = load_manifest(self._run.folder).resumed(self._run.settings.k, commit_of(self._run))
        else:
            self._manifest = manifest(self._run)
        self._know(self._manifest, self._files)  # all at once: a suite may have thousands

    def _know(self, known: Manifest, names: Iterable[str]) -> None:
        """Write down what trials depend on, by these names."""
        self._manifest = known.knowing(look_up(self._run, set(names) - known.content.keys()))
        self._manifest.save(self._run.folder)

    def _keep(self, line: str, needs: tuple[str, str]) -> None:
        try:
            self._open()
            if self._manifest is not None and not self._manifest.content.keys() >= set(needs):
                self._know(self._manifest, needs)
            self._journal.append(line)
        except (OSError, TauError) as error:
            self._lost = _not_written(error)
        else:
            self._lost = None  # what could not be written before went first

    def _count(self, trial: TrialFacts, found: re.Match[str] | None, label: tuple[str, str] | None) -> None:
        if found and label:
            if trial.variant is not None:
                self.totals.variants[label[0]] = trial.variant
            if found["task"] not in self._labels:
                self._labels[found["task"]] = label
                self._rows.setdefault((found["test"], self._agent(found)), self.totals.plain_row(label[0]))
                self._plan(found, label)
            trial = replace(trial, domain=label[0])
        self.totals.add(trial)

    def _plan(self, found: re.Match[str] | None, label: tuple[str, str]) -> None:
        self.totals.plan(*label, self._planned[found["task"]] if found else 0)
        if found and (agent := self._agent(found)):
            self.totals.labels[label[0]] = agent

    def _agent(self, found: re.Match[str]) -> str:
        """The label that a node ID begins with, "" in a run of one agent."""
        ids, labels = found["ids"] or "", sorted(labels_of(self._run), key=len, reverse=True)
        return next((label for label in labels if ids.startswith(f"{label}-")), "")

    def _label(self, found: re.Match[str] | None) -> tuple[str, str] | None:
        """Row and task id of a trial that never reported, as far as its node ID tells them; None: not ours."""
        if found is None:
            return None
        if found["task"] in self._labels:
            return self._labels[found["task"]]
        file = PurePosixPath(found["test"].partition("::")[0])
        agent = self._agent(found)
        key = (found["test"], agent)
        if file.suffix not in (".json", ".jsonl") and key not in self._rows:
            return None  # some other project's test with a parameter called trial1
        parts = found["test"].split("::")  # of recordings: file, domain, function
        row = parts[1] if len(parts) == 3 else file.parent.name
        _, way, ids = parted(self._run, found["ids"] or "")
        row = self._rows.get(key, f"{row}, {agent}" if agent else row)
        if way is not None:
            row = f"{row}-{way.label}" if agent else f"{row}, {way.label}"
            self.totals.variants.setdefault(row, way.variant.model_dump())
        return row, ids.removesuffix("-") or file.stem

    def _announce(self, line: str) -> None:
        hook = self._run.config.hook.pytest_tau_trial_finished
        if hook.get_hookimpls():
            hook(config=self._run.config, trial=TrialRecord.model_validate_json(line))

    def _watch(self) -> None:
        """Break the silence of a run in which no trial ends: say which one it waits for, and since when."""
        every = max(1.0, self._run.settings.progress)
        while not self._over.wait(min(1.0, every)):
            now, waiting = time.monotonic(), sorted(self._waiting.items(), key=lambda one: one[1])
            if waiting and now - max(self._said, waiting[0][1]) >= every:
                self._said = now
                others = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
                nodeid, since = waiting[0]
                line = f"tau: waiting for {nodeid}, begun {duration(now - since)} ago{others}"
                say(self._run.config, [printable(line)])

    def _progress(self) -> None:
        """Every so often, a line about where the run stands."""
        now = time.monotonic()
        if now - self._said < self._run.settings.progress:
            return

        self._said = now
        say(self._run.config, [progress_line(self.totals, self._planned.total(), now - self._began)])

    def finish(self, session: pytest.Session, *, only_misses: bool) -> None:
        """Decide the gates, and with them the exit status; ``only_misses``: nothing failed but trials."""
        self._over.set()
        if self._run.config.option.collectonly:
            return
        for task, trials in self._planned.items():
            found = _TRIAL.match(f"{task}trial1]")
            if trials and task not in self._labels and (label := self._label(found)):
                self._plan(found, label)
        self._take_over()
        for task, trials in (self._early.spared if self._early else {}).items():
            if label := self._label(_TRIAL.match(f"{task}trial1]")):
                self.totals.tasks[label].spared += trials
        self._note_result()
        self._close_journal()
        if self._resumed and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK  # all had been done
        came_to_its_end = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if self._gates.asked and session.exitstatus != pytest.ExitCode.USAGE_ERROR:  # which says itself what is wrong
            parts = for_baselines(self._manifest.content if self._manifest is not None else {})
            spoiled = _spoiled(session, came_to_its_end, self._could_not_keep)
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
        self._write_files()
        if any(line.startswith(NOT_WRITTEN) for line in self._written) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write_files(self) -> None:
        """Write what was asked for besides the journal: now, as a session may have no summary in its terminal."""
        if not self._journal.is_open or not (self.totals.done() or self.totals.not_run):
            return
        settings = self._manifest.options if self._manifest else {}
        about = About(self._facts(), settings, self._gates.verdicts(), self._gates.counts(), list(self._planned))
        self._written = list(write_outputs(self._run, self.totals, self._journal.path, about))

    @property
    def _could_not_keep(self) -> bool:
        """Whether results are lost, or trials were not run because they would have been."""
        return self._lost is not None or any(why.startswith(CANNOT_KEEP) for why in self.totals.not_run)

    def _facts(self) -> list[Fact]:
        """How the numbers came about."""
        return run_facts(self._manifest or manifest(self._run), self.totals)

    def _domains(self) -> list[str]:
        """The domains of the rows, which marked tests name with their function."""
        return list(dict.fromkeys(row.partition(", ")[0] for row in self.totals.domains()))

    def _note_result(self) -> None:
        """Write what later reports say of this run into its manifest."""
        if self._manifest is None:
            return
        said = {
            "domains": ", ".join(f"{name} ({origin_of(self._run, name)})" for name in self._domains()),
            "tasks": ", ".join(self._run.settings.tasks),
            RESULT: result_of(self.totals),
        }
        about = {**self._manifest.about, **{name: text for name, text in said.items() if text}}
        self._manifest = replace(self._manifest, about=about)
        with suppress(OSError):  # only trends would miss it
            self._manifest.save(self._run.folder)

    def _any_failed(self) -> bool:
        """Whether trials failed that pytest does not count: shown as xfail, not run, or of the run that was resumed."""
        outcomes = self.totals.outcomes()
        if self.totals.not_run:
            return True
        if self._resumed:
            return outcomes.total() > outcomes["passed"] + outcomes["ungraded"]
        return self._run.settings.miss_as == "xfail" and outcomes["missed"] > 0

    def _close_journal(self) -> None:
        """Take what stands in spools only."""
        try:
            if self._journal.unwritten:
                self._journal.flush()
                self._lost = None
            if has_spools(self._run.folder):
                self._open()
                self._journal.take_spools(self._reported)
        except (OSError, TauError) as error:
            self._lost = _not_written(error)
        if self._journal.unwritten:
            self._lost = f"{self._lost} {self._journal.rescue()}"
        self._journal.close()
        with suppress(OSError):
            (self._run.folder / REFUSED).unlink(missing_ok=True)

    @property
    def gated(self) -> bool:
        """Whether gates decide, and not each miss."""
        return bool(self._gates.gates)

    def summarize(self, reporter: TerminalReporter) -> None:
        """Print the tables, and what one has to know to read them."""
        from ...reports.breakdowns import scatter
        from ...reports.robust import robust_lines

        if not self.totals.done() and not self.totals.not_run:
            for line in self._gates.lines():
                reporter.write_line(printable(line))
            return
        for report in reporter.stats.get("missed", []):
            reporter.write_sep("_", f"MISSED {report.nodeid}")
            reporter.write_line(report.longreprtext)
        if alarm := self._gates.alarm():
            reporter.write_sep("=", "tau: severity 1", red=True)
            for line in alarm:
                reporter.write_line(printable(line))
        reporter.write_sep("=", "tau: pass^k")
        tables = [summary_table(self.totals), notes(self.totals), safety_lines(self.totals), *agent_tables(self.totals)]
        if self._run.config.get_verbosity() > 0:
            tables.insert(0, task_table(self.totals))
            tables.append(scatter(self.totals))
        tables += robust_lines(self.totals)
        tables += [self._gates.lines(), self._about()]
        for lines in filter(None, tables):
            for line in lines:
                reporter.write_line(printable(line))
            reporter.write_line("")
        self._run.config.hook.pytest_tau_summary(
            config=self._run.config, summary=self.totals, terminalreporter=reporter
        )

    def _about(self) -> list[str]:
        agents = sorted(self.totals.agents)
        lines = fact_lines(self._facts())
        lines += [line.removeprefix("tau: ") for line in self.concurrency]
        if self._journal.is_open:
            lines.append(f"journal: {self._journal.path}")
        lines += self._written
        lines += self._broken
        if self._lost:
            lines.append(self._lost)
        if self._early is not None and self._early.problem:
            lines.append(self._early.problem)
        commits = (
            self._manifest.about.get(COMMIT, "") if self._manifest is not None and self._run.settings.resume else ""
        )
        if ", " in commits:
            lines.append(f"The trials were played at different commits of the project: {commits}.")
        if agents and all(map(is_offline, agents)):
            lines.append(f"No model was evaluated: these agents know or ignore the answers; {EVALUATE_ONE}.")
        return lines


def _not_written(error: Exception) -> str:
    return f"The journal could not be written: {reason(error)}."


def _spoiled(session: pytest.Session, came_to_its_end: bool, could_not_keep: bool) -> str | None:
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
