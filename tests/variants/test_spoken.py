"""The telephone: what the agent hears, what stays, and whom it fails."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Simulation, Task, grade, load_domain, simulate
from pytest_tau.agents.hearing import is_written
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.evaluation.language.dialogue import says_no, says_yes
from pytest_tau.reports.evidence import trial_view
from pytest_tau.schema.messages import UserMessage
from pytest_tau.schema.record import FaultKind, TrialRecord
from pytest_tau.users.spelling import best_match, normal, say_id
from pytest_tau.variants import Perturbed, apply_doses, joined_doses
from pytest_tau.variants.spoken import PhoneLine, hearing_errors
from tests.builders import asks, core, says, whole

STRENGTHS = (0.25, 0.5, 1.0)


def told(task: Task, strength: float, seed: int) -> Perturbed:
    found = apply_doses(task, load_domain("retail"), joined_doses(f"spoken:{strength}"), seed)
    assert found is not None
    return found


def played(task: Task, agent: str, strength: float, seed: int) -> tuple[Simulation, bool, Task]:
    heard, domain = told(task, strength, seed), load_domain("retail")
    simulation = simulate(heard.task, domain, agent=agent, seed=seed, view=heard.view)
    return simulation, grade(heard.task, simulation, domain).passed, heard.task


def test_without_capitals_and_marks_and_with_numbers_in_words() -> None:
    line = PhoneLine(0.0, 1)
    assert line.hear("My order is #W6587265, for $13.50. I'm Ann!") == (
        "my order is w six five eight seven two six five for thirteen dollars fifty i'm ann"
    )
    assert line.hear("Here. [attach: photo_1] ###STOP###") == "here [attach: photo_1] ###STOP###"


@given(st.integers(0, 10_000))
def test_law_a_short_yes_or_no_comes_through_and_the_same_words_are_heard_alike(seed: int) -> None:
    line = PhoneLine(1.0, seed)
    assert all(says_yes(line.hear(one)) for one in ("Yes, please go ahead.", "Yes, that is right.", "Sure."))
    assert says_no(line.hear("No, not that one."))
    assert line.hear("Order #W6587265 for me") == PhoneLine(1.0, seed).hear("Order #W6587265 for me")


def test_letters_are_heard_wrong_as_often_as_was_measured() -> None:
    value, number = "5557265", 600
    heard = [best_match(value, PhoneLine(0.5, seed).hear(f"It is {value}."), most=7) for seed in range(number)]
    wrong = sum(a != b for one in heard for a, b in zip(normal(value), one or "", strict=True))
    assert wrong / (number * len(value)) == pytest.approx(hearing_errors()["said"]["digit"], rel=0.35)
    assert PhoneLine(0.0, 1).hear(value) == say_id(value)


def test_only_the_customers_words_are_changed() -> None:
    line = PhoneLine(1.0, 1)
    assert line.message(says("Hello, W6!")) == says("Hello, W6!")
    assert line.message(asks("Hello, W6!")).content != "Hello, W6!"


@pytest.mark.parametrize("strength", STRENGTHS)
def test_who_confirms_ids_passes_and_who_does_not_fails_for_that_alone(strength: float) -> None:
    domain, missed = load_domain("retail"), 0
    for seed, task in enumerate(core("retail")[:5]):
        assert played(task, "oracle", strength, seed)[1], task.id
        assert played(task, "oracle:careful", strength, seed)[1], task.id
        assert not played(task, "noop", strength, seed)[1], task.id
        assert simulate(task, domain, agent="oracle:hearsay").termination_reason.value == "user_stop"
        assert grade(task, simulate(task, domain, agent="oracle:hearsay"), domain).passed  # in writing
        simulation, passed, heard = played(task, "oracle:hearsay", strength, seed)
        if not passed:
            missed += 1
            fault = find_fault(heard, simulation, grade(heard, simulation, domain), domain)
            assert fault is not None
            assert fault.kind in (FaultKind.MISHEARD_ID, FaultKind.POLICY_BREACH, FaultKind.WRONG_ARGUMENT)
    assert missed


def test_the_record_and_the_page_have_what_the_agent_heard() -> None:
    task = core("retail")[0]
    simulation, _, told_task = played(task, "oracle:careful", 1.0, 5)
    said = [one for one in simulation.messages if isinstance(one, UserMessage) and one.content]
    assert all(one.heard is not None and one.heard != one.content for one in said)
    assert not any(one.heard for one in simulate(task, load_domain("retail"), seed=5).messages if one.role == "user")
    reward = grade(told_task, simulation, load_domain("retail"))
    about: Any = {"nodeid": "n", "domain": "retail", "task_id": task.id, "trial": 1, "outcome": "passed"}
    record = TrialRecord.of_line(TrialRecord(**about, simulation=simulation, reward=reward).model_dump_json())
    shown = trial_view(record)["messages"]
    assert [one["read"] for one in shown if one["who"] == "user" and one["text"]] == [
        [f"the agent heard: {one.heard}"] for one in said
    ]


def test_a_misheard_id_is_named() -> None:
    kinds = set()
    domain = load_domain("retail")
    for seed, task in enumerate(core("retail")[:5]):
        simulation, passed, heard = played(task, "oracle:hearsay", 1.0, seed)
        if not passed and (fault := find_fault(heard, simulation, grade(heard, simulation, domain), domain)):
            kinds.add(fault.kind)
            if fault.kind is FaultKind.MISHEARD_ID:
                assert "was heard for" in fault.evidence
    assert FaultKind.MISHEARD_ID in kinds


def test_the_same_seed_gives_the_same_bytes() -> None:
    task = core("retail")[0]
    first, second = (played(task, "oracle:careful", 1.0, 5)[0] for _ in range(2))
    assert [one.content for one in first.messages] == [one.content for one in second.messages]


@pytest.mark.parametrize(
    ("suite", "name"),
    [
        ("retail_long", "the_train_is_leaving"),  # the customer leaves an agent that asks too much
        ("retail_long", "new_flat_in_newport"),  # the last digits of a card, and the card's own id
        ("airline_long", "brigid_jablonski_2859.replace_passenger+bags_free+"),  # a short number like a part of an id
        ("insurance", "storm_irma_and_home_basic"),  # ids of which neighbours are in the records
        ("telecom_images", "roaming_off_by_sticker_1"),  # the account's number is read back, and another line is meant
    ],
)
def test_long_conversations_pass_on_the_worst_line(suite: str, name: str) -> None:
    task = next(one for one in whole(suite) if one.id.startswith(name))
    domain = load_domain(str(task.domain_name))
    heard = apply_doses(task, domain, joined_doses("spoken:1.0"), 300)
    assert heard is not None
    simulation = simulate(heard.task, domain, agent="oracle:careful", seed=9, view=heard.view)
    assert grade(heard.task, simulation, domain).passed


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["airline", "telecom", "insurance", "mock"])
@pytest.mark.parametrize("kind", ["people", "spoken:1.0"])
def test_careful_agents_pass_on_all_suites_with_people_and_on_the_telephone(suite: str, kind: str) -> None:
    domain = load_domain(suite)
    for seed, task in enumerate(core(suite)[:25]):
        heard = apply_doses(task, domain, joined_doses(kind), seed)
        assert heard is not None
        for agent, passes in (("oracle:careful", True), ("noop", False)):
            simulation = simulate(heard.task, domain, agent=agent, seed=seed, view=heard.view)
            assert grade(heard.task, simulation, domain).passed is passes, (task.id, agent)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("€50,000", "fifty thousand euros"),
        ("$1,443.88.", "one thousand four hundred forty three dollars eighty eight"),
        ("1,500 miles", "one thousand five hundred miles"),
        ("1977-10-24", "one thousand nine hundred seventy seven ten twenty four"),
        ("10-inch", "ten inch"),
        ("5x8", "five x eight"),
        ("4K", "four k"),
    ],
)
def test_every_number_is_heard_in_words(written: str, said: str) -> None:
    assert PhoneLine(0.0, 1).hear(written) == said
    assert not is_written(PhoneLine(0.5, 1).hear(f"I say {written} for #W1234567, my order"))


def test_what_was_heard_of_a_later_conversation_is_played_as_well() -> None:
    first = core("retail")[0]
    words = "I am back."
    later = {
        "instructions": {"domain": "retail", "reason_for_call": words, "task_instructions": "-"},
        "heard": {words: "eye am bag"},
    }
    task = Task.model_validate({**first.model_dump(exclude_unset=True), "episodes": [{"user_scenario": later}]})
    assert (view := told(task, 0.5, 1).view) is not None
    assert view.message(UserMessage(content=words)).content == "eye am bag"
