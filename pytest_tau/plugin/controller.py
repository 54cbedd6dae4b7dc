"""What the process that prints the report knows of the run: totals, the journal, and what it says while and after.

It keeps totals, never conversations.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from .options import project_root, results_folder, settings
from .stash import CONTROLLER
from .transport import facts, parse, take

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from ..journal import JournalWriter
    from ..metrics.totals import Totals, TrialFacts

_TRIAL = re.compile(r"(?P<task>(?P<test>.+?::(?:\w+::)*\w+)\[(?P<ids>.*-)?)trial[1-9]\d*\]$", re.DOTALL)
_CRASHED = "???"  # how xdist marks the report of a test that took its worker down
_OFFLINE = ("oracle", "noop", "faulty")


class Controller:
    """Takes finished trials off the reports as they arrive."""

    def __init__(self, config: pytest.Config) -> None:
        from ..journal import JournalWriter
        from ..metrics.totals import Totals

        self._config = config
        self.totals: Totals = Totals()
        self._journal: JournalWriter = JournalWriter(results_folder(config))
        self._lost: str | None = None
        self._planned: Counter[str] = Counter()
        self._labels: dict[str, tuple[str, str]] = {}
        self._rows: dict[str, str] = {}
        self._began = self._said = time.monotonic()

    def plan(self, nodeids: Iterable[str]) -> None:
        """Note the trials among the tests that are about to run."""
        self._planned = Counter(found["task"] for nodeid in nodeids if (found := _TRIAL.match(nodeid)))

    def open_journal(self) -> None:
        """Make sure that results can be kept before any is paid for; raises UsageError."""
        try:
            self._journal.open()
        except OSError as error:
            where = results_folder(self._config)
            raise pytest.UsageError(
                f"{where}: results cannot be kept there ({error.strerror}); see --tau-results"
            ) from None

    def receive(self, report: pytest.TestReport) -> str | None:
        """Take the trial off a report; returns its outcome, None when there is none on it."""
        from ..metrics.totals import TrialFacts

        line, found = take(report), _TRIAL.match(report.nodeid)
        if line is not None:
            content = parse(line)
            self._keep(line)
            trial = facts(content)
            self._count(trial, found, found and (_row(found, trial), trial.task_id))
            self._announce(line)
            self._progress()
            outcome: str = content["outcome"]
            return outcome
        if report.when == _CRASHED and found and (label := self._label(found)):
            self._count(TrialFacts(*label, outcome="infra_error"), found, label)
        return None

    def _keep(self, line: str) -> None:
        try:
            self._journal.append(line)
        except OSError as error:
            self._lost = f"The journal could not be written: {error}."

    def _count(self, trial: TrialFacts, found: re.Match[str] | None, label: tuple[str, str] | None) -> None:
        if found and label:
            if found["task"] not in self._labels:
                self._labels[found["task"]] = label
                self._rows.setdefault(found["test"], label[0])
                self.totals.plan(*label, self._planned[found["task"]])
            trial = replace(trial, domain=label[0])
        self.totals.add(trial)

    def _label(self, found: re.Match[str]) -> tuple[str, str] | None:
        """Row and task id of a trial that never reported, as far as its node ID tells them; None: not ours."""
        if found["task"] in self._labels:
            return self._labels[found["task"]]
        file = PurePosixPath(found["test"].partition("::")[0])
        if file.suffix != ".json" and found["test"] not in self._rows:
            return None  # some other project's test with a parameter called trial1
        return self._rows.get(found["test"], file.parent.name), (found["ids"] or file.stem).removesuffix("-")

    def _announce(self, line: str) -> None:
        hook = self._config.hook.pytest_tau_trial_finished
        if hook.get_hookimpls():
            from ..schema.record import TrialRecord

            hook(config=self._config, trial=TrialRecord.model_validate_json(line))

    def _progress(self) -> None:
        """Every so often, a line about where the run stands."""
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        now = time.monotonic()
        if reporter is None or now - self._said < settings(self._config).progress:
            return
        from ..reports.terminal import progress_line

        self._said = now
        reporter.ensure_newline()
        reporter.write_line(progress_line(self.totals, self._planned.total(), now - self._began))

    def summarize(self, reporter: TerminalReporter) -> None:
        """Print the tables, and what one has to know to read them."""
        from ..reports.terminal import notes, summary_table, task_table
        from ..reports.verdict import printable

        for task, trials in self._planned.items():
            found = _TRIAL.match(f"{task}trial1]")
            if task not in self._labels and self.totals.tasks and found and (label := self._label(found)):
                self.totals.plan(*label, trials)
        if not self.totals.done():
            return
        reporter.write_sep("=", "tau: pass^k")
        tables = [summary_table(self.totals), notes(self.totals)]
        if self._config.get_verbosity() > 0:
            tables.insert(0, task_table(self.totals))
        tables.append(self._about())
        for lines in tables:
            for line in lines:
                reporter.write_line(printable(line))
            reporter.write_line("")
        self._config.hook.pytest_tau_summary(config=self._config, summary=self.totals, terminalreporter=reporter)

    def _about(self) -> list[str]:
        agents = sorted(self.totals.agents)
        lines = [f"agent: {', '.join(agents) or 'none'}   user: {', '.join(sorted(self.totals.users)) or 'none'}"]
        if self._journal.path is not None:
            lines.append(f"journal: {self._journal.path}")
        if self._lost:
            lines.append(self._lost)
        if agents and all(agent.partition(":")[0] in _OFFLINE for agent in agents):
            lines.append(NO_MODEL)
        return lines

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()


NO_MODEL = (
    "No model was evaluated: these agents know or ignore the answers. Evaluate yours with --tau-agent module:factory."
)


def _row(found: re.Match[str], trial: TrialFacts) -> str:
    """In which row of the table a trial counts: its domain's, with what else a test is parametrized with.

    Trials of different agents, or of different tests, are no repetitions of each other.
    """
    path, _, test = found["test"].partition("::")
    parts = [trial.domain] if path.endswith(".json") else [trial.domain, test]
    others = (found["ids"] or "").removesuffix("-").removesuffix(trial.task_id).removesuffix("-")
    return ", ".join([*parts, others] if others else parts)


def controller(config: pytest.Config) -> Controller:
    """The controller of this session, made when first needed."""
    if CONTROLLER not in config.stash:
        config.stash[CONTROLLER] = Controller(config)
    return config.stash[CONTROLLER]


def header(config: pytest.Config) -> list[str]:
    """What a tau run is about, before it starts."""
    chosen = settings(config)
    if not chosen.domain:
        return []
    where = f"public data in {chosen.data}, split {chosen.split}" if chosen.data else _origin(config)
    agent, note = _agent(config)
    user = chosen.user or "scripted"
    lines = []
    if project_root(config) != config.rootpath:
        lines.append(
            f"tau: pytest took {config.rootpath} for its root directory, so the settings here were not read: "
            "write options that name a folder with '=', as in --tau-data=FOLDER"
        )
    lines += [f"tau: {where}; k {chosen.k}; agent {agent}; user {user}; mode {chosen.mode}; seed {chosen.seed}"]
    return [*lines, f"tau: {note}"] if note else lines


def _origin(config: pytest.Config) -> str:
    from .suites import REGISTRY

    own = project_root(config) / "tasks"
    names = []
    for name in settings(config).domain:
        origin = "registered" if name in config.stash[REGISTRY].tasks else "built in"
        if (own / name).exists() or (own / f"{name}.json").exists():
            origin = "of this project"
        names.append(f"{name} ({origin})")
    return ", ".join(names)


def _agent(config: pytest.Config) -> tuple[str, str]:
    """The agent as far as it is known before collection, and what to say about it."""
    chosen = settings(config).agent
    if settings(config).agent_from_command_line and chosen:
        offline = chosen.partition(":")[0] in _OFFLINE
        return chosen, "no model is evaluated; name your agent with --tau-agent module:factory" if offline else ""
    if any(hasattr(plugin, "tau_agent") and _is_conftest(plugin) for plugin in config.pluginmanager.get_plugins()):
        return "from the fixture tau_agent", ""
    if config.hook.pytest_tau_make_agent.get_hookimpls():
        return "from pytest_tau_make_agent", ""
    if chosen and chosen.partition(":")[0] not in _OFFLINE:
        return chosen, ""
    note = "no model is evaluated: the oracle knows the answers; name your agent with --tau-agent module:factory"
    return chosen or "oracle", note


def _is_conftest(plugin: Any) -> bool:
    return str(getattr(plugin, "__file__", "")).endswith("conftest.py")
