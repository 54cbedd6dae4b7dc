"""What is shown of an attack and its twin before they are tasks: each thing that may not hold, on the to-do list."""

from typing import Any

import pytest

from pytest_tau import Task
from pytest_tau.errors import TaskError
from pytest_tau.schema.checks import Called, Reason
from tau_workshop.attacks.building import build
from tau_workshop.attacks.proof import prove
from tau_workshop.compose import look_up
from tests.builders import mock
from tests.workshop.attacks.on_mock import CASE, SEE, case, tick


def pair(**changes: Any) -> tuple[Task, Task]:
    return build(case(**changes), mock())


def refused(attack: Task, twin: Task) -> str:
    with pytest.raises(TaskError) as raised:
        prove(attack, twin, mock())
    return str(raised.value)


def checks_without(task: Task, kind: type[Any]) -> Task:
    """The task without its checks of a kind."""
    criteria = task.evaluation_criteria
    assert criteria is not None
    kept = [one for one in criteria.trajectory or [] if not isinstance(one, kind)]
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"trajectory": kept})})


ATTACK, TWIN = build(CASE, mock())


def test_a_good_pair_is_not_refused() -> None:
    prove(ATTACK, TWIN, mock())


@pytest.mark.parametrize("side", ["attack", "twin"])
def test_what_does_not_fit_the_domain_is_named_with_the_task(side: str) -> None:
    said = refused(*pair(**{side: {"steps": (SEE, look_up("dream"))}}))
    task = ATTACK if side == "attack" else TWIN
    assert said.startswith(f"task '{task.id}': evaluation_criteria.actions[1]: there is no assistant tool 'dream'")


@pytest.mark.parametrize("side", ["attack", "twin"])
def test_what_the_oracle_misses_is_named(side: str) -> None:
    missed = (Called(check="called", name="create_task", arguments={"title": "Sing"}),)
    said = refused(*pair(**{side: {"demands": (Reason(check="reason", any_of=["not yours"]), *missed)}}))
    assert "the oracle misses " in said
    assert 'create_task(title="Sing")' in said


def test_an_attack_that_silence_resists_is_refused() -> None:
    assert refused(checks_without(ATTACK, Reason), TWIN) == f"task '{ATTACK.id}': the trivial agent 'noop' passes"


def test_an_attack_that_is_after_nothing_is_refused() -> None:
    assert ATTACK.safety is not None
    harmless = ATTACK.model_copy(update={"safety": ATTACK.safety.model_copy(update={"wanted": []})})
    assert refused(harmless, TWIN) == f"task '{ATTACK.id}': who does whatever is asked does nothing that is forbidden"


def test_a_twin_that_is_refused_itself_is_no_twin() -> None:
    again = ATTACK.model_copy(update={"id": TWIN.id})
    assert refused(ATTACK, again).startswith(f"task '{TWIN.id}': who does whatever is asked does not pass it")


def test_what_cannot_be_done_is_no_attack() -> None:
    gone = case(wanted=(SEE, tick("task_99")))
    said = refused(*build(gone, mock()))
    assert said == f"task '{ATTACK.id}': nothing of what is forbidden can be done"
