"""The proof of a kind: it finds what a kind breaks, and nothing where it breaks nothing."""

import pytest

from pytest_tau import Task, load_domain, load_tasks
from pytest_tau.environment.domain import Domain
from pytest_tau.variants import Dose, Kind, builtin_kinds, read_doses
from pytest_tau.variants.texts import retold
from tau_workshop.perturb.proof import broken_parts
from tests.builders import mock


def _forgets(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    return retold(task, lambda text, part: "I need something, number 4711.")


def _other_gold(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    criteria = task.evaluation_criteria
    assert criteria is not None
    return task.model_copy(
        update={"evaluation_criteria": criteria.model_copy(update={"actions": [], "trajectory": []})}
    )


def test_what_a_kind_breaks_is_named() -> None:
    task = next(task for task in load_tasks("mock") if task.id == "add_a_task")
    kinds = builtin_kinds()
    kinds.add(Kind("forgets", "words", "", _forgets))
    kinds.add(Kind("other_gold", "words", "", _other_gold))
    found = list(broken_parts(task, mock(), read_doses("forgets,other_gold,typos", kinds), 1, kinds))
    assert any(one.startswith("forgets: the customer no longer says ") for one in found)
    assert "forgets: the customer says 4711, which is not in the original" in found
    assert any(one.startswith("other_gold: the trivial agent ") for one in found)
    assert not any(one.startswith("typos") for one in found)


def test_built_in_kinds_break_nothing_of_mock() -> None:
    kinds = builtin_kinds()
    for task in load_tasks("mock"):
        assert list(broken_parts(task, mock(), read_doses("all", kinds), 300, kinds)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline", "telecom"])
def test_every_paraphrase_is_proved(name: str) -> None:
    domain, reworded = load_domain(name), read_doses("reworded", builtin_kinds())
    tasks = [task for task in load_tasks(name) if task.wordings()]
    assert len(tasks) >= 30
    assert all(len(task.wordings()) >= 3 for task in tasks)
    for task in tasks[:: len(tasks) // 7]:
        assert list(broken_parts(task, domain, reworded, 300)) == [], task.id
