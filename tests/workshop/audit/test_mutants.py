"""Mutants: each operator makes the mistake it is named after, and what does not count as one is not counted."""

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_tau import Task, load_domain, simulate
from tau_workshop.audit.mutants import MutationScore, Survivor, mutants, mutation_score
from tests.builders import CREATE, action, mock, task, whole

LOOK = action("get_users")
ADD = action("create_task", **CREATE)
DONE = action("update_task_status", task_id="task_1", status="completed")
AGAIN = action("update_task_status", task_id="task_1", status="pending")
HAND_OVER = action("transfer_to_human_agents", summary="x")
NO_HAND_OVER = {"check": "not_called", "name": "transfer_to_human_agents"}
REASON = {"check": "reason", "any_of": ["because"]}


def made(criteria: dict[str, Any], operator: str) -> list[str]:
    return [m.detail for m in mutants(task(criteria=criteria), mock(), number=200) if m.operator == operator]


def survivors(**criteria: Any) -> Iterator[str]:
    yield from (s.operator for s in mutation_score(task(criteria=criteria), mock()).survivors)


def by_id(suite: str, task_id: str) -> Task:
    return next(played for played in whole(suite) if played.id == task_id)


def test_every_write_is_dropped() -> None:
    assert made({"actions": [LOOK, ADD, DONE]}, "dropped write") == [
        'create_task(user_id="user_1", title="Buy stamps")',
        'update_task_status(task_id="task_1", status="completed")',
    ]


def test_order_is_swapped_where_it_matters() -> None:
    assert made({"actions": [ADD, DONE]}, "swapped order") == []
    (swapped,) = made({"actions": [DONE, AGAIN]}, "swapped order")
    assert swapped.index("pending") < swapped.index("completed")


def test_facts_and_reasons_are_left_out() -> None:
    criteria = {"actions": [LOOK], "communicate_info": ["12", "34"], "trajectory": [REASON]}
    assert made(criteria, "omitted fact") == ["'12'", "'34'"]
    assert made(criteria, "omitted reason") == ["'because'"]


def test_the_hand_over_is_dropped_or_added() -> None:
    assert made({"actions": [LOOK, HAND_OVER]}, "dropped hand-over") == ["transfer_to_human_agents"]
    assert made({"actions": [LOOK]}, "needless hand-over") == ["transfer_to_human_agents"]


def test_arguments_change_inside_lists_and_objects_too() -> None:
    domain, played = load_domain("airline"), by_id("airline", "book_round_trip_with_certificate")
    details = [m.detail for m in mutants(played, domain, number=200) if m.operator == "wrong argument"]
    assert any("payment_methods.0.amount=" in detail for detail in details)
    assert any("flights.1.date=" in detail for detail in details)


def test_unrequested_writes_do_something() -> None:
    found = [m for m in mutants(task(criteria={"actions": [LOOK]}), mock()) if m.operator == "unrequested write"]
    assert found
    for mutant in found:
        env = mock().environment()
        results = [env.call(a.name, a.arguments) for a in mutant.task.gold_actions]
        assert env.changes(), results


def test_consent_is_left_out_only_where_the_policy_asks_for_it() -> None:
    assert made({"actions": [ADD]}, "unconfirmed write") == []
    domain, played = load_domain("retail"), by_id("retail", "moved_house")
    found = [m for m in mutants(played, domain) if m.operator == "unconfirmed write"]
    assert found[0].unasked == {"modify_user_address", "modify_pending_order_address"}
    said = [m.text for m in simulate(played, domain, found[0].agent).messages if m.role == "assistant"]
    assert not any("Shall I go ahead" in text for text in said)


def test_without_the_check_a_write_that_nobody_confirmed_survives() -> None:
    domain, played = load_domain("retail"), by_id("retail", "moved_house")
    criteria = played.evaluation_criteria
    assert criteria is not None
    kept = [check for check in criteria.trajectory or [] if check.check != "confirmed"]
    weaker = criteria.model_copy(update={"trajectory": kept, "without": ["confirmed"]})
    weak = played.model_copy(update={"evaluation_criteria": weaker})
    found = mutation_score(weak, domain).survivors
    assert {(s.operator, s.remedy) for s in found} == {("unconfirmed write", "add the TRAJECTORY check confirmed")}
    assert mutation_score(played, domain).survivors == []


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"reward_basis": ["COMMUNICATE"], "trajectory": [NO_HAND_OVER]}, {"dropped write", "unrequested write"}),
        ({"reward_basis": ["DB"], "communicate_info": ["12"]}, {"omitted fact", "needless hand-over"}),
        ({"reward_basis": ["DB"], "trajectory": [REASON]}, {"omitted reason", "needless hand-over"}),
        ({"reward_basis": ["DB", "TRAJECTORY"], "trajectory": [NO_HAND_OVER]}, set()),
    ],
)
def test_what_survives_weak_criteria(criteria: dict[str, Any], expected: set[str]) -> None:
    found = set(survivors(actions=[LOOK, DONE], **criteria))
    assert found >= expected
    assert bool(found) == bool(expected)


def test_a_fact_that_is_said_all_the_same_is_no_omission() -> None:
    """The proposal names the arguments, and with them the fact: the mutant is equivalent."""
    criteria = {"actions": [LOOK, ADD], "communicate_info": ["Buy stamps"], "reward_basis": ["DB", "COMMUNICATE"]}
    found = mutation_score(task(criteria=criteria), mock())
    assert found.equivalent >= 1
    assert [s.operator for s in found.survivors] == ["needless hand-over", "claimed deed"]


def test_the_same_seed_makes_the_same_mutants() -> None:
    domain, played = load_domain("retail"), by_id("retail", "moved_house")
    details = [[m.detail for m in mutants(played, domain, seed=seed)] for seed in (1, 1, 2)]
    assert details[0] == details[1] != details[2]
    assert len(details[0]) == 24


def test_as_many_as_were_asked_for() -> None:
    assert len(mutants(task(criteria={"actions": [LOOK, DONE]}), mock(), number=3)) == 3
    assert mutation_score(task(criteria={"actions": [DONE]}), mock(), number=0) == MutationScore()


def test_the_score() -> None:
    score = MutationScore(made=5, survivors=[Survivor("a", "b", "c")])
    assert score.killed == 4
    assert str(score.survivors[0]) == "a: b passes; c"


def test_documents_are_not_read_or_mistaken_for_others() -> None:
    domain, played = load_domain("insurance"), by_id("insurance", "bicycle_under_the_terms_of_may")
    found = [m for m in mutants(played, domain, number=200) if m.operator in ("unread document", "wrong document")]
    assert [m.detail for m in found if m.operator == "unread document"] == played.required_documents
    stale = next(m for m in found if m.detail.endswith("for home-plus-terms-2024-01"))
    assert stale.detail.startswith("home-")
    assert stale.task.required_documents != played.required_documents
    assert mutation_score(played, domain).survivors == []


def test_a_task_that_does_not_ask_for_reading_lets_them_survive() -> None:
    domain, played = load_domain("insurance"), by_id("insurance", "bicycle_under_the_terms_of_may")
    criteria = played.evaluation_criteria
    assert criteria is not None
    checks = [check for check in criteria.trajectory or [] if check.check != "read_before"]
    careless = played.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"trajectory": checks})})
    unread = [s for s in mutation_score(careless, domain, number=60).survivors if s.operator == "unread document"]
    assert len(unread) == len(played.required_documents or [])
    assert all("read_before" in survivor.remedy for survivor in unread)
