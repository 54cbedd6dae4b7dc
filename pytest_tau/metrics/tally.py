"""What a trial of a journal counts as: which facts of it, and in which row of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from .totals import Totals
from .trial_facts import Costs, TrialFacts

# A trial's node ID: its test, what else that is parametrized with, its trial.
TRIAL = re.compile(r"(?P<task>(?P<test>.+?::(?:\w+::)*\w+)\[(?P<ids>.*-)?)trial[1-9]\d*\]$", re.DOTALL)

_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt\\])")

# Ends that a resumed run plays again: whoever plays until they pass has chosen among several results.
REPLAYED = frozenset({"infra_error", "error"})


@dataclass(frozen=True)
class Earlier:
    """What a trial had been before it was played again: how often that was, and what these are known to have cost."""

    replays: int = 0
    costs: Costs = field(default_factory=Costs)

    def plus(self, trial: TrialFacts) -> Earlier:
        """As it is once this is played again as well."""
        return Earlier(self.replays + 1, self.costs + trial.costs.without_unknown())

    def then(self, trial: TrialFacts) -> TrialFacts:
        """The trial that counts, with what was paid for it before."""
        return replace(trial, replays=self.replays, costs=trial.costs + self.costs) if self.replays else trial


def row_of(found: re.Match[str], trial: TrialFacts) -> str:
    """In which row of the table a trial counts: its domain's, with what else a test is parametrized with.

    Trials of different agents, or of different tests, are no repetitions of each other.
    """
    path, _, test = found["test"].partition("::")
    name = found["test"] if trial.file_in_row else test
    parts = [trial.domain] if path.endswith((".json", ".jsonl")) else [trial.domain, name]
    others = _besides_task((found["ids"] or "").removesuffix("-"), trial)
    return ", ".join([*parts, others] if others else parts)


def _besides_task(ids: str, trial: TrialFacts) -> str:
    """What stands in brackets before a trial's number but for its task, which is left out where it is its file's only.

    A label may end like the task's id: "4" is no part of "gpt-4".
    """
    labels = "-".join(filter(None, (trial.label, str((trial.variant or {}).get("label") or ""))))
    plain = out_of_ids(ids)
    for own in (in_domain(trial.domain, trial.task_id), trial.task_id):
        if labels and plain.endswith(labels) and not f"-{plain}".endswith(f"-{labels}-{own}"):
            continue
        for text in (plain, ids):
            if f"-{text}".endswith(f"-{own}"):
                return out_of_ids(text.removesuffix(own).removesuffix("-"))
    return plain


def in_domain(domain: str, task_id: str) -> str:
    """How node IDs call a task whose id is in another domain of its suite too."""
    return f"{domain}/{task_id}"


def in_ids(text: str) -> str:
    """A text as it stands in pytest's node IDs, which have escapes for letters beyond ASCII."""
    return text.encode("unicode_escape").decode("ascii")


def out_of_ids(text: str) -> str:
    """What stands in pytest's node IDs with such escapes, without them; other texts as they are."""
    plain = _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), text)
    return plain if in_ids(plain) == text else text


def row_of_trial(nodeid: str, trial: TrialFacts) -> str:
    """In which row of the table the trial of a test counts."""
    found = TRIAL.match(nodeid)
    return row_of(found, trial) if found else trial.domain


def tally(trials: Iterable[dict[str, Any]], k: int, *, decided: bool = False) -> Totals:
    """The totals of a whole run, each trial as it ended last.

    Args:
        trials: as a journal has them; one that was played again more than once.
        k: how many trials of each task in a task file the run was to have.
        decided: the run ended early because its gates were decided; then no more trials are due than were played.
    """
    last: dict[str, TrialFacts] = {}
    earlier: dict[str, Earlier] = {}
    unfinished: set[str] = set()
    for content in trials:
        nodeid = content["nodeid"]
        trial, found = TrialFacts.of(content), TRIAL.match(nodeid)
        if found:
            trial = replace(trial, domain=row_of(found, trial))
        before = last.pop(nodeid, None)
        if before is not None and before.outcome in REPLAYED and nodeid not in unfinished:
            earlier[nodeid] = earlier.get(nodeid, Earlier()).plus(before)
        last[nodeid] = trial
        # One that is graded later is not played again for that.
        (unfinished.add if content.get("graded") is False else unfinished.discard)(nodeid)
    totals = Totals()
    for nodeid, trial in last.items():
        is_new = (trial.domain, trial.task_id) not in totals.tasks
        # How many trials a test in Python has stands in its marker.
        if is_new and not decided and nodeid.partition("::")[0].endswith(".json"):
            totals.plan(trial.domain, trial.task_id, k)
        totals.add(earlier.get(nodeid, Earlier()).then(trial))
    return totals
