"""Shows that a rule is guarded: under a policy without it the literal agent fails the tasks that rest on it, no others.

Only tasks whose script an edit changes are played; in all others the literal agent does what the oracle does, and that
the oracle passes is what composing, ``pytest-tau check`` and the tests of the suites have shown.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.rules import PolicyText
from pytest_tau.evaluation.grade import grade
from pytest_tau.schema.task import Task
from pytest_tau.simulating import simulate
from pytest_tau.variants.policy import OPERATIONS, PolicyEdit, edit_policy, edits_of

from .book import RuleBook
from .literal import Script, said

FACTORS = (0.5, 2.0, 3.0)


@dataclass(frozen=True)
class Shown:
    """One edit, the tasks that were to turn red, and those that did."""

    edit: PolicyEdit
    claimed: frozenset[str]
    red: frozenset[str]


@dataclass(frozen=True)
class Proof:
    """Many edits.

    ``precision``: of the tasks that turned red, how many were claimed; ``recall``: of those claimed, how many did.
    """

    shown: tuple[Shown, ...]

    @property
    def precision(self) -> float:
        """1.0 where nothing turned red."""
        red = sum(len(one.red) for one in self.shown)
        return sum(len(one.red & one.claimed) for one in self.shown) / red if red else 1.0

    @property
    def recall(self) -> float:
        """1.0 where nothing was claimed."""
        claimed = sum(len(one.claimed) for one in self.shown)
        return sum(len(one.red & one.claimed) for one in self.shown) / claimed if claimed else 1.0

    def pairs(self) -> tuple[int, int]:
        """Of the claimed (rule, task) pairs, how many some edit has shown, and how many there are."""
        claimed = {(one.edit.rule, task) for one in self.shown for task in one.claimed}
        red = {(one.edit.rule, task) for one in self.shown for task in one.red}
        return len(claimed & red), len(claimed)


def seeded_edits(
    policy: PolicyText, number: int, seed: int, operations: Sequence[str] = OPERATIONS
) -> list[PolicyEdit]:
    """Edits drawn by a seed: of rules that can be guarded, each as often as others before any again."""
    rng = random.Random(seed)
    known = list(edits_of(policy, operations))
    drawn: list[PolicyEdit] = []
    while known and len(drawn) < number:
        rng.shuffle(known)
        drawn += [replace(edit, factor=rng.choice(FACTORS)) for edit in known[: number - len(drawn)]]
    return drawn


def prove(tasks: Sequence[Task], domain: Domain, book: RuleBook, edits: Sequence[PolicyEdit]) -> Proof:
    """What each edit turns red."""
    known: dict[PolicyEdit, Shown] = {}
    for edit in edits:
        if edit not in known:
            claimed = frozenset(task.id for task in tasks if edit.rule in task.guards)
            known[edit] = Shown(edit, claimed, frozenset(_red(tasks, domain, book, edit)))
    return Proof(tuple(known[edit] for edit in edits))


def _red(tasks: Sequence[Task], domain: Domain, book: RuleBook, edit: PolicyEdit) -> list[str]:
    now = edit_policy(domain.rules, edit)
    heard = {clause.rule: said(clause.rule, domain.rules, now) for clause in book.clauses}
    changed = [clause for clause in book.clauses if heard[clause.rule].now != heard[clause.rule].before]
    red = []
    for task in tasks:
        script = Script(task, domain)
        for clause in changed:
            clause.play(script, heard[clause.rule])
        if not script.is_gold and not grade(task, simulate(task, domain, agent=script.agent), domain).passed:
            red.append(task.id)
    return red
