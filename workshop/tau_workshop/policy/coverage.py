"""Which rules of a policy some task guards, as coverage.py says which lines a test runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.policy import safety_section
from pytest_tau.environment.rules import PolicyRule
from pytest_tau.environment.tasks import read_tasks, task_files_in
from pytest_tau.printable import count_of
from pytest_tau.schema.task import Task

from .proof import Proof

ELSEWHERE = "no task of this domain is about safety; the suite 'safety' guards it in other domains"
_SHOWN, _WIDTH = 6, 90


@dataclass(frozen=True)
class CoveredRule:
    """A rule, the tasks that rest on it, and why there cannot be any, if so."""

    rule: PolicyRule
    tasks: tuple[str, ...]
    unguarded: str | None

    @property
    def state(self) -> str:
        """ "guarded", "open" (no task guards it, and one could), or "free" (none can)."""
        return "guarded" if self.tasks else "free" if self.unguarded else "open"


@dataclass(frozen=True)
class PolicyCoverage:
    """A domain's policy and the tasks that guard it.

    ``none``: the tasks that rest on no rule. ``unknown``: rules that tasks name and the policy has not, each with the
    tasks.
    """

    domain: str
    text: str
    rules: tuple[CoveredRule, ...]
    tasks: int
    none: tuple[str, ...] = ()
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    proof: Proof | None = None

    def of(self, state: str) -> list[CoveredRule]:
        """The rules in a state."""
        return [one for one in self.rules if one.state == state]

    @property
    def share(self) -> float:
        """Guarded rules ÷ rules that can be guarded, 0 to 1; 1 where there are none."""
        guarded, open_rules = len(self.of("guarded")), len(self.of("open"))
        return guarded / (guarded + open_rules) if guarded + open_rules else 1.0

    @property
    def guards(self) -> str:
        """How many of the tasks guard a rule, in words."""
        guarding = len({task for one in self.of("guarded") for task in one.tasks})
        tasks = count_of(self.tasks, "tasks")
        return tasks if guarding == self.tasks else f"{guarding} of {tasks}"


def cover(domain: Domain, tasks: Sequence[Task], proof: Proof | None = None) -> PolicyCoverage:
    """Which rules of a domain's policy these tasks guard."""
    by_rule: dict[str, list[str]] = {}
    for task in tasks:
        for rule in task.guards:
            by_rule.setdefault(rule, []).append(task.id)
    shared = _shared_rules(domain) if not any(task.safety for task in tasks) else frozenset()
    rules = tuple(
        CoveredRule(rule, tuple(by_rule.get(rule.id, ())), rule.unguarded or (ELSEWHERE if rule.id in shared else None))
        for rule in domain.rules.rules
    )
    known = domain.rules.by_id
    return PolicyCoverage(
        domain.name,
        domain.rules.text,
        rules,
        len(tasks),
        tuple(task.id for task in tasks if not task.guards),
        tuple((rule, tuple(ids)) for rule, ids in by_rule.items() if rule not in known),
        proof,
    )


def _shared_rules(domain: Domain) -> frozenset[str]:
    """The rules that stand in our section on safety and nowhere else in the policy."""
    if domain.spec.safety is None:
        return frozenset()
    section = safety_section(domain.folder, domain.spec.safety).strip()
    start = domain.rules.text.find(section)
    inside = [
        rule.id
        for rule in domain.rules.rules
        if all(start <= first and last <= start + len(section) for first, last in rule.spans)
    ]
    return frozenset(inside if start >= 0 else ())


def tasks_of(domain: Domain, suites: Path) -> list[Task]:
    """All tasks of a domain in a folder of suites; a suite may have tasks of several."""
    return [
        task
        for folder in sorted(path for path in suites.iterdir() if path.is_dir())
        for file in task_files_in(folder)
        for task in read_tasks(file)
        if (task.domain_name or folder.name) == domain.name
    ]


def render(found: PolicyCoverage) -> Iterator[str]:
    """The report, line by line."""
    guarded, open_rules, free = found.of("guarded"), found.of("open"), found.of("free")
    yield (
        f"{found.domain}: {len(guarded)} of {len(guarded) + len(open_rules)} rules that a task can guard are guarded "
        f"({100 * found.share:.1f} %), by {found.guards}; {count_of(len(free), 'rules')} cannot be."
    )
    width = max((len(one.rule.id) for one in found.rules), default=0)
    if guarded:
        yield from ("", "Guarded, with the number of tasks:")
    for one in guarded:
        yield f"  {one.rule.number:>3} {one.rule.id:<{width}} {len(one.tasks):>5}  {_short(one.rule.text)}"
    if open_rules:
        yield from ("", "No task guards:")
        yield from (
            f"  {one.rule.number:>3} {one.rule.id:<{width}}        {_short(one.rule.text)}" for one in open_rules
        )
    if free:
        yield from ("", "No task can guard:")
        yield from (f"  {one.rule.number:>3} {one.rule.id:<{width}}        {one.unguarded}" for one in free)
    if found.none:
        rest = "rests" if len(found.none) == 1 else "rest"
        yield from ("", f"{count_of(len(found.none), 'tasks')} {rest} on no rule: {_some(found.none)}")
    for rule, ids in found.unknown:
        name = "names" if len(ids) == 1 else "name"
        yield f"There is no rule '{rule}', which {count_of(len(ids), 'tasks')} {name}: {_some(ids)}"
    if found.proof is not None:
        shown, claimed = found.proof.pairs()
        share = f" ({100 * shown / claimed:.1f} %)" if claimed else ""
        precision, recall = 100 * found.proof.precision, 100 * found.proof.recall
        yield from (
            "",
            f"Shown by {count_of(len(found.proof.shown), 'edits')} of the policy: {shown} of {claimed} claims that a "
            f"task rests on a rule{share}; precision {precision:.1f} %, "
            f"recall {recall:.1f} %.",
        )


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def as_data(found: PolicyCoverage) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "domain": found.domain,
        "share": found.share,
        "tasks": found.tasks,
        "rules": [
            {
                "id": one.rule.id,
                "number": one.rule.number,
                "section": one.rule.section,
                "text": one.rule.text,
                "state": one.state,
                "tasks": list(one.tasks),
                "unguarded": one.unguarded,
            }
            for one in found.rules
        ],
        "tasks without rules": list(found.none),
        "unknown rules": {rule: list(ids) for rule, ids in found.unknown},
        "proof": None
        if found.proof is None
        else {
            "precision": found.proof.precision,
            "recall": found.proof.recall,
            "claims shown": found.proof.pairs()[0],
            "claims": found.proof.pairs()[1],
            "edits": [
                {
                    "edit": str(one.edit),
                    "factor": one.edit.factor,
                    "claimed": sorted(one.claimed),
                    "red": sorted(one.red),
                }
                for one in found.proof.shown
            ],
        },
    }
