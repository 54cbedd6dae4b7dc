"""Which wishes go together, and how they are told."""

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from pytest_tau.errors import DomainError, TaskError
from pytest_tau.schema.checks import NotCalled
from pytest_tau.schema.scenario import Instructions
from tau_workshop.compose import Atom, ComposeOptions, Customer, Reference, look_up
from tau_workshop.compose.building import build
from tau_workshop.compose.personas import PERSONAS
from tau_workshop.compose.plans import MANY, Plan, Planner
from tests.builders import mock

from .families import ADD, DELETE, TICK, family


def plans(*atoms: Atom, n: int = 20, **options: Any) -> list[Plan]:
    return list(islice(Planner(family(*atoms), mock(), 3, ComposeOptions(**options)).plans(), n))


def intents(*atoms: Atom, **options: Any) -> set[tuple[str, ...]]:
    return {tuple(one.atom.intent for one in plan.wishes) for plan in plans(*atoms, **options)}


def said(plan: Plan, *atoms: Atom) -> Instructions:
    instructions = build(
        plan, family(*atoms), "mock", {"update_task_status", "create_task"}
    ).task.user_scenario.instructions
    assert isinstance(instructions, Instructions)
    return instructions


def test_a_plan_is_handed_out_once() -> None:
    found = plans(TICK, ADD, DELETE)
    assert len({plan.key for plan in found}) == len(found) >= 6


def test_changes_come_in_the_order_of_their_rank() -> None:
    assert intents(ADD, TICK, writes=(2, 2), refusals="none", mind="kept") == {("tick", "add")}


def test_what_touches_the_same_is_never_together() -> None:
    same = replace(ADD, touches=TICK.touches)
    assert intents(TICK, same, refusals="none", mind="kept") == {("tick",), ("add",)}


def test_two_wishes_are_never_told_the_same_fact() -> None:
    asks, too = replace(TICK, facts=("50",)), replace(ADD, facts=("50",))
    assert intents(asks, too, refusals="none", mind="kept") == {("tick",), ("add",)}
    assert ("tick", "add") in intents(asks, replace(ADD, facts=("60",)), refusals="none", mind="kept")


def test_what_one_forbids_another_does_not_do() -> None:
    forbids = NotCalled(check="not_called", name="create_task")
    strict = replace(DELETE, checks=(*DELETE.checks, forbids))
    assert ("add", "delete") not in intents(ADD, strict) | {tuple(reversed(one)) for one in intents(ADD, strict)}


def test_what_is_last_is_said_last_and_in_turn() -> None:
    hand_over = replace(
        DELETE, intent="person", steps=(look_up("transfer_to_human_agents", summary="-"),), checks=(),
        tags=("transfer",), last=True, rank=-1,
    )  # fmt: skip
    together = [plan for plan in plans(TICK, hand_over, n=60) if len(plan.wishes) == 2]
    assert together
    assert all(plan.in_turn and plan.wishes[-1].atom.intent == "person" for plan in together)


NAMED = replace(TICK, refers={"task": Reference("task_1", "my first task")})


def test_ids_of_several_records_are_all_said_or_none_is() -> None:
    numbered = replace(ADD, intent="numbered", refers={"task": Reference("task_2")})
    assert not any(plan.hidden for plan in plans(numbered, TICK, refusals="none"))
    for plan in plans(NAMED, numbered, ADD, refusals="none"):
        assert not (plan.hidden and "numbered" in [one.atom.intent for one in plan.wishes])
    hidden = plans(NAMED, numbered, ADD, refusals="none", ids="hidden")
    assert hidden
    assert {one.atom.intent for plan in hidden for one in plan.wishes} == {"tick", "add"}
    assert "task_1" not in said(hidden[0], NAMED, ADD).reason_for_call


def test_what_nobody_of_many_can_have_is_not_looked_for_again() -> None:
    asked: list[str] = []

    class Counting(Planner):
        def _room(self, customer: Customer) -> int:
            asked.append(customer.key)
            return super()._room(customer)

    people = [f"user_{number}" for number in range(MANY)]
    options = ComposeOptions(mind="revised", writes=(1, 1), refusals="none")
    assert list(Counting(family(TICK, customers=people), mock(), 3, options).plans()) == []
    assert len(asked) <= 4 * MANY


def test_a_persona_that_there_is_not() -> None:
    with pytest.raises(TaskError, match=r"there is no persona 'rude'; there are helpful, impatient, "):
        plans(TICK, persona="rude")


def test_personas_are_dealt_evenly() -> None:
    every = len(PERSONAS)
    found = plans(*(replace(TICK, intent=f"tick_{number}") for number in range(every)), n=every)
    assert len(found) == every
    assert {plan.persona for plan in found} == set(PERSONAS)


def test_two_wishes_that_are_told_alike_are_told_in_different_words() -> None:
    says = ("Please tick this one for me.", "Could you tick that?")
    one, other = (replace(TICK, intent=name, says=says, touches=frozenset({name})) for name in ("first", "second"))
    for plan in plans(one, other, writes=(2, 2)):
        assert {wish.wording for wish in plan.wishes} == {0, 1}


def test_a_single_wording_is_too_few_for_the_second_of_two_suites() -> None:
    planner = Planner(
        family(replace(TICK, says=("Tick it off.",)), customers=("user_1", "user_2")),
        mock(),
        3,
        ComposeOptions(part=1, writes=(1, 1), refusals="none", mind="kept"),
    )
    with pytest.raises(
        DomainError, match=r"atom 'tick': it has 1 wording in 'says', not enough for suites that share none"
    ):
        next(planner.plans())
