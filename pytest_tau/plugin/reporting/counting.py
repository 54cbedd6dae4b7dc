"""Counts the trials of a run: those that are planned, those that come in, and those of the run that is resumed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...journal import is_graded, read_trials
from ...manifest import plan_of
from ...metrics.tally import REPLAYED, Earlier, row_of
from ...metrics.tally import TRIAL as _TRIAL
from ...metrics.totals import Totals
from ...metrics.trial_facts import TrialFacts
from ...schema.record import Outcome, TrialRecord, split_nodeid
from ..collecting.variants import split_id
from ..playing.outcomes import DECIDED, RULE_DECIDED
from ..run import Run
from .early_stop import EarlyStop
from .gates import Gates
from .judges import known_judge
from .mutant_stop import MutantStop
from .rows import Label, Place, Rows

LEFT_OUT = "this command selects fewer tests than the run that it resumes"


class TrialCounter:
    """The totals of a run, and what they are counted by.

    Attributes:
        totals: the totals.
        rows: to which row of the table a trial belongs.
        planned: how many trials of each test there are, by its node ID up to the trial's number.
        left_out: those of them that the resumed run was to play and this one leaves out.
        hashes: of the tasks, as they were played.
        early: what stops the run when its gates are decided, if that was asked for.
        is_resumed: whether trials of an earlier run have been counted.
        problems: what was wrong with the journal of that one.
    """

    def __init__(self, run: Run, gates: Gates) -> None:
        self._run = run
        self.totals = Totals()
        self.totals.judge = known_judge(run).errors
        self.rows = Rows(run, self.totals)
        self.planned: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.hashes: dict[str, str] = {}
        self.early = EarlyStop(run, gates) if run.settings.stop else None
        self._mutants = MutantStop(run) if run.settings.policy_mutants else None
        self._earlier: dict[str, Earlier] = {}
        self._failed: dict[str, TrialFacts] = {}  # how those ended that a resumed run plays again, until it has
        self.is_resumed = False
        self.problems: list[str] = []

    def plan(self, nodeids: Iterable[str]) -> None:
        """Note the trials among the tests that are about to run."""
        here = _by_test(nodeids)
        self.planned = (Counter(plan_of(self._run.folder)) | here) if self._run.settings.resume else here
        self.left_out = self.planned - here
        if self.early is not None:
            self.early.plan(self.planned, self.rows.of_task)

    def planned_by_agent(self, done: Iterable[str]) -> dict[str, Counter[Label]]:
        """Planned trials but for these, by the agent's label, then by domain and task id, as far as node IDs tell."""
        found: dict[str, Counter[Label]] = {}
        for test, trials in (self.planned - self.left_out - _by_test(done)).items():
            if (place := self._place_of(test)) is not None:
                found.setdefault(place.agent, Counter())[place[1:]] += trials
        return found

    def count_left(self, done: Iterable[str]) -> int:
        """How many planned trials there are but for these."""
        return (self.planned - self.left_out - _by_test(done)).total()

    def place(self, nodeid: str) -> Place | None:
        """What a trial is about, as far as its node ID tells."""
        found = _TRIAL.match(nodeid)
        return self._place_of(found["task"]) if found else None

    def _place_of(self, test: str) -> Place | None:
        """What a test is about, by its node ID up to the trial's number."""
        if (label := self.rows.of_task(test)) is None:
            return None
        return Place(self.rows.agent_of_task(test), label[0].partition(", ")[0], label[1])  # without the way

    def add(self, nodeid: str, content: Mapping[str, Any]) -> None:
        """Count in a trial as a journal has it."""
        trial, found = TrialFacts.of(content), _TRIAL.match(nodeid)
        self._plays_again(nodeid)
        row = self._count(nodeid, trial)
        if found and self.early is not None:
            self.early.add(found["task"], nodeid, trial.outcome, (row, trial.task_id))
        if found and self._mutants is not None:
            self._mutants.add(row, trial.task_id, trial.variant, trial.outcome)
        if (digest := content.get("hashes", {}).get("task")) is not None:
            self.hashes[f"{row}/{trial.task_id}"] = digest

    def _plays_again(self, nodeid: str) -> None:
        if (before := self._failed.pop(nodeid, None)) is not None:
            self._earlier[nodeid] = self._earlier.get(nodeid, Earlier()).plus(before)

    def crashed(self, nodeid: str) -> TrialRecord | None:
        """A trial that its worker took with it, as far as its node ID tells what it is; None: not ours."""
        found, place = _TRIAL.match(nodeid), self.place(nodeid)
        if found is None or place is None:
            return None
        row, _ = self.rows.of(found) or ("", "")
        test, _, number = nodeid.rpartition("trial")
        variant = split_id(self._run, split_nodeid(test)[1])[1]
        return TrialRecord(
            nodeid=nodeid,
            domain=place.domain,
            task_id=place.task_id,
            variant=variant.record if variant is not None else None,
            trial=int(number.removesuffix("]")),
            outcome=Outcome.INFRA_ERROR,
            label=place.agent or None,
            file_in_row=row.partition(", ")[2].startswith(found["test"]),
        )

    def _count(self, nodeid: str, trial: TrialFacts) -> str:
        """Count a trial with what had been paid for it before; returns its row."""
        found, trial = _TRIAL.match(nodeid), self._earlier.get(nodeid, Earlier()).then(trial)
        if found:
            label = row_of(found, trial), trial.task_id
            if self.rows.learn(found, label, trial):
                self._plan_row(found, label)
            trial = replace(trial, domain=label[0])
        self.totals.add(trial)
        return trial.domain

    def _plan_row(self, found: re.Match[str] | None, label: Label) -> None:
        self.totals.plan(*label, self.planned[found["task"]] if found else 0)
        if found and (agent := self.rows.agent(found)):
            self.totals.labels[label[0]] = agent

    def take_over(self, counted: Callable[[str], object]) -> None:
        """Count what the resumed run has done, once; ``counted`` is told of the node ID of each trial."""
        finished = self._run.done
        is_taken = self.is_resumed or self._failed or self._earlier
        if is_taken or not self._run.settings.resume or self._run.config.option.collectonly:
            return
        self.is_resumed = bool(finished)
        trials = read_trials(self._run.folder, self.problems.append)
        last = {content["nodeid"]: number for number, content in enumerate(trials)}
        for number, content in enumerate(read_trials(self._run.folder, lambda sentence: None)):
            nodeid = content["nodeid"]
            if nodeid in finished and last[nodeid] == number:
                counted(nodeid)
                self.add(nodeid, content)
            elif is_graded(content) and content["outcome"] in REPLAYED:
                self._plays_again(nodeid)
                self._failed[nodeid] = TrialFacts.of(content)

    def not_run(self, nodeid: str, why: str) -> None:
        """A trial was not begun."""
        found = _TRIAL.match(nodeid)
        if why in (DECIDED, RULE_DECIDED):
            self._failed.pop(nodeid, None)
        if why == DECIDED and found and self.early is not None:
            self.early.spared[found["task"]] += 1
        elif why == RULE_DECIDED and found and self._mutants is not None:
            self._mutants.spared[found["task"]] += 1
        else:
            self.totals.not_run[why] += 1

    def _plan_unreported(self) -> None:
        """Plan the trials of tests of which none has reported."""
        for task, trials in self.planned.items():
            found = _TRIAL.match(f"{task}trial1]")
            if trials and not self.rows.knows(task) and (label := self.rows.of(found)):
                self._plan_row(found, label)

    def finish(self) -> None:
        """Know of trials that did not come in, and put the tasks into the order of the suite.

        What a resumed run was to play again and did not, counts as it had ended.
        """
        for nodeid, trial in self._failed.items():
            self._count(nodeid, trial)
        self._failed = {}
        self._plan_unreported()
        if left_out := self.left_out.total():
            self.totals.not_run[LEFT_OUT] += left_out
        for task, trials in (self.early.spared if self.early else {}).items():
            if label := self.rows.of_task(task):
                self.totals.tasks[label].spared += trials
        for task, trials in (self._mutants.spared if self._mutants else {}).items():
            self.totals.unneeded += trials
            if label := self.rows.of_task(task):
                self.totals.tasks[label].planned -= trials
        labels = map(self.rows.of_task, self.planned)
        self.totals.arrange([label for label in labels if label is not None])  # and not as they happened to arrive

    @property
    def is_all_done(self) -> bool:
        """Whether all planned trials have been played."""
        return self.totals.done() >= self.planned.total() > 0

    @property
    def any_failed(self) -> bool:
        """Whether trials failed that pytest does not count: shown as xfail, not run, or of the run that was resumed."""
        outcomes = self.totals.without_mutants().outcomes()  # there a miss is what an agent does that obeys
        if self.totals.not_run:
            return True
        if self.is_resumed:
            return outcomes.total() > outcomes["passed"] + outcomes["ungraded"]
        return self._run.settings.miss_as == "xfail" and outcomes["missed"] > 0

    @property
    def watch_problems(self) -> list[str]:
        """What kept the run from being stopped early."""
        return [watch.problem for watch in (self.early, self._mutants) if watch is not None and watch.problem]


def _by_test(nodeids: Iterable[str]) -> Counter[str]:
    return Counter(found["task"] for nodeid in nodeids if (found := _TRIAL.match(nodeid)))
