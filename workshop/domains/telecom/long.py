"""Composes long telecom episodes: a customer calls about one trouble, is helped, and calls again about the next.

No service comes before mobile data, and that before pictures, as each needs the one before it. Everything is wrong from
the start; what a later call is about is nothing that an earlier one has put right. From ten changes on there are three
calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, cycle
from random import Random

from pytest_tau import Domain, Environment
from pytest_tau.schema.checks import NotCalled, TrajectoryCheck
from pytest_tau.schema.task import Description, EvaluationCriteria, Task
from tau_workshop.compose import Combination, Describe, TaskTexts, compose, join, phrases_of
from tau_workshop.compose.long import SIZES, THREE

from .atoms import AIRPLANE, BROKEN_APN, NO_MMS_SERVER, PERMISSIONS, WIFI_CALLING, Caller
from .demands import demanding
from .generate import caller, full_set
from .words import CALLERS, PERSONAS, calling_again, describe, surroundings_in

say = phrases_of(__file__)
SERVICE, DATA, PICTURES = "service_issue", "mobile_data_issue", "mms_issue"
PAIRS = ((SERVICE, DATA), (DATA, PICTURES), (SERVICE, PICTURES))
TRIES = 2000  # that the right number of changes is looked for
ONLY_PICTURES = {WIFI_CALLING.name, NO_MMS_SERVER.name, *(one.name for one in PERMISSIONS)}
Combinations = dict[str, list[Combination]]


def long_tasks(domain: Domain, seed: int) -> Iterator[Task]:
    """Tasks with two or three conversations each, without end and not yet proven as a whole; callers take turns."""
    rng = Random(f"telecom long {seed}")
    sizes, pairs, known = cycle(SIZES), cycle(PAIRS), dict[int, tuple[Caller, Combinations]]()
    for number in count():
        index = number % len(CALLERS)
        if index not in known:
            who = caller(domain, *CALLERS[index])
            known[index] = who, _solvable(full_set(who, PERSONAS[index]))
        who, every = known[index]
        size = next(sizes)
        wanted = (SERVICE, DATA, PICTURES) if size >= THREE else next(pairs)
        if chosen := _choose(rng, every, wanted, size):
            persona = rng.choice(PERSONAS[index])  # the same customer in all calls
            yield _join([replace(one, persona=persona) for one in chosen], who, domain)


def _solvable(every: Sequence[Combination]) -> Combinations:
    found: Combinations = {SERVICE: [], DATA: [], PICTURES: []}
    for one in every:
        if one.solvable and (one.family.name != PICTURES or set(one.names) <= ONLY_PICTURES):
            found[one.family.name].append(one)
    return found


def _choose(rng: Random, every: Combinations, families: Sequence[str], size: int) -> list[Combination] | None:
    """One combination of each family, with so many changes together; None where there is none."""
    for _ in range(TRIES):
        found = [rng.choice(every[name]) for name in families]
        if sum(len(one.actions) for one in found) == size and _go_together(found):
            return found
    return None


def _go_together(calls: Sequence[Combination]) -> bool:
    """Whether no call is about what an earlier one has put right, or is held up by what a later one is about."""
    names = [name for one in calls for name in one.names]
    resets = BROKEN_APN.name in names and NO_MMS_SERVER.name in names  # the same repair
    late = any(AIRPLANE.name in one.names for one in calls[1:]) and calls[0].family.name == SERVICE
    return len(set(names)) == len(names) and not resets and not late


def _join(calls: Sequence[Combination], who: Caller, domain: Domain) -> Task:
    abroad = any(name.startswith("user_abroad") for one in calls for name in one.names)
    earlier = [None, *(one.family.name for one in calls)]
    parts = [
        demanding(one, compose(one, domain, _describe_again(abroad, before)), who, domain)
        for one, before in zip(calls, earlier, strict=False)
    ]
    task = join(parts, order="again")
    # What may be tried in one call may be tried in all of them.
    forbidden = set.intersection(*[_forbidden_tools(part) for part in parts])
    kept = [check for check in _checks(task) if _name(check) is None or _name(check) in forbidden]
    criteria = (task.evaluation_criteria or EvaluationCriteria()).model_copy(update={"trajectory": kept})
    about = say("long.then").join(say(f"long.{one.family.name}") for one in calls)
    purpose = say("long.purpose", calls=len(calls), about=about)
    return task.model_copy(
        update={"evaluation_criteria": criteria, "description": Description(purpose=purpose)},
    )


def _checks(task: Task) -> list[TrajectoryCheck]:
    return list((task.evaluation_criteria or EvaluationCriteria()).trajectory or [])


def _forbidden_tools(task: Task) -> set[str | None]:
    return {name for check in _checks(task) if (name := _name(check)) is not None}


def _name(check: TrajectoryCheck) -> str | None:
    """The tool that a check forbids, whatever it is called with; None for other checks."""
    return check.name if isinstance(check, NotCalled) and not check.arguments else None


def _describe_again(abroad: bool, before: str | None) -> Describe:
    """The words of a call of several: the customer is in the same place in all, and knows that they called before."""

    def texts(one: Combination, env: Environment) -> TaskTexts:
        surroundings_in(env).is_abroad = abroad
        found = describe(one, env)
        return found if before is None else replace(found, reason_for_call=calling_again(found.reason_for_call, before))

    return texts
