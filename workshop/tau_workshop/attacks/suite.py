"""From a domain's written attacks to proven tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_tau.environment.domain import Domain, find_domain, load_domain
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.schema.task import Task

from ..parts import load_workshop_part, workshop_folder
from .building import build
from .cases import Case
from .proof import prove

Rejected = Callable[[TaskError], None]


def written_attacks(name: str | Path, *, rejected: Rejected | None = None) -> list[Task]:
    """The attacks that a domain's author has written, each followed by its twin, and all of them proven.

    Raises:
        DomainError: there is no such domain, or nobody has written attacks on it.
        TaskError: a pair does not prove; with ``rejected``, that is told and the pair left out.
    """
    folder = find_domain(name).resolve()
    domain = load_domain(folder)
    cases = getattr(load_workshop_part(folder, "attacks"), "cases", None)
    if cases is None:
        where = workshop_folder(folder)
        raise DomainError(
            f"{folder}: there are no written attacks; write 'def cases(domain)' into {where / 'attacks.py'}"
        )
    return proven_tasks(cases(domain), domain, rejected=rejected)


def proven_tasks(cases: list[Case], domain: Domain, *, rejected: Rejected | None = None) -> list[Task]:
    """The tasks of cases, attack and twin in turn."""
    tasks: list[Task] = []
    for case in cases:
        pair = build(case, domain)
        try:
            prove(*pair, domain)
        except TaskError as error:
            if rejected is None:
                raise
            rejected(error)
            continue
        tasks += pair
    return tasks
