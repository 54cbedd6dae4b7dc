"""Violations: the rules an agent broke, of what kind, how bad and where; on public data beside the reward."""

import pickle
from copy import deepcopy

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, asks, finished, mock, result_of, says, task
from tests.shared import shared

EMAIL = "jonas.fairbanks2771@example.com"
CANCEL = a_call("cancel_pending_order", order_id="#W6655097", reason="no longer needed")


def graded(*messages: AnyMessage, **criteria: object) -> Reward:
    retail = load_domain("retail")
    played = task(domain="retail", criteria={"reward_basis": ["TRAJECTORY"], **criteria})
    simulation = Simulation(
        id="s", domain="retail", task_id="t", messages=list(messages), termination_reason=Termination.USER_STOP
    )
    return grade(played, simulation, retail, strict=False)


def test_what_was_broken_and_where() -> None:
    found = graded(asks("Cancel it."), says("I have cancelled your order."))
    (one,) = found.violations
    assert (one.dimension, one.severity, one.turn) == ("claims", 1.0, 1)
    assert "I have cancelled your order" in one.text
    assert (found.under_policy, found.value) == (False, 0.0)


def test_a_change_without_a_yes_by_somebody_unknown() -> None:
    found = graded(asks("Cancel #W6655097."), says(None, CANCEL), result_of(CANCEL))
    assert {one.dimension for one in found.violations} == {"consent"}
    assert found.violations[0].turn == 1


def test_who_breaks_nothing_is_under_policy() -> None:
    found = graded(asks("Hi"), says("Hello, how can I help?"))
    assert found.under_policy
    assert found.violated == []


def test_a_false_reason_is_a_miss() -> None:
    false = {"check": "false_reason", "any_of": ["was already delivered"]}
    said: list[AnyMessage] = [asks("Cancel it."), says("I cannot, because it was already delivered.")]
    (one,) = graded(*said, trajectory=[false]).violations
    assert (one.dimension, one.turn) == ("reasons", 1)
    assert graded(asks("Cancel it."), says("It was not delivered yet."), trajectory=[false]).passed


def test_what_ended_before_its_time_has_none() -> None:
    assert Reward(value=0.0, note="ended").violations == []


@pytest.mark.parametrize("name", ["retail", "airline"])
def test_on_public_data_they_stand_beside_the_reward(name: str) -> None:
    data = shared("tau2")
    domain, tasks = load_domain(name, data=data), load_tasks(name, data=data)[:3]
    for one in tasks:
        reward = grade(one, simulate(one, domain), domain)
        assert reward.violated is None
        assert isinstance(reward.violations, list)
        assert "TRAJECTORY" not in (reward.basis or [])


@pytest.mark.parametrize("reason", [Termination.USER_STOP, Termination.MAX_STEPS])
def test_who_asks_for_rules_on_public_data_gets_them_of_trials_that_ended_early_too(reason: Termination) -> None:
    """Else *under policy* would leave out those misses, and be higher than pass^1."""
    played = task(criteria={"reward_basis": ["DB"]})
    simulation = finished([asks("Hi.")]).model_copy(update={"termination_reason": reason})
    assert grade(played, simulation, mock(parity=True), rules=True).violated == []


def test_a_grade_of_public_data_goes_to_another_process_and_is_copied() -> None:
    domain, played = load_domain("retail", data=shared("tau2")), load_tasks("retail", data=shared("tau2"))[0]
    reward = grade(played, simulate(played, domain, "noop"), domain)
    assert reward.violated is None
    for twin in (pickle.loads(pickle.dumps(reward)), deepcopy(reward)):  # noqa: S301
        assert (twin, twin.violations) == (reward, reward.violations)
        assert twin.under_policy_range == reward.under_policy_range
