"""What two tasks have in common, so that they must not be in two splits; and what of them stands in other tasks."""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.schema.task import Task
from tau_workshop.dataset.splits import NOBODY, Kin, contamination, customer_texts, grams, kin_of, records_of, wordings
from tests.builders import action, core, task, whole


def told(*sentences: str, id: str = "t", criteria: dict[str, Any] | None = None) -> Task:
    """A task whose customer says this."""
    return task(id=id, user_scenario={"instructions": " ".join(sentences)}, criteria=criteria)


def test_two_share_a_customer_or_a_record_or_a_wording() -> None:
    kin = Kin(frozenset("a"), frozenset("x"))
    assert kin.shares(Kin(frozenset("ab"), frozenset("y")))
    assert kin.shares(Kin(frozenset("b"), frozenset("xy")))
    assert not kin.shares(Kin(frozenset("b"), frozenset("y")))
    assert not kin.shares(NOBODY)
    assert kin | NOBODY == kin
    assert (kin | Kin(frozenset("b"), frozenset("y"))).shares(Kin(frozenset("b"), frozenset()))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I would like to return order #W123 today.", ["i would like to return order today"]),
        ('Please call it "Buy stamps" for me now.', ["please call it for me now"]),
        ("Yes, please.", []),  # that belongs to everybody
        ("My name is Anna Berg and we moved there.", ["my name is and we moved there"]),
        ("Where is it now, please?\nI want to know that.", ["where is it now please", "i want to know that"]),
    ],
)
def test_a_wording_is_a_sentence_without_its_facts(text: str, found: list[str]) -> None:
    assert list(wordings(told(text))) == found


def test_the_same_words_about_other_facts_are_of_one_kin() -> None:
    domain = load_domain("mock")
    one, other = (kin_of(told(f"I would like to return order {id} today."), domain) for id in ("#W1", "#W2"))
    assert one == other != NOBODY
    assert not one.shares(kin_of(told("Where has my parcel got to by now?"), domain))
    assert not any("order" in word for word in one.words)  # hashes alone


def test_records_are_found_in_words_and_in_the_gold_path_with_their_owners() -> None:
    domain = load_domain("retail")
    owners = domain.base.owners
    record, owner = next((key, value) for key, value in owners.items() if key != value)
    nested = {"actions": [action("any", order={"ids": [record]})]}
    in_words, in_path = told(f"It is about {record}."), told("Hello.", criteria=nested)
    assert records_of(in_words, domain) == records_of(in_path, domain) == {record, owner}
    assert records_of(told("It is about nothing."), domain) == set()


def test_all_that_a_customer_may_say_counts() -> None:
    assert customer_texts(told("Hello there.")) == ["Hello there."]
    structured = next(one for one in core("retail") if not isinstance(one.user_scenario.instructions, str))
    assert structured.user_scenario.instructions.reason_for_call in customer_texts(structured)  # type: ignore[union-attr]


def test_grams_are_words_in_a_row() -> None:
    assert list(grams(told("One two, three FOUR."), 3)) == ["one two three", "two three four"]
    assert list(grams(told("One two."), 3)) == []


def test_contamination_is_the_share_of_grams_that_others_have() -> None:
    ours = [told("a b c d e", id="half"), told("v w x y z", id="none")]
    found = contamination(ours, [told("0 b c d 1")], gram=2)
    assert (found.ours, found.theirs, found.tasks) == (2, 1, 1)
    assert found.share == 2 / 8
    assert found.worst == ("half", 0.5)
    assert found.examples == ("b c", "c d")
    assert found.render("others") == (
        "1 of 2 tasks share a 2-gram of words with others (1 task): 25.00% of their n-grams, at most 50% (half)."
    )
    assert contamination(ours, []).render("others") == ("0 of 2 tasks share a 8-gram of words with others (0 tasks).")


def test_contamination_is_seen() -> None:
    tasks = core("retail")
    found = contamination(tasks, tasks)
    assert (found.tasks, found.share, found.worst[1]) == (len(tasks), 1.0, 1.0)
    assert "of their n-grams, at most 100%" in found.render("themselves")
    apart = contamination(tasks, whole("mock"))
    assert (apart.tasks, apart.share) == (0, 0.0)
    assert apart.render("others").endswith("tasks).")
