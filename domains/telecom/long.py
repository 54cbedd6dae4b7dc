"""Composes long telecom episodes: a customer calls about one trouble, is helped, and calls again about pictures.

Everything is wrong from the start; what keeps the messages from being sent is nothing that the first trouble has.
"""

from itertools import cycle
from random import Random

from pytest_tau import Domain, simulate
from pytest_tau.errors import TaskError
from pytest_tau.generation.compose import compose
from pytest_tau.generation.compose.long import Length, join, turns_of
from pytest_tau.generation.compose.proof import prove_whole
from pytest_tau.schema.task import Task

from .atoms import NO_MMS_SERVER, PERMISSIONS, WIFI_CALLING
from .demands import demanding
from .generate import caller, full_set
from .words import CALLERS, HALVES, describe

ONLY_PICTURES = {WIFI_CALLING.name, NO_MMS_SERVER.name, *(one.name for one in PERMISSIONS)}
RESETS = {"break_apn_settings"}  # repairing it repairs the server of the messages as well


def long_tasks(domain: Domain, n: int, seed: int, length: Length | None = None) -> list[Task]:
    """``n`` tasks with two conversations each; raises TaskError where there are not so many."""
    wanted = length or Length()
    rng = Random(f"telecom long {seed}")
    tasks: list[Task] = []
    seen: set[str] = set()
    for tries, (index, given) in enumerate(cycle(enumerate(CALLERS))):
        if len(tasks) == n:
            return tasks
        if tries > 20 * n:
            raise TaskError(f"{n} long tasks were asked for, but only {len(tasks)} can be composed")
        who = caller(domain, *given)
        every = [one for one in full_set(who, HALVES[index % 2]) if one.solvable]
        first = rng.choice([one for one in every if one.family.name != "mms_issue" and one.difficulty >= 4])
        pictures = [one for one in every if set(one.names) <= ONLY_PICTURES and not set(one.names) & set(first.names)]
        second = rng.choice([one for one in pictures if not (RESETS & set(first.names) and NO_MMS_SERVER in one.atoms)])
        task = join(
            [demanding(one, compose(one, domain, describe), who, domain) for one in (first, second)], way="again"
        )
        writes = sum(domain.environment().writes(step.name, step.requestor) for step in task.gold_actions)
        if task.id not in seen and wanted.writes[0] <= writes <= wanted.writes[1] and _fits(task, domain, wanted):
            seen.add(task.id)
            tasks.append(task.model_copy(update={"tags": [*task.tags, f"writes_{writes}"]}))
    raise AssertionError("a cycle has no end")


def _fits(task: Task, domain: Domain, length: Length) -> bool:
    try:
        prove_whole(task, domain, every_change=False)
    except TaskError:
        return False
    return length.turns[0] <= turns_of(simulate(task, domain)) <= length.turns[1]
