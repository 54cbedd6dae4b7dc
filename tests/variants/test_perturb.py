"""What holds for every kind: the same seed gives the same bytes, gold stays, and what must survive does."""

from dataclasses import replace
from functools import cache

import pytest

from pytest_tau import Task, grade, load_domain, load_tasks, simulate
from pytest_tau.environment.domain import Domain
from pytest_tau.variants import Dose, apply_doses, builtin_kinds, perturb, read_doses
from pytest_tau.variants.texts import exact_values, missing_parts, strange, words_of
from tests.builders import core

KINDS = builtin_kinds()
DOSES = read_doses("all", KINDS)
WORDS = [dose for dose in DOSES if KINDS[dose.kind].about == "words" or dose.kind == "dialect"]


@cache
def suite(name: str) -> tuple[Domain, list[Task]]:
    return load_domain(name), core(name)


@pytest.mark.parametrize("dose", DOSES, ids=str)
def test_the_same_seed_gives_the_same_bytes_and_gold_stays(dose: Dose) -> None:
    domain, tasks = suite("retail")
    for task in tasks[::10]:
        one, same = (apply_doses(task, domain, [dose], 1) for _ in range(2))
        assert (one is None) == (same is None)
        if one is not None and same is not None:
            assert one.task.model_dump_json() == same.task.model_dump_json()
            assert one.task.id == task.id
            if dose.kind != "identity":
                assert one.task.evaluation_criteria == task.evaluation_criteria
                assert one.task.initial_state == task.initial_state


@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "mock"])
@pytest.mark.parametrize("dose", WORDS, ids=str)
def test_ids_numbers_and_names_survive(dose: Dose, name: str) -> None:
    domain, tasks = suite(name)
    for task in tasks[::6]:
        found = apply_doses(task, domain, [dose], 3)
        if found is None:
            continue
        before, after = " ".join(words_of(task)), " ".join(words_of(found.task))
        assert missing_parts(before, after, exact_values(task)) == []
        assert len(strange(before, after)) <= (dose.kind == "correction")


@pytest.mark.parametrize("dose", DOSES, ids=str)
def test_the_oracle_passes_and_noop_does_not(dose: Dose) -> None:
    for name in ("retail", "airline"):
        domain, tasks = suite(name)
        for task in tasks[1 + DOSES.index(dose) % 14 :: 14][:1]:
            if (found := apply_doses(task, domain, [dose], 300)) is None:
                continue
            played = simulate(found.task, domain, "oracle", view=found.view)
            assert grade(found.task, played, domain).passed, task.id
            assert not grade(found.task, simulate(found.task, domain, "noop", view=found.view), domain).passed


def test_a_dose_of_nothing_changes_nothing() -> None:
    domain, tasks = suite("retail")
    found = apply_doses(tasks[0], domain, read_doses("typos:0", KINDS))
    assert found is not None
    assert (found.task, found.view) == (tasks[0], None)


def test_trials_of_a_task_are_told_alike_and_tasks_apart() -> None:
    domain, tasks = suite("retail")
    told = {str(apply_doses(tasks[0], domain, read_doses("typos", KINDS), 1, number=number)) for number in (1, 2)}
    assert len(told) == 1
    assert len({str(apply_doses(tasks[0], domain, read_doses("typos", KINDS), seed)) for seed in (1, 2)}) == 2


def test_several_are_applied_one_after_the_other() -> None:
    domain, tasks = suite("retail")
    both = perturb(tasks[0], domain, "rude+typos:1", seed=2)
    assert both == perturb(perturb(tasks[0], domain, "rude", seed=2), domain, "typos:1", seed=2)
    assert perturb(tasks[0], domain, "tool_names") == tasks[0]
    assert perturb(tasks[0], domain, "identity", seed=1) != tasks[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_the_oracle_passes_every_task_under_every_kind(name: str) -> None:
    domain = load_domain(name)
    for place, task in enumerate(load_tasks(name)):
        dose = DOSES[place % len(DOSES)]
        if (found := apply_doses(task, domain, [dose], 300)) is not None:
            assert grade(found.task, simulate(found.task, domain, "oracle", view=found.view), domain).passed, task.id


def test_a_policy_without_parts_has_no_other_order() -> None:
    domain, tasks = suite("retail")
    applies = KINDS["policy_order"].applies
    assert applies(tasks[0], domain)
    assert not applies(tasks[0], replace(domain, policy="One rule stands for all."))
