"""Mistakes that leave the end state right: each is made where the task allows for it, and noticed by its check."""

from typing import Any

import pytest

from pytest_tau import Task, grade, load_domain, simulate
from pytest_tau.diagnosis.reach import reach
from tau_workshop.audit.mistakes import Mutant, mistakes
from tests.builders import whole

RETAIL = load_domain("retail")
TASKS = {task.id: task for task in whole("retail")}
NOTICED_BY = {
    "claimed deed": "claims",
    "yes to another proposal": "confirmed",
    "yes before the facts": "confirmed",
    "told a stranger's record": "own_records",
    "write and undo": "no_needless_writes",
    "needless write": "no_needless_writes",
}


def made(task: Task) -> dict[str, Mutant]:
    return {mutant.operator: mutant for mutant in mistakes(task, RETAIL, reach(task, RETAIL).pool)}


def changed(name: str, **criteria: Any) -> Task:
    plain = TASKS[name].model_dump()
    return Task.model_validate({**plain, "evaluation_criteria": {**plain["evaluation_criteria"], **criteria}})


@pytest.mark.parametrize("operator", NOTICED_BY)
def test_each_is_noticed_by_its_check(operator: str) -> None:
    task = TASKS["moved_house"]
    mutant = made(task)[operator]
    reward = grade(task, simulate(task, RETAIL, mutant.agent), RETAIL)
    result, state = reward.result("TRAJECTORY"), reward.result("DB")
    assert result is not None
    assert state is not None
    assert NOTICED_BY[operator] in {check.kind for check in result.checks if check.met is False}
    assert state.value == 1.0


def test_a_false_reason_is_given_where_the_task_names_one() -> None:
    assert "false reason" not in made(TASKS["moved_house"])
    task = TASKS["somebody_elses_order"]
    mutant = made(task)["false reason"]
    assert not grade(task, simulate(task, RETAIL, mutant.agent), RETAIL).passed
    assert grade(task, simulate(task, RETAIL), RETAIL).passed


def test_where_nobody_is_to_agree_no_yes_goes_astray() -> None:
    found = made(changed("moved_house", trajectory=[], without=["confirmed", "own_records"]))
    assert not {"yes to another proposal", "yes before the facts", "told a stranger's record"} & set(found)
