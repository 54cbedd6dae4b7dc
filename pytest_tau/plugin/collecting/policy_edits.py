"""The edits of policies that ``--tau-policy-mutants`` asks for: of some rules, or of those that most tasks rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pytest

from ...environment.folders import suggestion
from ...errors import SettingsError, TauError
from ..run import Run
from .domains import find_domain
from .nodeids import is_public
from .task_files import matches, paths_of, tasks_of

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task
    from ...variants.policy import PolicyEdit
    from .variants import PlayedVariant

EXAMPLE = "--tau-policy-mutants 10, all, or 'RULE=delete,invert; RULE=rescale'"


def policy_edits(run: Run) -> list[PolicyEdit]:
    """The edits that were asked for; raises SettingsError for those that cannot be."""
    from ...variants.policy import OPERATIONS, PolicyEdit

    asked = (run.settings.policy_mutants or "").strip()
    if _is_number(asked):
        rules = _most_guarded(run)
        number = len(rules) if asked == "all" else int(asked)
        if not rules or number < 1:
            why = "no task of this run says which rules it rests on; fill the key 'rules' of the tasks, or"
            if not any(path.suffix == ".json" for path in paths_of(run)):
                why = "of a run of tests with a marker, or of folders, the tasks are not known yet;"
            raise SettingsError(f"--tau-policy-mutants {asked}: {why} name rules, as in RULE=delete")
        return [PolicyEdit(rule, "delete") for rule in rules[:number]]
    edits: dict[PolicyEdit, None] = {}
    for part in filter(None, (part.strip() for part in asked.split(";"))):
        rule, _, named = part.partition("=")
        for operation in [one.strip() for one in (named or "delete").split(",")]:
            if operation not in OPERATIONS or not rule.strip():
                raise SettingsError(
                    f"--tau-policy-mutants: '{part}' names no edit; write a rule and some of {', '.join(OPERATIONS)}, "
                    f"as in {EXAMPLE}"
                )
            edits[PolicyEdit(rule.strip(), operation)] = None
    if not edits:
        raise SettingsError(f"--tau-policy-mutants: nothing is named; write {EXAMPLE}")
    _refuse_idle(run, edits)
    return list(edits)


def _is_number(asked: str) -> bool:
    return asked == "all" or (asked.isdecimal() and len(asked) < 10)  # int() refuses thousands of digits, and "²"


def refuse_unmade(run: Run, variants: Iterable[PlayedVariant | None]) -> None:
    """Raise UsageError for an edit that was named and that no test plays under; ``variants``: those of all tests."""
    made = [None if variant is None else variant.edit for variant in variants]
    if not made or _is_number((run.settings.policy_mutants or "").strip()):
        return
    for edit in policy_edits(run):
        if edit not in made:
            raise pytest.UsageError(
                f"--tau-policy-mutants: '{edit.rule}={edit.operation}' has nothing to change in this run: none of its "
                "tasks rests on this rule, or the rule has no number; 'pytest-tau audit DOMAIN --policy' says which do"
            )


def _refuse_idle(run: Run, edits: Iterable[PolicyEdit]) -> None:
    """Raise SettingsError for a rule that no policy of this run has, or on which none of its tasks rests."""
    if any(path.suffix != ".json" for path in paths_of(run)):
        return  # what tests with a marker rest on is known once they are collected
    known: dict[str, bool] = {}
    for task, domain in _tasks(run):
        known.update(dict.fromkeys(domain.rules.by_id.keys() - known.keys(), False))
        known.update(dict.fromkeys(domain.rules.by_id.keys() & set(task.guards), True))
    for edit in edits if known else ():
        if edit.rule not in known:
            why = f"no policy of this run has this rule{suggestion(edit.rule, sorted(known))}"
        elif not known[edit.rule]:
            why = "no task of this run rests on this rule; 'pytest-tau audit DOMAIN --policy' says which tasks do"
        else:
            continue
        raise SettingsError(f"--tau-policy-mutants: '{edit.rule}': {why}")


def _most_guarded(run: Run) -> list[str]:
    """The rules that tasks of this run rest on, those with the most tasks first, then in the order of the policy."""
    guards: Counter[str] = Counter()
    places: dict[str, int] = {}
    for task, domain in _tasks(run):
        for rule in domain.rules.rules:
            places.setdefault(rule.id, rule.number)
        guards.update(rule for rule in task.guards if rule in domain.rules.by_id)
    return sorted(guards, key=lambda rule: (-guards[rule], places[rule]))


def _tasks(run: Run) -> Iterator[tuple[Task, Domain]]:
    """The tasks of the files that this run collects, as far as they can be read; what cannot, collecting says."""
    first, taken = run.settings.first_tasks, Counter["Domain"]()
    for path in paths_of(run):
        if path.suffix != ".json":
            continue
        try:
            public = is_public(run, path)
            for task in tasks_of(run, path):
                domain = find_domain(run, task.domain_name or path.parent.name, public=public)
                taken[domain] += 1
                patterns = run.settings.tasks if first is None else ()
                if first is not None and taken[domain] > first:
                    continue
                if not patterns or any(matches(task.id, pattern) for pattern in patterns):
                    yield task, domain
        except TauError:
            continue


def stands_in(edit: PolicyEdit, task: Task, domain: Domain, *, solo: bool) -> bool:
    """Whether a task rests on the rule of an edit, and the edit changes the policy that it is played under."""
    from ...variants.policy import can_edit, in_text

    rule = domain.rules.by_id.get(edit.rule)
    if rule is None or edit.rule not in task.guards or not can_edit(domain.rules, rule, edit.operation):
        return False
    return edit.rule in in_text(domain.policy_for(solo=solo, task=task), domain.rules).by_id
