"""Composes long telecom episodes: a customer calls about one trouble, is helped, and calls again about pictures.

Everything is wrong from the start; what keeps the messages from being sent is nothing that the first trouble has.
"""

from collections.abc import Iterator
from itertools import cycle
from random import Random

from pytest_tau import Domain
from pytest_tau.generation.compose import compose, join
from pytest_tau.schema.task import Task

from .atoms import NO_MMS_SERVER, PERMISSIONS, WIFI_CALLING
from .demands import demanding
from .generate import caller, full_set
from .words import CALLERS, HALVES, describe

ONLY_PICTURES = {WIFI_CALLING.name, NO_MMS_SERVER.name, *(one.name for one in PERMISSIONS)}
RESETS = {"break_apn_settings"}  # repairing it repairs the server of the messages as well


def long_tasks(domain: Domain, seed: int) -> Iterator[Task]:
    """Tasks with two conversations each, without end and not yet proven as a whole; callers take turns."""
    rng = Random(f"telecom long {seed}")
    for index, given in cycle(enumerate(CALLERS)):
        who = caller(domain, *given)
        every = [one for one in full_set(who, HALVES[index % 2]) if one.solvable]
        first = rng.choice([one for one in every if one.family.name != "mms_issue" and one.difficulty >= 4])
        pictures = [one for one in every if set(one.names) <= ONLY_PICTURES and not set(one.names) & set(first.names)]
        second = rng.choice([one for one in pictures if not (RESETS & set(first.names) and NO_MMS_SERVER in one.atoms)])
        yield join(
            [demanding(one, compose(one, domain, describe), who, domain) for one in (first, second)], way="again"
        )
