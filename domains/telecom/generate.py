"""Composes the telecom tasks: which faults go together, and the suite that is frozen in ``tasks/telecom/base.json``.

    pytest-tau generate telecom --n 114 --seed 42 -o tasks/telecom/base.json

The atoms and the rules for combining them are those of the public set: on its world, ``full_set`` gives the same 2,285
combinations.
"""

from pytest_tau import Domain
from pytest_tau.generation.compose import Combination, combinations, compose, sample
from pytest_tau.schema.task import Task

from .atoms import LEFT_OUT, Caller, families
from .demands import demanding
from .words import PERSONAS, describe


def caller(domain: Domain, phone_number: str, bill_id: str) -> Caller:
    """The customer who holds a phone number."""
    db = domain.environment().tools.db
    line, customer = db.line_with_phone(phone_number), db.customer_with_phone(phone_number)
    limit = db.plan(line.plan_id).data_limit_gb
    return Caller(
        customer.full_name,
        phone_number,
        customer.customer_id,
        line.line_id,
        limit,
        bill_id,
        other_lines=tuple(other for other in customer.line_ids if other != line.line_id),
        other_bills=tuple(other for other in customer.bill_ids if other != bill_id),
    )


def full_set(who: Caller) -> list[Combination]:
    """Every combination that makes a task."""
    every = [one for family in families(who) for one in combinations(family, PERSONAS)]
    return [one for one in every if LEFT_OUT not in one.names]


# The customers of our world who may call, each with an id for the bill that they may owe.
CALLERS = (("555-284-3307", "B2101"), ("555-284-5190", "B2102"), ("555-284-8846", "B2103"))


def generate(domain: Domain, n: int, seed: int) -> list[Task]:
    """A suite of ``n`` tasks, in which the customers of the world take turns."""
    callers = [caller(domain, phone_number, bill_id) for phone_number, bill_id in CALLERS]
    worlds = [full_set(who) for who in callers]
    among = [worlds[position % len(worlds)][position] for position in range(len(worlds[0]))]
    calling = {id(one): callers[position % len(callers)] for position, one in enumerate(among)}
    chosen = sample(among, n, seed)
    return [demanding(one, compose(one, domain, describe), calling[id(one)], domain) for one in chosen]
