"""What the customers of retail and airline can want, and their records, for tests."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom
from tests.domains.test_atoms import domain, family


@cache
def wishes(name: str) -> list[tuple[str, Atom]]:
    """What every tenth customer can want, each wish with whose it is."""
    customers = family(name).everybody(domain(name))[::10]
    return [(customer.key, atom) for customer in customers for atom in customer.atoms()]


@cache
def tables(name: str) -> dict[str, Any]:
    found: dict[str, Any] = domain(name).environment().dump()["agent"]
    return found


def steps(name: str, *tools: str) -> Iterator[tuple[str, Atom, Action]]:
    for key, atom in wishes(name):
        for step in atom.steps:
            if step.name in tools:
                yield key, atom, step


def names(people: Any) -> set[str]:
    return {f"{one['first_name']} {one['last_name']}" for one in people}


def me(user_id: str) -> str:
    return names([tables("airline")["users"][user_id]["name"]]).pop()
