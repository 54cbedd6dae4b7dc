"""Composes long episodes: several conversations on one state, of wishes that the short tasks are made of as well.

Each long task joins two proven plans, or three where it has ten changes or more, in one of three ways that take turns:

- ``others``: other customers call, one after the other.
- ``again``: a customer calls again about other things.
- ``returns``: a customer gives up a wish in the first conversation and comes back to it in the second.

A third conversation is another customer's in any case. The number of changes takes turns as well.

The whole is proven once more by playing it: every change counts, the oracle passes, agents without skill fail, mutants
are noticed, and the conversation has the length that was asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any, Literal
from zlib import crc32

from pytest_tau.environment.domain import Domain
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Identified, NotCalled, TrajectoryCheck
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.scenario import Instructions, Interrupt, UserScenario
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import Criterion, Description, EvaluationCriteria, FollowUp, InitialState, Task

from .atoms import Atom, Customer, Family
from .phrases import phrases_of
from .plans import Chosen, ComposeOptions, Plan, Planner, covers, record_of
from .proof import prove_whole, proven_task

Order = Literal["others", "again", "returns"]
ORDERS: tuple[Order, ...] = ("others", "again", "returns")
SIZES = (6, 10, 8, 12, 7, 15, 9, 11, 13, 14)  # changes of a task, which take turns
THREE = 10  # changes, from which on there are three conversations
AT_ONCE = 12  # changes, from which on wishes are told at once, so that the conversation does not get too long
TRIES = 30  # for a second plan; what a first one leaves of a customer's wishes is soon seen to be too little
CANDIDATES = 12  # second plans that are looked at for a first one
FIRSTS = 120  # first plans in a row without a second one, after which there is none of that size
ROOM = 6
say = phrases_of(__file__)
ASIDES: tuple[str, ...] = say("long.asides")
HURRIED: tuple[str, ...] = say("long.hurried")


@dataclass(frozen=True)
class Length:
    """How long an episode is to be: changes on the gold path, and turns of the oracle's trial (what is said)."""

    writes: tuple[int, int] = (6, 15)
    turns: tuple[int, int] = (20, 60)


def compose_long(family: Family, domain: Domain, n: int, seed: int, length: Length | None = None) -> list[Task]:
    """``n`` proven long tasks, the same for the same seed.

    Raises:
        TaskError: there are not so many.
    """
    wanted = length or Length()
    sizes = [size for size in SIZES if wanted.writes[0] <= size <= wanted.writes[1]]
    tasks: list[Task] = []
    seen: set[str] = set()
    failed: TaskError | None = None
    groups = {(order, size): _groups(order, size, family, domain, seed) for order in ORDERS for size in sizes}
    for number in count():
        if not groups or number > 40 * n:
            most = "no wishes that are left come to {} to {} changes together".format(*wanted.writes)
            why = f"others did not prove, such as {failed}" if failed else most
            raise TaskError(f"{n} long tasks were asked for, but only {len(tasks)} can be composed; {why}")
        # The next size for each task that there is, and another way for each that was tried.
        order, size = ORDERS[number % len(ORDERS)], sizes[len(tasks) % len(sizes)]
        group = next(groups[order, size], None)
        if group is None:
            continue
        planner, plans = group
        try:
            task = _join_plans(planner, plans, family, domain, order, random.Random(f"long {seed} {number}"))
            if task.id in seen:
                continue
            tasks.append(proven_long(task, domain, wanted))
            seen.add(task.id)
        except TaskError as error:
            failed = error
        if len(tasks) == n:
            return tasks
    raise AssertionError("counting has no end")


def turns_of(simulation: Simulation) -> int:
    """The turns of a conversation: what the two sides say to each other."""
    return sum(not isinstance(message, ToolMessage) and bool(message.text) for message in simulation.messages)


def _groups(
    order: Order, size: int, family: Family, domain: Domain, seed: int
) -> Iterator[tuple[Planner, tuple[Plan, ...]]]:
    """Plans that may make a long task with so many changes together, without end or until there are no more."""
    number = 2 if size < THREE else 3
    seed = random.Random(f"long {seed} {order} {size}").randrange(2**32)
    shares = [size // number + (position < size % number) for position in range(number)]
    options = ComposeOptions(told="once" if size >= AT_ONCE else "in_turn")
    wanted = [replace(options, writes=(share, share)) for share in shares]
    others = [Planner(family, domain, seed, one).plans() for one in wanted[2 if order != "others" else 1 :]]
    if order != "others":  # the same customer has to have enough to ask for
        family = replace(family, customers=_with_room(family.everybody))
    if order == "returns":
        # What is given up comes back as one more change of the second conversation.
        wanted[0] = replace(wanted[0], mind="withdrawn")
        wanted[1] = ComposeOptions(writes=(shares[1] - 1, shares[1] - 1), mind="kept")
    planner = Planner(family, domain, seed, wanted[0])
    without = 0
    for plan in planner.plans():
        if without == FIRSTS:
            return
        if order == "returns" and not _can_come_back(plan):
            without += 1
            continue
        plans = [plan]
        if order != "others":
            again = Planner(_alone(family, _with_the_rest(plan, planner, order)), domain, seed, wanted[1])
            for candidate in islice(again.plans(TRIES), CANDIDATES):
                second = _coming_back(plan, candidate) if order == "returns" else candidate
                if second is not None:
                    plans.append(_known_here(second, plan))
                    break
            else:
                without += 1
                continue
        without = 0
        for plans_of_another in others:
            another = next(
                (one for one in plans_of_another if all(one.customer.key != p.customer.key for p in plans)), None
            )
            if another is None:
                return
            plans.append(another)
        yield planner, tuple(plans)


def _with_room(customers: Callable[[Domain], Sequence[Customer]]) -> Callable[[Domain], Sequence[Customer]]:
    return lambda domain: [customer for customer in customers(domain) if customer.room >= ROOM]


def _alone(family: Family, customer: Customer) -> Family:
    return replace(family, customers=lambda domain: [customer])


def _with_the_rest(first: Plan, planner: Planner, order: Order) -> Customer:
    """The customer with the wishes that are left after a first call.

    What that has done to a record can close it, so that no later wish is about the same; and who does not know their
    numbers has none that needs them. Who comes back to a wish has no others like it.
    """
    given_up = [wish.atom for wish in first.wishes if wish.mind == "withdrawn" and order == "returns"]
    taken = {record_of(one) for wish in first.wishes if wish.mind != "withdrawn" for one in wish.atom.touches}
    left = [
        atom
        for atom in planner.atoms_of(first.customer)
        if not taken.intersection(map(record_of, atom.touches))
        and not (first.hidden and _needs_its_number(atom))
        and not any(_meets(atom, one) for one in given_up)
    ]
    return replace(first.customer, atoms=lambda: left, dual=lambda: ())


def _can_come_back(first: Plan) -> bool:
    """Whether what was given up is about no record that another wish of the first call has changed."""
    records: dict[bool, set[str]] = {True: set(), False: set()}
    for wish in first.wishes:
        records[wish.mind == "withdrawn"] |= set(map(record_of, wish.atom.touches))
    return records[True].isdisjoint(records[False])


def _needs_its_number(atom: Atom) -> bool:
    return any(reference.hidden is None for reference in (atom.refers or {}).values())


def _known_here(second: Plan, first: Plan) -> Plan:
    """A later conversation of the same person, who knows as much of their records, and does not begin as before."""
    greeting = _one_of(say("long.again"), second)
    persona = replace(first.persona, one=(greeting,), several=(greeting,))
    return replace(second, persona=persona, hidden=first.hidden)


def _one_of(words: Sequence[str], plan: Plan) -> str:
    return words[crc32(plan.words.encode()) % len(words)]


def _coming_back(first: Plan, second: Plan) -> Plan | None:
    """The second conversation with the wish that was given up in the first; None where they do not go together."""
    given_up = next(wish for wish in first.wishes if wish.mind == "withdrawn")
    atom = given_up.atom
    if atom.last or any(_meets(wish.atom, atom) for wish in second.wishes):
        return None
    why = _one_of(say("long.after_all"), second)
    wanted = replace(atom, says=tuple(f"{why} {words}" for words in atom.says))
    again = Chosen(wanted, "kept", given_up.wording + 1)
    wishes = sorted([*second.wishes, again], key=lambda one: (one.atom.last, one.atom.rank))
    return replace(second, wishes=tuple(wishes), in_turn=True)


def _meets(one: Atom, other: Atom) -> bool:
    return bool(one.touches & other.touches) or one.intent == other.intent


def _join_plans(
    planner: Planner, plans: tuple[Plan, ...], family: Family, domain: Domain, order: Order, rng: random.Random
) -> Task:
    parts = [proven_task(plan, family, domain, planner, mutants=0) for plan in plans]
    task = join(parts, order=order)
    if rng.random() < 0.4:
        task = _with_aside(task, rng)
    return task


def join(parts: Sequence[Task], *, order: str) -> Task:
    """One task of several, each a conversation of its own on the state that the one before has left."""
    renamed = [_number_actions(part, number) for number, part in enumerate(parts, start=1)]
    steps = [step for part in renamed for step in part.gold_actions]
    criteria = [part.evaluation_criteria or EvaluationCriteria() for part in renamed]
    facts = list(dict.fromkeys(fact for one in criteria for fact in one.communicate_info or []))
    checks = _checks([check for one in criteria for check in one.trajectory or []], steps)
    basis: list[Criterion] = list(dict.fromkeys(name for one in criteria for name in one.reward_basis))
    initial = [call for part in renamed for call in (_initial(part).initialization_actions or [])]
    fields: dict[str, Any] = {"actions": steps, "reward_basis": basis}
    fields |= {"communicate_info": facts} if facts else {}
    fields |= {"trajectory": checks} if checks else {}
    asserts = [assertion for one in criteria for assertion in one.env_assertions or []]
    fields |= {"env_assertions": asserts} if asserts else {}
    purposes = [part.description.purpose or "" for part in renamed if part.description]
    tags = ["long", f"way_{order}", *(tag for part in renamed for tag in part.tags if not tag.startswith("writes_"))]
    made: dict[str, Any] = {
        "id": ".then.".join(part.id for part in parts),
        "domain": parts[0].domain,
        "tags": list(dict.fromkeys(tags)),
        "description": Description(purpose=" Then: ".join(purposes)),
        "user_scenario": renamed[0].user_scenario,
        "episodes": [
            FollowUp(user_scenario=part.user_scenario, before=part.gold_actions[0].action_id) for part in renamed[1:]
        ],
        "evaluation_criteria": EvaluationCriteria(**fields),
    }
    if initial:
        made["initial_state"] = InitialState(initialization_actions=initial)
    return Task(**made)


def _initial(task: Task) -> InitialState:
    return task.initial_state or InitialState()


def _number_actions(task: Task, number: int) -> Task:
    """The task with the number of its conversation before the names of its gold actions."""

    def name(action: Action) -> Action:
        return action.model_copy(update={"action_id": f"v{number}_{action.action_id}"})

    criteria = (task.evaluation_criteria or EvaluationCriteria()).model_copy(
        update={"actions": [name(action) for action in task.gold_actions]}
    )
    instructions = task.user_scenario.instructions
    if isinstance(instructions, Instructions) and instructions.later:
        later = [
            moment if moment.before is None else moment.model_copy(update={"before": f"v{number}_{moment.before}"})
            for moment in instructions.later
        ]
        instructions = instructions.model_copy(update={"later": later})
    scenario = task.user_scenario.model_copy(update={"instructions": instructions})
    return task.model_copy(update={"evaluation_criteria": criteria, "user_scenario": scenario})


def _checks(checks: Sequence[TrajectoryCheck], steps: Sequence[Action]) -> list[TrajectoryCheck]:
    """The checks of all parts: who called is asked of each conversation, and nothing that a part does is forbidden."""
    kept: list[TrajectoryCheck] = []
    for check in checks:
        if isinstance(check, Identified):
            check = check.model_copy(update={"shows": None})
        if not (isinstance(check, NotCalled) and any(covers(check, step) for step in steps)):
            kept.append(check)
    return list({check.model_dump_json(): check for check in kept}.values())


def _with_aside(task: Task, rng: random.Random) -> Task:
    """The customer says something by the way while the agent looks something up."""
    first = task.in_episode(1).gold_actions
    names = [action.name for action in first if action.requestor == "assistant"]
    if len(names) < 3:
        return task
    asides = HURRIED if "persona_impatient" in task.tags else ASIDES
    aside = Interrupt(after_call=rng.choice(names[1:-1]), say=rng.choice(asides))
    scenario: UserScenario = task.user_scenario.model_copy(update={"interrupts": [aside]})
    return task.model_copy(update={"user_scenario": scenario, "tags": [*task.tags, "interrupted"]})


def proven_long(task: Task, domain: Domain, length: Length | None = None, *, every_change: bool = True) -> Task:
    """The task with the number of its changes among its tags, where it can be solved and has that length.

    ``every_change``: whether the state must be another without any of its changes. Raises TaskError.
    """
    length = length or Length()
    if len({step.action_id for step in task.gold_actions}) < len(task.gold_actions):
        raise TaskError(f"task '{task.id}': two gold actions share an id, and ids say where a conversation begins")
    writes = sum(domain.environment().writes(step.name, step.requestor) for step in task.gold_actions)
    if not length.writes[0] <= writes <= length.writes[1]:
        raise TaskError(f"task '{task.id}': {writes} changes")
    turns = turns_of(prove_whole(task, domain, every_change=every_change))
    if not length.turns[0] <= turns <= length.turns[1]:
        raise TaskError(f"task '{task.id}': {turns} turns")
    return task.model_copy(update={"tags": [*task.tags, f"writes_{writes}"]})
