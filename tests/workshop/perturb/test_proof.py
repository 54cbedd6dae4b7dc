"""The proof of a kind: it finds what a kind breaks, and nothing where it breaks nothing."""

import pytest

from pytest_tau import Task, load_domain, load_tasks
from pytest_tau.environment.domain import Domain
from pytest_tau.variants import Dose, Kind, builtin_kinds, read_doses
from pytest_tau.variants.texts import retold
from tau_workshop.perturb.proof import broken_parts
from tests.builders import action, mock, task


def _forgets(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    return retold(task, lambda text, part: "I need something, number 4711.")


def _other_gold(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    criteria = task.evaluation_criteria
    assert criteria is not None
    return task.model_copy(
        update={"evaluation_criteria": criteria.model_copy(update={"actions": [], "trajectory": []})}
    )


def test_what_a_kind_breaks_is_named() -> None:
    added = next(one for one in load_tasks("mock") if one.id == "add_a_task")
    kinds = builtin_kinds()
    kinds.add(Kind("forgets", "words", "", _forgets))
    kinds.add(Kind("other_gold", "words", "", _other_gold))
    found = list(broken_parts(added, mock(), read_doses("forgets,other_gold,typos", kinds), 1, kinds))
    assert any(one.startswith("forgets: the customer no longer says ") for one in found)
    assert "forgets: the customer says 4711, which is not in the original" in found
    assert any(one.startswith("other_gold: the trivial agent ") for one in found)
    assert not any(one.startswith("typos") for one in found)


def test_what_the_oracle_never_passed_is_broken_by_no_kind() -> None:
    asked = {"actions": [action("create_task", user_id="nobody", title="x")], "communicate_info": ["4711"]}
    lost = task(criteria={**asked, "reward_basis": ["DB", "COMMUNICATE"]})
    found = list(broken_parts(lost, mock(), read_doses("typos,tool_docs", builtin_kinds()), 1))
    assert not any("the oracle does not pass any more" in one for one in found)


def test_built_in_kinds_break_nothing_of_mock() -> None:
    kinds = builtin_kinds()
    for one in load_tasks("mock"):
        assert list(broken_parts(one, mock(), read_doses("all", kinds), 300, kinds)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline", "telecom"])
def test_every_paraphrase_is_proved(name: str) -> None:
    domain, reworded = load_domain(name), read_doses("reworded", builtin_kinds())
    tasks = [one for one in load_tasks(name) if one.wordings()]
    assert len(tasks) >= 30
    assert all(len(one.wordings()) >= 3 for one in tasks)
    for one in tasks[:: len(tasks) // 7]:
        assert list(broken_parts(one, domain, reworded, 300)) == [], one.id
