"""What a trial of a journal counts as: which facts of it, and in which row of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from .judge_errors import JudgeErrors
from .mutant_totals import spare_decided
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
    test = found["test"] if trial.file_in_row else found["test"].partition("::")[2]
    parts = [trial.domain] if _in_file(found) else [trial.domain, test]
    others = out_of_ids(_split(found, trial)[0])
    return ", ".join([*parts, others] if others else parts)


def _split(found: re.Match[str], trial: TrialFacts) -> tuple[str, str]:
    """What else a test is parametrized with, and its task's id where that stands behind it, as in the node ID.

    A label may end like the task's id, which is left out where it is its file's only: "4" is no part of "gpt-4".
    """
    ids = (found["ids"] or "").removesuffix("-")
    labels = "-".join(filter(None, (trial.label, str((trial.variant or {}).get("label") or ""))))
    plain = out_of_ids(ids)
    for own in (in_domain(trial.domain, trial.task_id), trial.task_id):
        if labels and plain.endswith(labels) and not f"-{plain}".endswith(f"-{labels}-{own}"):
            continue
        for one in (own, in_ids(own)):
            if f"-{ids}".endswith(f"-{one}"):
                return ids.removesuffix(one).removesuffix("-"), one
    return ids, ""


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


def tally(
    trials: Iterable[dict[str, Any]],
    k: int,
    *,
    plan: Mapping[str, int] | None = None,
    decided: bool = False,
    judge: JudgeErrors | None = None,
) -> Totals:
    """The totals of a whole run, each trial as it ended last.

    Args:
        trials: as a journal has them; one that was played again more than once.
        k: how many trials of each task in a task file the run was to have, where its plan does not say.
        plan: how many trials of which tests it was to have, as far as that is known (:func:`..manifest.plan_of`): of
            a shard, or where a part was selected, that is less than k. Rows, tasks and agents come in its order.
        decided: the run ended early because its gates were decided; then the trials that it did not play were spared.
        judge: what is known of its judge's errors.
    """
    plan = plan or {}
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
    totals.judge = judge
    begun: dict[str, TrialFacts] = {}
    for nodeid, trial in last.items():
        is_new = (trial.domain, trial.task_id) not in totals.tasks
        if found := TRIAL.match(nodeid):
            begun[found["task"]] = trial
        if is_new:
            # How many trials a test in Python has stands in its marker.
            in_file = nodeid.partition("::")[0].endswith(".json")
            due = plan.get(found["task"], 0) if found else 0
            totals.plan(trial.domain, trial.task_id, due or k * in_file)
        totals.add(earlier.get(nodeid, Earlier()).then(trial))
    labels = {test: (trial.domain, trial.task_id) for test, trial in begun.items()}
    for test, row, task_id in _not_begun(plan, begun):
        labels[test] = (row, task_id)
        if not totals.variants.get(row, {}).get("policy"):  # those are left out where their rule is decided
            totals.plan(row, task_id, plan[test])
    totals.arrange(labels[test] for test in plan if test in labels)  # and not as they happened to end
    spare_decided(totals)
    for task in totals.of() if decided else ():
        task.spared = max(0, task.planned - task.done)
    return totals


def _not_begun(plan: Iterable[str], begun: Mapping[str, TrialFacts]) -> Iterator[tuple[str, str, str]]:
    """The tests of which no trial has ended, with row and task id, as far as node IDs and the other tests tell.

    ``begun``: a trial of each of the others, with its row for a domain. Where a task's id begins in a node ID, is known
    by what stands before it in others: agents, variants, parameters.
    """
    domains: dict[str, str] = {}
    known: dict[str, set[str]] = {}
    with_file: set[str] = set()
    for test, trial in begun.items():
        if found := TRIAL.match(f"{test}trial1]"):
            domain = trial.domain.partition(", ")[0]
            before, own = _split(found, replace(trial, domain=domain))
            domains[_home(found)] = domain
            if trial.file_in_row:
                with_file.add(found["test"])
            if own or _in_file(found):
                known.setdefault("" if _in_file(found) else found["test"], set()).add(before)
    planned = set(plan)
    for test in plan:
        found = None if test in begun else TRIAL.match(f"{test}trial1]")
        if found is None:
            continue
        ids = (found["ids"] or "").removesuffix("-")
        befores = known.get("" if _in_file(found) else found["test"], ())
        fits = [one for one in befores if one in ("", ids) or ids.startswith(f"{one}-")]
        if not fits:
            continue
        before = max(fits, key=len)
        own = ids.removeprefix(before).removeprefix("-")
        # Where the same test is planned with the end of this alone, what stands before that end is no part of an id.
        ends = [own[place + 1 :] for place, letter in enumerate(own) if letter == "-"] + [""] * bool(own)
        if any(f"{found['test']}[" + "".join(f"{one}-" for one in (before, end) if one) in planned for end in ends):
            continue
        file = PurePosixPath(found["test"].partition("::")[0])
        if task_id := out_of_ids(own) or (file.stem if _in_file(found) else ""):
            domain = domains.get(_home(found), PurePosixPath(_home(found)).name.rpartition("::")[2])
            facts = TrialFacts(domain, task_id, "", file_in_row=found["test"] in with_file)
            yield test, row_of(found, facts), task_id


def _in_file(found: re.Match[str]) -> bool:
    """Whether a trial is of a task file, or of a recording, and not of a test in Python."""
    return found["test"].partition("::")[0].endswith((".json", ".jsonl"))


def _home(found: re.Match[str]) -> str:
    """What has one domain: a folder of task files, the part of a recording that is named like it, a test in Python."""
    path, *parts = found["test"].split("::")
    if not _in_file(found):
        return found["test"]
    return f"{path}::{parts[0]}" if len(parts) > 1 else str(PurePosixPath(path).parent)
