"""Composes long telecom episodes: a customer calls about one trouble, is helped, and calls again about pictures.

Everything is wrong from the start; what keeps the messages from being sent is nothing that the first trouble has.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random

from pytest_tau import Domain
from pytest_tau.generation.compose import Combination, compose, join
from pytest_tau.schema.task import Task

from .atoms import NO_MMS_SERVER, PERMISSIONS, WIFI_CALLING, Caller
from .demands import demanding
from .generate import caller, full_set
from .words import CALLERS, HALVES, describe

ONLY_PICTURES = {WIFI_CALLING.name, NO_MMS_SERVER.name, *(one.name for one in PERMISSIONS)}
SIZES = (6, 9, 7, 11, 8, 12, 10)  # changes of a task, which take turns, as far as there are so many
HARDEST = 6  # faults of a first trouble, of which there are enough
TRIES = 8  # pairs that are looked at for one of a size
RESETS = {"break_apn_settings"}  # repairing it repairs the server of the messages as well


def long_tasks(domain: Domain, seed: int) -> Iterator[Task]:
    """Tasks with two conversations each, without end and not yet proven as a whole; callers take turns."""
    rng = Random(f"telecom long {seed}")
    sizes = cycle(SIZES)
    for index, given in cycle(enumerate(CALLERS)):
        who = caller(domain, *given)
        every = [one for one in full_set(who, HALVES[index % 2]) if one.solvable]
        size = next(sizes)
        firsts = [one for one in every if one.family.name != "mms_issue" and one.difficulty >= min(size - 2, HARDEST)]
        made = [_joined(rng, firsts, every, who, domain) for _ in range(TRIES)]
        yield min(made, key=lambda task: abs(changes(task, domain) - size))


def changes(task: Task, domain: Domain) -> int:
    """How many changes both sides make on the gold path."""
    writes = domain.environment().writes
    return sum(writes(step.name, step.requestor) for step in task.gold_actions)


def _joined(
    rng: Random, firsts: Sequence[Combination], every: Sequence[Combination], who: Caller, domain: Domain
) -> Task:
    first = rng.choice(firsts)
    pictures = [one for one in every if set(one.names) <= ONLY_PICTURES and not set(one.names) & set(first.names)]
    second = rng.choice([one for one in pictures if not (RESETS & set(first.names) and NO_MMS_SERVER in one.atoms)])
    return join([demanding(one, compose(one, domain, describe), who, domain) for one in (first, second)], way="again")
