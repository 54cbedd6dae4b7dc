"""What a composed task must show before it is one; each test breaks one thing."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_tau import Task
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.schema.calls import EnvFunctionCall
from tau_workshop.compose import Atom, ComposeOptions, Revision, compose_tasks, look_up
from tests.builders import mock

from .families import ADD, DELETE, SEE, TICK, family


def made(*atoms: Atom, n: int = 1, **options: Any) -> Task:
    chosen = {"refusals": "none", "mind": "kept", "writes": (1, 1), **options}
    return compose_tasks(family(*atoms), mock(), n, 1, ComposeOptions(**chosen))[-1]


def test_a_sound_task_says_what_was_shown() -> None:
    task = made(TICK)
    assert task.description is not None
    assert task.description.notes is not None
    assert task.description.notes.startswith("The oracle passes; noop, transfer, apologise, dump, repeat fail; ")
    assert [action.name for action in task.gold_actions] == ["get_users", "update_task_status"]
    assert task.evaluation_criteria is not None
    assert task.evaluation_criteria.reward_basis == ["DB", "TRAJECTORY"]


def update(status: str = "completed", task_id: str = "task_1") -> Any:
    return look_up("update_task_status", task_id=task_id, status=status)


NEW = look_up("create_task", user_id="user_1", title="Buy milk")
STRANGER = look_up("create_task", user_id="user_9", title="Buy paper")
ALREADY = EnvFunctionCall(
    env_type="assistant", func_name="update_task_status", arguments={"task_id": "task_1", "status": "completed"}
)


@pytest.mark.parametrize(("atom", "options", "why"), [
    (replace(TICK, steps=(look_up("finish"), update())), {}, "there is no assistant tool 'finish'"),
    (replace(ADD, steps=(SEE, NEW)), {}, "needs 'Buy milk', which nobody has said or looked up"),
    (replace(TICK, steps=(SEE, update("done"))), {}, "fails: Error:"),
    (replace(TICK, initialise=(ALREADY,)), {}, "the state is the same"),
    (replace(TICK, fits=lambda env: []), {}, r"the words of 'tick' fit \[\], and the gold path has \[\{'task_id'"),
    (
        replace(TICK, fits=lambda env: [{"task_id": f"task_{n}", "status": "completed"} for n in (1, 3)]),
        {},
        "and the gold path has",
    ),
    (
        replace(ADD, revision=Revision(ADD.says, ADD.says, STRANGER)),
        {"mind": "revised"},
        "what is taken back could not be done",
    ),
    (replace(DELETE, checks=()), {"refusals": "only", "writes": (0, 0)}, "the trivial agent '.*' passes"),
])  # fmt: skip
def test_what_does_not_hold_is_refused_by_name(atom: Atom, options: dict[str, Any], why: str) -> None:
    with pytest.raises(TaskError, match=rf"only 0 like these can be composed; others did not prove, such as .*{why}"):
        made(atom, **options)


def test_fits_that_yields_nothing_to_look_at() -> None:
    with pytest.raises(DomainError, match="atom 'tick': 'fits' yields the arguments of calls, and gave None"):
        made(replace(TICK, fits=lambda env: None))  # type: ignore[arg-type, return-value]


def test_a_family_that_grades_nothing_of_the_way_lets_a_mutant_pass() -> None:
    bare = family(TICK, checks=())
    rejected: list[str] = []
    options = ComposeOptions(refusals="none", mind="kept", writes=(1, 1))
    assert len(compose_tasks(bare, mock(), 1, 1, options, mutants=0)) == 1
    with pytest.raises(TaskError, match="0 like these"):
        compose_tasks(bare, mock(), 1, 1, options, rejected=lambda error: rejected.append(str(error)))
    assert rejected
    assert all("needless hand-over" in why for why in rejected)
