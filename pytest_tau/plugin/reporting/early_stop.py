"""``--tau-stop``: tells all processes of the run when every gate is decided, and what was saved.

Who plays looks for one file in the run's folder before it begins a trial (:func:`..playing.running.conduct`); workers
on other machines do not see it and play all of theirs. A shard knows a part of the trials only: those of the other
shards may still do anything, so it stops only where even that changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from ...errors import reason
from ...manifest import forget_decided, save_decided
from ..run import Run

if TYPE_CHECKING:
    from ...metrics.gate import Gate
    from ...metrics.stopping import Decision, Stopper
    from ...metrics.task_results import GateResult
    from .gates import Gates

Label = tuple[str, str]


class EarlyStop:
    """Watches the gates of a run."""

    def __init__(self, run: Run, gates: Gates) -> None:
        self._run = run
        self._gates = gates
        self._stopper: Stopper | None = None
        self.spared: Counter[str] = Counter()  # trials not played because all is decided, by test
        self.decided: list[Decision] | None = None
        self.problem: str | None = None

    def plan(self, planned: Mapping[str, int], label: Callable[[str], Label | None]) -> None:
        """Know the trials of the run, by what their node IDs begin with; the first time counts."""
        chosen = self._run.settings
        if self._stopper is not None or not planned or self._run.config.option.collectonly:
            return
        if self._run.settings.resume:  # there may be other gates, or other trials of which this run was merged
            try:
                forget_decided(self._run.folder)
            except OSError as error:
                self.problem = f"What had decided the run before could not be forgotten: {reason(error)}."
        whole = dict(planned)
        if chosen.shard is not None:
            if chosen.k < chosen.shard[1] or any(".json::" not in task for task in planned):
                return  # there are tasks that it does not know of, or whose number of trials
            whole = dict.fromkeys(planned, chosen.k)
        from ...metrics.stopping import Stopper

        tasks = {task: (*(label(task) or ("", task)), trials) for task, trials in whole.items()}
        self._stopper = Stopper(
            self._gates.gates,
            tasks,
            baseline=self._gates.counts(),
            min_coverage=chosen.min_coverage,
        )

    def add(self, task: str, nodeid: str, outcome: str, label: Label) -> None:
        """A trial has ended."""
        trial = int(nodeid[nodeid.rindex("trial") + len("trial") : -1])
        if self._stopper is None or not self._stopper.add(task, trial, outcome, label) or self.decided is not None:
            return
        self.decided = self._stopper.look()
        if self.decided is not None:
            lines = [f"gate {one.gate.text}: {one.state.value.upper()}: {one.said}" for one in self.decided]
            try:
                save_decided(self._run.folder, lines)
            except OSError as error:
                self.problem = f"The run could not be stopped early: {reason(error)}."

    @property
    def has_looks(self) -> bool:
        """Whether the gates are looked at before the end; not in a shard that cannot know the trials of the others."""
        return self._stopper is not None

    def results(self) -> Iterator[tuple[Gate, GateResult]]:
        """What became of the gates that are decided: all of them where playing was stopped, else by bounds only."""
        if self._stopper is not None:
            for one in self._stopper.decisions if self.decided is None else self.decided:
                yield one.gate, one.result()

    def alpha(self, gate: Gate) -> float:
        """The level of a comparison that is decided at the end."""
        from ...metrics.compare import ALPHA

        return ALPHA if self._stopper is None else self._stopper.final_alpha(gate)


def check_stop(run: Run) -> None:
    """Refuse what cannot be stopped early; raises UsageError."""
    chosen = run.settings
    if not chosen.stop:
        return
    if not chosen.gate:
        raise pytest.UsageError("--tau-stop stops playing when every gate is decided: give one with --tau-gate")
    from ...metrics.gate import parse_gate

    if not any(parse_gate(text).asks_for_trials for text in chosen.gate):
        raise pytest.UsageError(
            "--tau-stop: none of the gates can be decided before the end of the run, as they look at what was played; "
            "add one on pass^k, or leave out --tau-stop"
        )
    if chosen.bless:
        raise pytest.UsageError("--tau-bless: a baseline needs all trials; leave out --tau-stop")
    if chosen.rescore:
        raise pytest.UsageError("--tau-rescore plays nothing, so there is nothing to stop; leave out --tau-stop")
