"""The literal agent plays gold under the policy as it is, and fails what rests on a rule where that is edited."""

import pytest

from pytest_tau import load_domain
from pytest_tau.schema.task import Task
from pytest_tau.variants.policy import PolicyEdit
from tau_workshop.policy.book import find_book
from tau_workshop.policy.literal import Script, said
from tau_workshop.policy.proof import Proof, prove, seeded_edits
from tests.builders import core, whole

OTHERS = ("airline", "telecom", "insurance")
SAMPLE = 12
EDITS = 30
LEAST = 0.9


def proof_of(name: str, tasks: list[Task], number: int) -> Proof:
    domain = load_domain(name)
    book = find_book(domain)
    assert book is not None
    return prove(tasks, domain, book, seeded_edits(domain.rules, number, 300))


@pytest.mark.parametrize("name", ["retail", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_what_turns_red_was_claimed(name: str) -> None:
    found = proof_of(name, core(name)[:SAMPLE], SAMPLE)
    assert sum(len(one.red) for one in found.shown) >= 5
    assert found.precision >= LEAST
    assert found.recall >= 2 / 3  # of few tasks and few edits


@pytest.mark.slow
@pytest.mark.parametrize("name", ["retail", "airline", "telecom", "insurance", "mock"])
def test_what_turns_red_was_claimed_in_the_whole_core(name: str) -> None:
    found = proof_of(name, core(name), EDITS)
    assert found.precision >= LEAST
    assert found.recall >= LEAST


@pytest.mark.parametrize("name", ["retail", *OTHERS])
def test_under_the_policy_as_it_is_the_script_is_gold(name: str) -> None:
    domain = load_domain(name)
    book = find_book(domain)
    assert book is not None
    for task in core(name)[:SAMPLE]:
        script = Script(task, domain)
        for clause in book.clauses:
            clause.play(script, said(clause.rule, domain.rules, domain.rules))
        assert script.is_gold, task.id


def test_an_edit_of_the_text_changes_what_is_done() -> None:
    """Numbers and lists are read from the words: an amount of another size, a list with one value less."""
    [task] = [task for task in whole("airline") if task.id == "cancel_cancelled_flight_with_compensation"]
    domain = load_domain("airline")
    book = find_book(domain)
    assert book is not None
    found = prove([task], domain, book, [PolicyEdit("compensation-cancelled", "rescale", 3.0)])
    assert found.shown[0].red == {task.id}
    assert prove([task], domain, book, [PolicyEdit("bag-price", "rescale", 3.0)]).shown[0].red == frozenset()


def test_edits_are_drawn_by_a_seed_and_each_before_any_again() -> None:
    policy = load_domain("mock").rules
    drawn = seeded_edits(policy, EDITS, 1)
    assert drawn == seeded_edits(policy, EDITS, 1)
    assert len(drawn) == EDITS
    first = [(edit.rule, edit.operation) for edit in drawn[: len({(one.rule, one.operation) for one in drawn})]]
    assert len(first) == len(set(first))
