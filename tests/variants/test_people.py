"""``identity``: another name, consistently, and nothing else."""

from typing import Any

import pytest

from pytest_tau import Task, load_domain, load_tasks
from pytest_tau.environment.domain import Domain
from pytest_tau.users.prompts import Guidelines, system_prompt
from pytest_tau.variants import apply_doses, builtin_kinds, read_doses
from pytest_tau.variants.names import ORIGINS
from pytest_tau.variants.people import customer, with_gender
from tests.builders import core

KINDS = builtin_kinds()


@pytest.mark.parametrize("name", ["retail", "airline", "telecom"])
def test_the_old_name_is_gone_and_the_new_one_is_in_scenario_gold_and_database(name: str) -> None:
    domain = load_domain(name)
    for task in core(name)[::7]:
        person = customer(task, domain)
        assert person is not None
        names = set()
        for dose in read_doses("identity", KINDS):
            found = apply_doses(task, domain, [dose], 3)
            assert found is not None
            said = found.task.model_dump_json(exclude={"id", "initial_state"})
            assert f"{person.first} {person.last}" not in said
            if person.email and f"{person.first.lower()}." in person.email:
                assert person.email not in said
            new = customer_after(found.task, domain, person.table)
            assert new["email"].partition("@")[2] == (person.email or "").partition("@")[2]
            names.add(str(new.get("name", new.get("full_name"))))
        assert len(names) == len(ORIGINS)


def customer_after(task: Task, domain: Domain, table: str) -> dict[str, Any]:
    """The record that the task brings."""
    state = task.model_dump()["initial_state"]
    records = state["initialization_data"]["agent_data"][table]
    before = domain.base.tables[table].raw
    new: dict[str, Any]
    (new,) = [one for one in (records if isinstance(records, list) else records.values()) if one not in before.values()]
    return new


def test_what_people_say_of_themselves_goes_with_the_name() -> None:
    text = "I am a widowed mother, and Mr. Jones, my father, is not. As a man I say so."
    assert (
        with_gender(text, female=True)
        == "I am a widowed mother, and Ms. Jones, my father, is not. As a woman I say so."
    )
    assert with_gender("You are a young woman.", female=False) == "You are a young man."


def test_a_customer_that_a_model_plays_is_told_how_it_writes() -> None:
    domain, task = load_domain("retail"), core("retail")[0]
    for kind, told in (("typos", "You type fast"), ("dialect:indian", "Indian English"), ("language:de", "in German")):
        found = apply_doses(task, domain, read_doses(kind, KINDS))
        assert found is not None
        assert told in system_prompt(found.task.user_scenario, Guidelines(), tools=False)
    piecemeal = apply_doses(task, domain, read_doses("piecemeal", KINDS))
    assert piecemeal is not None
    assert "one line of the known info" in piecemeal.task.user_scenario.render()


def test_a_picture_stays_with_the_task_whoever_the_customer_is() -> None:
    domain, task = load_domain("retail"), load_tasks("retail_images")[0]
    found = apply_doses(task, domain, read_doses("identity:spanish", KINDS))
    assert found is not None
    before, after = (one.user_scenario.attachments or [] for one in (task, found.task))
    assert before
    assert [one.content for one in after] == [one.content for one in before]
