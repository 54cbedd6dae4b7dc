"""Composes the telecom tasks: which faults go together, and the suite that is frozen in ``tasks/telecom/base.json``.

    pytest-tau generate telecom --n 114 --seed 42 --suite tasks/telecom/base.json

The atoms and the rules for combining them are those of the public set: on its world, ``full_set`` gives the same 2,285
combinations.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from pytest_tau import Domain
from pytest_tau.schema.task import Task
from tau_workshop.compose import Combination, Part, Persona, combinations, compose, half, sample

from .atoms import LEFT_OUT, Caller, families
from .demands import demanding
from .words import CALLERS, PERSONAS, describe


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
        line.plan_id,
        other_lines=tuple(other for other in customer.line_ids if other != line.line_id),
        other_bills=tuple(other for other in customer.bill_ids if other != bill_id),
    )


def full_set(who: Caller, personas: Sequence[Persona] = PERSONAS[0]) -> list[Combination]:
    """Every combination that makes a task."""
    every = [one for family in families(who) for one in combinations(family, personas)]
    return [one for one in every if LEFT_OUT not in one.names]


def generate(domain: Domain, n: int, seed: int, part: Part | None = None) -> list[Task]:
    """A suite of ``n`` tasks, in which the customers of the world take turns.

    ``part``: 0 or 1, of two suites that have no combination, customer, persona or opening in common.
    """
    pattern = full_set(caller(domain, *CALLERS[0]))
    # Every caller has the same combinations in the same order, so a sample of one world is one of them all.
    chosen = half(sample(pattern, n if part is None else min(2 * n, len(pattern)), seed), part)
    callers = half(list(enumerate(CALLERS)), part)
    openings = _deal([(one.family.name, callers[turn % len(callers)][0] % 2) for turn, one in enumerate(chosen)])
    tasks = []
    for number, (index, given) in enumerate(callers):
        if number < len(chosen):
            who = caller(domain, *given)
            own = {family.name: family for family in families(who)}
            personas = dict(zip(PERSONAS[0], PERSONAS[index], strict=True))
            for turn in range(number, len(chosen), len(callers)):
                one = chosen[turn].of_another(own[chosen[turn].family.name], personas[chosen[turn].persona])
                words = partial(describe, number=seed + openings[turn])
                tasks.append((turn, demanding(one, compose(one, domain, words), who, domain)))
    return [task for _, task in sorted(tasks, key=lambda numbered: numbered[0])]


def _deal(kinds: Sequence[tuple[str, int]]) -> list[int]:
    """For each of some tasks, how many of the same kind come before it: so no opening is said again before all were."""
    before: Counter[tuple[str, int]] = Counter()
    numbers = []
    for kind in kinds:
        numbers.append(before[kind])
        before[kind] += 1
    return numbers
