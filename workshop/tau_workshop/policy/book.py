"""Which tasks rest on which rule: a domain's clauses, and the claims that they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_tau.environment.domain import Domain
from pytest_tau.errors import DomainError
from pytest_tau.schema.checks import Reason
from pytest_tau.schema.task import Task

from ..parts import load_workshop_part
from .literal import Play

Claim = Callable[[Task], bool]


@dataclass(frozen=True)
class Clause:
    """One rule: ``claim`` tells whether a task rests on it, ``play`` what a literal agent makes of it."""

    rule: str
    claim: Claim
    play: Play


class RuleBook:
    """The clauses of a domain, in the order of its policy."""

    def __init__(self, *clauses: Clause) -> None:
        self.clauses = clauses

    def rests_on(self, task: Task) -> list[str]:
        """The rules that a task rests on."""
        return list(dict.fromkeys(clause.rule for clause in self.clauses if clause.claim(task)))

    def about(self, rule: str) -> Iterator[Clause]:
        """The clauses about a rule."""
        return (clause for clause in self.clauses if clause.rule == rule)


def find_book(domain: Domain) -> RuleBook | None:
    """What the workshop of a domain says in ``guards.py``; None if it has none. Raises DomainError."""
    part = load_workshop_part(domain.folder, "guards")
    if part is None:
        return None
    book = getattr(part, "book", None)
    if not isinstance(book, RuleBook):
        raise DomainError(f"{part.__file__}: define 'book = RuleBook(...)' in it")
    return book


def with_rules(task: Task, domain: Domain) -> Task:
    """The task with the rules that it rests on, as the domain's book has it; as it is where there is none."""
    book = find_book(domain)
    rules = book.rests_on(task) if book is not None else []
    return task.model_copy(update={"rules": rules}) if rules else task


# ---- claims


def everywhere(task: Task) -> bool:
    """Every task."""
    return True


def tagged(*tags: str) -> Claim:
    """Tasks with one of these tags."""
    return lambda task: not set(tags).isdisjoint(task.tags)


def of_tasks(*ids: str) -> Claim:
    """These tasks."""
    return lambda task: task.id in ids


def calls(*tools: str) -> Claim:
    """Tasks whose gold path calls one of these tools."""
    return lambda task: any(action.name in tools for action in task.gold_actions)


def gives_reasons(task: Task) -> bool:
    """Tasks in which something is refused with a reason."""
    criteria = task.evaluation_criteria
    return criteria is not None and any(isinstance(check, Reason) for check in criteria.trajectory or ())


def all_of(*claims: Claim) -> Claim:
    """Tasks that every claim is true of."""
    return lambda task: all(claim(task) for claim in claims)


def any_of(*claims: Claim) -> Claim:
    """Tasks that some claim is true of."""
    return lambda task: any(claim(task) for claim in claims)


def except_for(claim: Claim) -> Claim:
    """Tasks that a claim is not true of."""
    return lambda task: not claim(task)
