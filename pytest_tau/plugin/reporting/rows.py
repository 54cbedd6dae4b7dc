"""Which row of the table and which task a node ID belongs to, also for a trial that never reported.

A trial that reports says itself what it is. Of one that does not, the node ID tells as much as it can, by what other
trials of the same test have said.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ...errors import TauError
from ...metrics.tally import TRIAL, out_of_ids
from ...metrics.totals import Totals
from ...metrics.trial_facts import TrialFacts
from ..collecting.domains import find_domain
from ..collecting.variants import PlayedVariant, split_id
from ..run import Run

Label = tuple[str, str]
"""A row of the table, and the id of a task."""


class Place(NamedTuple):
    """What a trial is about: its agent's label, its domain and its task."""

    agent: str
    domain: str
    task_id: str


class Rows:
    """The rows of this run, as far as they are known.

    Args:
        run: this run.
        totals: its totals, which are told of the agent and the variant of a row.
    """

    def __init__(self, run: Run, totals: Totals) -> None:
        self._run = run
        self._totals = totals
        self._labels: dict[str, Label] = {}
        self._rows: dict[tuple[str, str], str] = {}  # by test and label of its agent

    def knows(self, task: str) -> bool:
        """Whether a trial of this test has been counted; ``task``: its node ID up to the trial's number."""
        return task in self._labels

    def learn(self, found: re.Match[str], label: Label, trial: TrialFacts) -> bool:
        """Remember what a trial of a test is; whether that is new."""
        if trial.variant is not None:
            self._totals.variants[label[0]] = trial.variant
        if found["task"] in self._labels:
            return False
        self._labels[found["task"]] = label
        self._rows.setdefault((found["test"], self.agent(found)), self._totals.plain_row(label[0]))
        return True

    def agent(self, found: re.Match[str]) -> str:
        """The label that a node ID begins with, "" in a run of one agent."""
        ids, labels = found["ids"] or "", sorted(self._run.settings.agent_labels, key=len, reverse=True)
        return next((label for label in labels if ids.startswith(f"{label}-")), "")

    def agent_of_task(self, task: str) -> str:
        """The label of the agent of a test, by its node ID up to the trial's number."""
        found = TRIAL.match(f"{task}trial1]")
        return "" if found is None else self.agent(found)

    def of_task(self, task: str) -> Label | None:
        """Row and task id of a test, by its node ID up to the trial's number; None: not ours."""
        return self.of(TRIAL.match(f"{task}trial1]"))

    def of(self, found: re.Match[str] | None) -> Label | None:
        """Row and task id of a trial that never reported, as far as its node ID tells them; None: not ours."""
        if found is None:
            return None
        if found["task"] in self._labels:
            return self._labels[found["task"]]
        file = PurePosixPath(found["test"].partition("::")[0])
        agent = self.agent(found)
        key = (found["test"], agent)
        if file.suffix not in (".json", ".jsonl") and key not in self._rows:
            return None  # some other project's test with a parameter called trial1
        parts = found["test"].split("::")  # of recordings: file, domain, function
        row = parts[1] if len(parts) == 3 else file.parent.name
        _, variant, ids = split_id(self._run, found["ids"] or "")
        row = self._rows.get(key, f"{row}, {agent}" if agent else row)
        if variant is not None:
            row = f"{row}-{variant.label}" if agent else f"{row}, {variant.label}"
            self._totals.variants.setdefault(row, self._facts(variant, row.partition(", ")[0]))
        return row, out_of_ids(ids.removesuffix("-")) or file.stem

    def _facts(self, variant: PlayedVariant, domain: str) -> dict[str, Any]:
        """What is known of a variant before a trial of it reports; of another policy also the words of its rule."""
        record = variant.record
        if variant.edit is not None:
            try:
                rule = find_domain(self._run, domain, public=self._run.settings.data is not None).rules.by_id.get(
                    variant.edit.rule
                )
            except TauError:
                rule = None  # a suite that is not called like its domain: the words come with the first trial
            record = record.model_copy(update={"sentence": rule.text if rule else None})
        return record.model_dump()
