"""Gates and baselines: read before the run, decided after it, and with them the exit status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .options import project_root, settings

if TYPE_CHECKING:
    from ..metrics.baseline import Baseline
    from ..metrics.gate import Gate, GateResult
    from ..metrics.totals import Totals


class Gates:
    """The gates of a session; raises UsageError for one that cannot be read, or has nothing to compare with."""

    def __init__(self, config: pytest.Config) -> None:
        from ..errors import TauError
        from ..metrics.gate import parse_gate

        chosen = settings(config)
        self._config = config
        self._path = project_root(config) / chosen.baseline if chosen.baseline else None
        self._bless = chosen.bless
        self.results: list[GateResult] = []
        self.problem: str | None = None
        self.blessed: Path | None = None
        try:
            self.gates: list[Gate] = [parse_gate(text) for text in chosen.gate]
            self._baseline = self._load()
        except TauError as error:
            raise pytest.UsageError(str(error)) from None
        if self._bless and self._path is None:
            raise pytest.UsageError("--tau-bless writes a baseline: name its file with --tau-baseline FILE")

    def _load(self) -> Baseline | None:
        from ..metrics.baseline import load_baseline

        compares = any(gate.needs_baseline for gate in self.gates)
        if self._path is None or (self._bless and not compares):
            return None
        return load_baseline(self._path)

    @property
    def asked(self) -> bool:
        """Whether there is a gate, a baseline or a blessing."""
        return bool(self.gates) or self._path is not None

    def counts(self) -> Mapping[str, tuple[int, int]]:
        """(successes, trials) of the baseline's tasks by key; empty without one."""
        return self._baseline.counts() if self._baseline else {}

    def decide(self, totals: Totals, hashes: Hashes, spoiled: str | None) -> None:
        """Hold the run against the gates, and write the baseline if that was asked for."""
        from ..errors import TauError
        from ..metrics.baseline import refuse_stale, stale
        from ..metrics.gate import evaluate, results_of

        tasks = results_of(totals)
        coverage = settings(self._config).min_coverage
        try:
            if self._baseline is not None and self._path is not None:
                changed = stale(self._baseline, tasks=hashes.tasks, parts=hashes.parts, options=self._options(totals))
                refuse_stale(self._path, changed)
            self.results = [
                evaluate(gate, tasks, baseline=self.counts() or None, min_coverage=coverage, spoiled=spoiled)
                for gate in self.gates
            ]
            if self._bless and self._path is not None:
                self._write(self._path, totals, hashes, spoiled)
        except TauError as error:
            self.problem = str(error)

    def _write(self, path: Path, totals: Totals, hashes: Hashes, spoiled: str | None) -> None:
        from ..errors import RecordingError
        from ..metrics.baseline import Baseline, TaskCounts, save_baseline

        keyed = {f"{domain}/{task_id}": task for (domain, task_id), task in totals.tasks.items()}
        if spoiled or any(task.graded < max(task.planned, task.done) for task in keyed.values()):
            raise RecordingError(f"{path}: not written: {spoiled or 'some planned trials have no verdict'}")
        tasks = {
            key: TaskCounts(successes=task.passed, trials=task.graded, hash=hashes.tasks.get(key, ""))
            for key, task in keyed.items()
        }
        agents = ", ".join(sorted(totals.agents))
        save_baseline(
            Baseline(
                created=date.today().isoformat(),
                agent=agents,
                options=self._options(totals),
                parts=hashes.parts,
                tasks=tasks,
            ),
            path,
        )
        self.blessed = path

    def _options(self, totals: Totals) -> dict[str, Any]:
        """What a result depends on besides the agent."""
        chosen = settings(self._config)
        return {"user": ", ".join(sorted(totals.users)), "mode": chosen.mode, "max_steps": chosen.max_steps}

    @property
    def failed(self) -> bool:
        """Whether the run fails by its gates."""
        from ..metrics.gate import State

        doubt = {State.INCONCLUSIVE} if settings(self._config).inconclusive == "fail" else set()
        return self.problem is not None or any(result.state in {State.FAILED} | doubt for result in self.results)

    def lines(self) -> list[str]:
        """What became of each gate, and of the baseline."""
        lines = [
            f"gate {result.gate.text}: {result.state.value.upper()}: {result.explanation}" for result in self.results
        ]
        if self.problem is not None:
            lines.append(f"gates: {self.problem}")
        if self.blessed is not None:
            lines.append(f"baseline written: {self.blessed}")
        return lines


class Hashes:
    """What a run's results depend on, collected from its trials: tasks by key, shared parts by name."""

    def __init__(self) -> None:
        self.tasks: dict[str, str] = {}
        self.parts: dict[str, str] = {}

    def add(self, key: str, domain: str, hashes: Mapping[str, str]) -> None:
        """Take over the hashes of one trial."""
        for name, digest in hashes.items():
            if name == "task":
                self.tasks[key] = digest
            else:
                self.parts[f"{name} of {domain}" if name == "policy" else name] = digest


def check_gates(config: pytest.Config) -> None:
    """Refuse gates that cannot be decided, before anything is played; raises UsageError."""
    chosen = settings(config)
    if not (chosen.gate or chosen.baseline or chosen.bless):
        return
    Gates(config)
    if getattr(config.option, "reruns", None):
        raise pytest.UsageError("--reruns plays missed trials again until they pass, so no gate can hold: leave it out")
    if not agent_is_named(config):
        # The oracle that plays by default would make every gate lie.
        raise pytest.UsageError(
            "gates and baselines need an agent, and the oracle that plays by default knows the answers: "
            "name yours with --tau-agent, --tau-agent-llm, a tau_agent fixture or pytest_tau_make_agent"
        )


def agent_is_named(config: pytest.Config) -> bool:
    """Whether somebody said who is to be evaluated: an option, an ini value, a hook, or a fixture of a conftest.py."""
    chosen = settings(config)
    if chosen.agent or chosen.agent_llm or config.hook.pytest_tau_make_agent.get_hookimpls():
        return True
    return any(
        hasattr(plugin, "tau_agent") and str(getattr(plugin, "__file__", "")).endswith("conftest.py")
        for plugin in config.pluginmanager.get_plugins()
    )
