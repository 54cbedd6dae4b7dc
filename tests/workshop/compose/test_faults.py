"""Composition over the to-do list: which tasks there are, which are chosen, and which are refused."""

from typing import Any

import pytest

from pytest_tau import Environment, grade, simulate
from pytest_tau.errors import TaskError
from pytest_tau.schema.calls import Action, EnvAssertion, EnvFunctionCall
from tau_workshop.compose import (
    Combination,
    DeviceFault,
    FaultFamily,
    Persona,
    TaskTexts,
    combinations,
    compose,
    prove,
    sample,
)
from tests.builders import mock

PERSONAS = (Persona("calm"), Persona("busy", "You have little time."))


def does(func_name: str, **arguments: Any) -> EnvFunctionCall:
    return EnvFunctionCall(env_type="assistant", func_name=func_name, arguments=arguments)


def holds(func_name: str, **arguments: Any) -> EnvAssertion:
    return EnvAssertion(env_type="assistant", func_name=func_name, arguments=arguments)


def step(name: str, **arguments: Any) -> Action:
    return Action(action_id=name, name=name, arguments=arguments)


PENDING = holds("assert_task_status", task_id="task_3", expected_status="pending")
ONE_TASK = holds("assert_number_of_tasks", user_id="user_2", expected_number=1)
TWO_TASKS = holds("assert_number_of_tasks", user_id="user_2", expected_number=2)

TICKED = DeviceFault(
    "ticked_by_mistake",
    (
        does("update_task_status", task_id="task_3", status="completed"),
        holds("assert_task_status", task_id="task_3", expected_status="completed"),
    ),
    (step("update_task_status", task_id="task_3", status="pending"),),
    (holds("assert_task_status", task_id="task_3", expected_status="pending"),),
)
DOUBLED = DeviceFault("doubled", (does("create_task", user_id="user_2", title="Again"),), None)
TRIPLED = DeviceFault("again", (does("create_task", user_id="user_2", title="Once more"),), None)


def family(*groups: tuple[DeviceFault, ...], **changes: Any) -> FaultFamily:
    parts: dict[str, Any] = {
        "solved": (PENDING, ONE_TASK),
        "unsolved": (TWO_TASKS,),
        "refusal": (Action(action_id="hand_over", name="transfer_to_human_agents", arguments={"summary": "-"}),),
    }
    return FaultFamily("list", groups, **{**parts, **changes})


def texts(combination: Combination, env: Environment) -> TaskTexts:
    return TaskTexts(
        id="-".join(combination.names),
        purpose="Put the list right.",
        reason_for_call="My list is wrong.",
        known_info="I am user_2.",
        task_instructions="Be brief.",
        ticket=f"{len(env.tools.db.tasks)} tasks",
    )


def test_there_is_at_most_one_atom_of_a_group_and_easy_tasks_come_first() -> None:
    found = combinations(family((TICKED,), (DOUBLED, TRIPLED)), PERSONAS)
    assert [one.names for one in found] == [
        ("ticked_by_mistake",),
        ("doubled",),
        ("again",),
        ("doubled", "ticked_by_mistake"),
        ("again", "ticked_by_mistake"),
    ]
    assert [one.persona.name for one in found] == ["calm", "busy", "calm", "busy", "calm"]
    assert [one.difficulty for one in found] == [1, 1, 1, 2, 2]


def test_what_is_not_valid_is_left_out() -> None:
    pairs = family((TICKED,), (DOUBLED,), valid=lambda names: len(names) == 2)
    assert [one.names for one in combinations(pairs, PERSONAS)] == [("doubled", "ticked_by_mistake")]


def test_a_sample_is_spread_and_repeats_with_its_seed() -> None:
    among = combinations(family((TICKED,), (DOUBLED, TRIPLED)), PERSONAS)
    chosen = sample(among, 4, seed=3)
    assert chosen == sample(among, 4, seed=3)
    assert {(one.difficulty, one.persona.name) for one in chosen} == {(d, p) for d in (1, 2) for p in ("calm", "busy")}
    assert sample(among, 5, seed=3) == among


def test_a_sample_of_more_than_there_is_is_refused() -> None:
    with pytest.raises(TaskError, match=r"^3 tasks were asked for, but only 1 can be composed$"):
        sample(combinations(family((TICKED,)), PERSONAS), 3, seed=0)


def test_a_task_that_can_be_solved() -> None:
    one = combinations(family((TICKED,)), PERSONAS[1:])[0]
    task = compose(one, mock(), texts)
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert (criteria.reward_basis, criteria.env_assertions) == (["ENV_ASSERTION"], [PENDING, ONE_TASK, PENDING])
    assert [action.action_id for action in task.gold_actions] == ["update_task_status_0"]
    assert task.initial_state is not None
    # The assertion in between was for the proof only.
    assert task.initial_state.initialization_actions == [TICKED.initialise[0]]
    assert (task.id, task.domain, task.user_scenario.persona) == ("ticked_by_mistake", "mock", "You have little time.")
    assert task.ticket == "3 tasks"
    assert grade(task, simulate(task, mock(), agent="oracle"), mock()).passed
    assert not grade(task, simulate(task, mock(), agent="noop"), mock()).passed


def test_a_task_that_cannot_be_solved_asks_for_the_refusal() -> None:
    one = combinations(family((TICKED,), (DOUBLED,)), PERSONAS)[-1]
    task = compose(one, mock(), texts)
    criteria = task.evaluation_criteria
    assert criteria is not None
    assert (criteria.reward_basis, criteria.env_assertions) == (["ENV_ASSERTION", "ACTION"], [TWO_TASKS])
    assert [action.action_id for action in task.gold_actions] == ["hand_over"]
    assert grade(task, simulate(task, mock(), agent="oracle"), mock()).passed
    assert not grade(task, simulate(task, mock(), agent="noop"), mock()).passed


def alone(atom: DeviceFault, **changes: Any) -> Combination:
    return Combination(family((atom,), **changes), (atom,), PERSONAS[0])


@pytest.mark.parametrize(("atom", "changes", "sentence"), [
    (
        DeviceFault("ticked", TICKED.initialise, (step("create_task", user_id="user_2", title="More"),)),
        {},
        r"^atom ticked of list: after its solution, it does not hold that assistant: assert_task_status\(",
    ),
    (
        DeviceFault("ticked", TICKED.initialise, (step("update_task_status", task_id="task_9", status="pending"),)),
        {},
        r"^atom ticked of list: update_task_status\(.*\) failed: Error: Task task_9 not found$",
    ),
    (DeviceFault("calm", (), TICKED.solve), {},
     r"^atom calm of list: before update_task_status\(.*\), all is well already$"),
    (DeviceFault("calm", (), None), {}, r"^atom calm of list: although it has no solution, it does not hold that"),
    (DeviceFault("calm", (), None), {"unsolved": (ONE_TASK,)}, r"^atom calm of list: before transfer_.*, all is well"),
    (
        DeviceFault("ticked", TICKED.initialise, TICKED.solve, (TWO_TASKS,)),
        {},
        r"^atom ticked of list: after its solution, it does not hold that assistant: assert_number_of_tasks\(",
    ),
    (
        DeviceFault("ticked", (does("update_task_status", task_id="task_9", status="completed"),), TICKED.solve),
        {},
        r"^atom ticked of list: update_task_status failed: Task task_9 not found$",
    ),
    (
        DeviceFault("ticked", (*TICKED.initialise, PENDING), TICKED.solve),
        {},
        r"^atom ticked of list: after it was brought about, it does not hold that",
    ),
    (
        TICKED,
        {"solved": (holds("assert_task_status", task_id="task_9", expected_status="pending"),)},
        r"^atom ticked_by_mistake of list: before anything is wrong, assert_task_status failed: Task task_9 not found$",
    ),
])  # fmt: skip
def test_what_does_not_prove_is_refused_by_name(atom: DeviceFault, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TaskError, match=sentence):
        prove(alone(atom, **changes), mock())


def test_a_path_that_holds_early_is_refused_though_each_atom_proves() -> None:
    again = DeviceFault("ticked_again", TICKED.initialise, TICKED.solve)
    both = Combination(family((TICKED,), (again,)), (TICKED, again), PERSONAS[0])
    with pytest.raises(TaskError, match=r"^atoms ticked_by_mistake \+ ticked_again of list: before .*, all is well"):
        prove(both, mock())
