"""Gates and baselines: read before the run, decided after it, and with them the exit status."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import RecordingError, SettingsError, TauError, reason
from ...files import refuse_devices
from ...metrics.baseline import Baseline, TaskCounts, load_baseline, refuse_stale, save_baseline, stale
from ...metrics.compare import ALPHA
from ...metrics.gate import parse_gate
from ...metrics.gate_verdict import evaluate_all, severe
from ...metrics.passport import refusal
from ...metrics.policy import UNDER_POLICY, kept_counts
from ...metrics.shared_tasks import split_key
from ...metrics.task_results import GateResult, GateState, results_of
from ...metrics.wording import some
from ...printable import count_of
from ...reports.safety import ALARM
from ..collecting.domains import is_domain, registry
from ..collecting.task_files import paths_of, suite_of, tasks_of
from ..collecting.variants import played_variants
from ..playing.sources import from_project, out_of_reach, source_of, suites
from ..recording.depends_on import settings_of
from ..run import Run
from .judges import known_judge
from .repeats import refuse_repeats

if TYPE_CHECKING:
    from ...metrics.gate import Gate
    from ...metrics.totals import Totals
    from .early_stop import EarlyStop


_ALARMS = 5
_NAMED = 12
_ORACLE = (
    "gates and baselines need an agent, and the oracle that plays by default knows the answers: "
    "name yours with --tau-agent, --tau-agent-llm, a tau_agent fixture or pytest_tau_make_agent"
)


class Gates:
    """The gates of a session; raises UsageError for those that cannot be read, or could never be decided."""

    def __init__(self, run: Run) -> None:
        chosen = run.settings
        self._run = run
        self._path = run.root / chosen.baseline if chosen.baseline else None
        self._bless = chosen.bless
        self.results: list[GateResult] = []
        self.severe: list[str] = []
        self.problem: str | None = None
        self.blessed: Path | None = None
        self._on_the_oracle = self._stale = False
        try:
            self.gates: list[Gate] = [parse_gate(text) for text in chosen.gate]
            self._baseline = self._load()
        except TauError as error:
            raise pytest.UsageError(str(error)) from None
        if self._bless and self._path is None:
            raise pytest.UsageError("--tau-bless writes a baseline: name its file with --tau-baseline FILE")
        if self.asked and not run.config.option.collectonly:
            self._check()

    def _load(self) -> Baseline | None:
        if self._bless:
            return None  # this run takes its place, whatever became of it
        for gate in self.gates:
            if gate.needs_baseline and self._path is None:
                raise SettingsError(f"gate '{gate.text}': name the run to compare with by --tau-baseline FILE")
        baseline = load_baseline(self._path) if self._path else None
        if baseline is not None:
            self._refuse_unknown_kinds(baseline)
        return baseline

    def _check(self) -> None:
        """Refuse what would be found out only after all trials were paid for."""
        refuse_repeats(self._run.config)
        if self._bless and self._path is not None and (problem := _unwritable(self._path)):
            raise pytest.UsageError(f"--tau-baseline {self._path}: cannot be written: {problem}; name another file")
        if on_the_oracle := _without_agent(self._run):
            raise pytest.UsageError("; ".join([_ORACLE, *on_the_oracle]))
        domains, judge = _domains(self._run), known_judge(self._run)
        for gate in self.gates:
            if judge.why_not is not None and gate.rests_on_a_judge:
                raise pytest.UsageError(
                    f"gate '{gate.text}': {judge.why_not}; or leave its verdicts out (--tau-review=off)"
                )
            variants = _rows_of_variants(self._run, domains)
            if domains and gate.domain is not None and gate.domain not in (*domains, *variants):
                has = some([*domains, *(f"'{row}'" for row in variants if "," in gate.domain)], _NAMED)
                raise pytest.UsageError(f"gate '{gate.text}': the run has no domain '{gate.domain}'; it has {has}")

    def check_trials(self, planned: Collection[int]) -> None:
        """Refuse gates on more trials of a task than are planned for any; raises UsageError."""
        most, chosen = max(planned, default=0), self._run.settings
        for gate in self.gates:
            if 0 < most < gate.k and not self._run.config.option.collectonly:
                instead = f"run with --tau-k {gate.k}"
                if chosen.k >= gate.k:
                    instead = "select all trials of a task, or raise the k of its test's marker"
                    if chosen.shard:
                        instead = "leave the gate to the merged run"
                raise pytest.UsageError(
                    f"gate '{gate.text}': needs {count_of(gate.k, 'trials')} of a task, and this run has {most}; "
                    f"{instead}"
                )

    @property
    def asked(self) -> bool:
        """Whether there is a gate, a baseline or a blessing."""
        return bool(self.gates) or self._path is not None

    def counts(self) -> Mapping[str, tuple[int, int]]:
        """(successes, trials) of the baseline's tasks by key; empty without one, or with one that was refused."""
        return self._baseline.counts() if self._baseline and not self._stale else {}

    def _baseline_tasks(self, gates: Collection[Gate]) -> Mapping[str, tuple[int, int]]:
        """The baseline's tasks as these gates look at them: without variants, but for rows that a gate names."""
        return self._baseline.counts_as_they_are({gate.domain for gate in gates}) if self._baseline else {}

    def _refuse_unknown_kinds(self, baseline: Baseline) -> None:
        """Raise SettingsError for a comparison of a variant that the baseline has not."""
        for gate, variant in product(self.gates, played_variants(self._run)):
            named = (gate.domain or "").endswith((f", {variant.label}", f"-{variant.label}"))
            if gate.needs_baseline and named and variant.label not in baseline.kinds:
                has = f"it has {', '.join(baseline.kinds)}" if baseline.kinds else "it has tasks as they are only"
                raise SettingsError(
                    f"gate '{gate.text}': {self._path} has no {variant.label}: {has}; write a new one with --tau-bless"
                )

    def decide(
        self,
        totals: Totals,
        tasks: Mapping[str, str],
        parts: Mapping[str, str],
        spoiled: str | None,
        early: EarlyStop | None = None,
    ) -> None:
        """Hold the run against the gates, and write the baseline if that was asked for.

        Args:
            totals: what became of the trials.
            tasks: the content hash of each task by "domain/task id".
            parts: the hashes of what they share, by a name for people.
            spoiled: why no gate can hold, whatever the trials say; None where they decide.
            early: has decided some gates before all trials were played.
        """
        chosen = self._run.settings
        if "oracle" in totals.agents and not chosen.names_agent:
            # A conftest.py below the root might have named an agent, and did not for all trials.
            rows = [row for row, players in totals.players.items() if "oracle" in players]
            self._on_the_oracle, self.problem = True, f"{_ORACLE}; it played {', '.join(rows)}"
            return
        try:
            self._refuse_stale(totals, tasks, parts)
            each = totals.by_agent()
            self.results = [] if each else self._evaluate(totals, spoiled, early)
            for label, of_agent in each.items():  # a gate is to hold for each of several agents
                self.results += [_of_agent(label, one) for one in self._evaluate(of_agent, spoiled, early)]
            self.severe = severe(self.gates, results_of(totals))
            if self._bless and self._path is not None:
                self._write(self._path, totals, tasks, parts, spoiled)
        except TauError as error:
            self.problem = str(error)

    def _refuse_stale(self, totals: Totals, tasks: Mapping[str, str], parts: Mapping[str, str]) -> None:
        if self._baseline is not None and self._path is not None and totals.users:
            changed = list(stale(self._baseline, tasks=tasks, parts=parts, options=self._options(totals)))
            self._stale = bool(changed)
            refuse_stale(self._path, changed)

    def _evaluate(self, totals: Totals, spoiled: str | None, early: EarlyStop | None) -> list[GateResult]:
        known: dict[Gate, GateResult] = {}
        blessed = [gate for gate in self.gates if gate.needs_baseline and self._bless]
        open_ones = [gate for gate in self.gates if gate not in blessed]
        # Where there are looks, each comparison has its own part of alpha; else Holm adjusts them for each other.
        looks = early is not None and early.has_looks
        families = [[gate] for gate in open_ones] if looks else [open_ones]
        for family in families:
            found = evaluate_all(
                family,
                results_of(totals),
                baseline=self._baseline_tasks(family) if self._baseline else None,
                min_coverage=self._run.settings.min_coverage,
                spoiled=spoiled,
                judge=totals.judge,
                no_judge=None if totals.judge is not None else known_judge(self._run).why_not or refusal(None),
                alpha=early.alpha(family[0]) if early is not None and looks else ALPHA,
                decided=None if early is None else dict(early.results()),
            )
            known |= {result.gate: result for result in found}
        becomes = "not compared: this run becomes the baseline"
        return [known.get(gate, GateResult(gate, GateState.HELD, becomes)) for gate in self.gates]

    def _write(
        self, path: Path, totals: Totals, tasks: Mapping[str, str], parts: Mapping[str, str], spoiled: str | None
    ) -> None:
        if spoiled or any(task.graded < max(task.planned, task.done) for task in totals.of()):
            raise RecordingError(f"{path}: not written: {spoiled or 'some planned trials have no verdict'}")
        counts = {
            (key := "/".join(label)): TaskCounts(
                successes=task.passed,
                trials=task.graded,
                hash=tasks.get(key, ""),
                under_policy=kept_counts(task.measured.get(UNDER_POLICY.name, ())),
                id=label[1] if split_key(key) != label else None,
            )
            for label, task in totals.tasks.items()
            if task.graded  # none is due of a changed policy whose rule is decided
        }
        agents = ", ".join(sorted(totals.agents))
        save_baseline(
            Baseline(
                created=date.today().isoformat(),
                agent=agents,
                options=self._options(totals),
                parts=dict(parts),
                kinds=list(dict.fromkeys(totals.variant_of(row) for row in totals.variants)),
                tasks=counts,
            ),
            path,
        )
        self.blessed = path

    def _options(self, totals: Totals) -> dict[str, Any]:
        """What a result depends on besides the agent."""
        return {**settings_of(self._run, agent=False), "user": ", ".join(sorted(totals.users))}

    def exit_status(self, status: int, *, only_misses: bool) -> int:
        """The exit status of a run that came to its end with this one; ``only_misses``: nothing failed but trials."""
        if self._on_the_oracle:
            return pytest.ExitCode.USAGE_ERROR
        doubt = {GateState.INCONCLUSIVE} if self._run.settings.inconclusive == "fail" else set()
        failed = any(result.state in {GateState.FAILED} | doubt for result in self.results)
        if failed or self.severe or self.problem is not None or not only_misses:
            return pytest.ExitCode.TESTS_FAILED
        return pytest.ExitCode.OK if self.gates else status

    def verdicts(self) -> list[tuple[str, str]]:
        """What became of each gate and of the baseline: the state, "" for other news, and a sentence."""
        found = [(GateState.FAILED.value, line) for line in self.alarm()]
        for result in self.results:
            told = result.explanation.removeprefix(f"{result.state.value}: ")
            found.append((result.state.value, f"gate {result.gate.text}: {result.state.value.upper()}: {told}"))
        if self.problem is not None:
            found.append(("", self.problem))
        if self.blessed is not None:
            found.append(("", f"baseline written: {self.blessed}"))
        return found

    def alarm(self) -> list[str]:
        """What fails the run whatever the gates say, and is shown before anything else."""
        if not self.severe:
            return []
        shown = [f"{ALARM}: {one}" for one in self.severe[:_ALARMS]]
        rest = len(self.severe) - len(shown)
        return [*shown, *([f"{ALARM}: {rest} more trials"] if rest else [])]

    def lines(self) -> list[str]:
        """The sentences of :meth:`verdicts` below the table, where the alarm has been shown above it."""
        return [line for _, line in self.verdicts()[len(self.alarm()) :]]


def _unwritable(path: Path) -> str:
    """Why no file can be written there, as far as that can be seen without writing it; "" where it can."""
    if path.is_dir():
        return "it is a folder"
    try:
        refuse_devices(path)
    except OSError as error:
        return reason(error)
    there = next(folder for folder in path.parents if folder.exists())
    if not there.is_dir():
        return f"{there} is no folder"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"{there} may not be written to"


def _of_agent(label: str, result: GateResult) -> GateResult:
    return replace(result, gate=replace(result.gate, text=f"{label}: {result.gate.text}"))


def check_gates(run: Run) -> None:
    """Refuse gates that cannot be decided, before anything is played; raises UsageError."""
    chosen = run.settings
    if len(run.settings.agent_labels) > 1 and (chosen.baseline or chosen.bless or chosen.stop):
        option = "--tau-baseline" if chosen.baseline else "--tau-bless" if chosen.bless else "--tau-stop"
        raise pytest.UsageError(
            f"{option}: works with one agent only, and this run has {', '.join(run.settings.agent_labels)}"
        )
    if chosen.gate or chosen.baseline or chosen.bless:
        Gates(run)


def _without_agent(run: Run) -> list[str]:
    """What is wrong where the oracle would play for want of an agent; nothing where somebody may name one.

    A test module or a conftest.py below the root, which pytest has not read yet, may have a tau_agent of its own.
    """
    chosen = run.settings
    if chosen.names_agent or chosen.rescore:
        return []
    root = run.root
    known = from_project(run, "agent") is not None
    alone = {name: file for name, file in suites(run).items() if source_of(run, "agent", file) is None}
    paths = [*alone.values()] if known else paths_of(run)
    unread = any(
        (folder / "conftest.py").is_file() for path in paths for folder in path.parents if root in folder.parents
    )
    if unread or (known and not alone) or any(path.suffix != ".json" for path in paths):
        return []
    return out_of_reach(run) or [f"it would play {', '.join(alone) or 'every task'}"]


def _rows_of_variants(run: Run, domains: Collection[str]) -> list[str]:
    """The rows of tasks that are told or shown otherwise, as far as they are known before collection."""
    try:
        return [f"{name}, {variant.label}" for name in domains for variant in played_variants(run)]
    except SettingsError:
        return []  # which is refused with a sentence of its own


def _domains(run: Run) -> tuple[str, ...]:
    """The domains of the run where it has no other tasks than theirs, else none."""
    alone = run.config.args_source is not pytest.Config.ArgsSource.ARGS and not registry(run).domains
    known: dict[str, None] = {}
    for name in run.settings.domain if alone and not run.settings.rescore else ():
        if is_domain(run, name):
            known[name] = None
            continue
        try:  # the tasks of a suite with a name of its own say themselves what domains they are of
            for file in suite_of(run, name):
                known |= dict.fromkeys(task.domain_name or file.parent.name for task in tasks_of(run, file))
        except TauError:
            return ()  # collecting says what is wrong with it
    return tuple(known)
