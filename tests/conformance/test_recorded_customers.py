"""The user audit on recorded conversations of real models: four customers that broke a rule, and no false alarm."""

from functools import cache

import pytest

from benchmarks.user_audit import Played, beginnings, recordings
from pytest_tau.diagnosis.user_audit import user_audit
from tests.shared import shared

GENUINE = {
    # Asked twice for the user id, which the scenario gives, it speaks of the reservation id each time. Another one
    # asks to be upgraded to business, and its scenario wants to stay in economy.
    "tau1_results_airline": {"1": "ignored question", "3": "contradiction"},
    # Leaves with "I'll send the names later" while two of the three bookings it wants are not made.
    "tau2_results_airline": {"23": "stopped early"},
    # Says that it was transferred, where the agent had only asked whether it should.
    "tau2_results_retail": {"49": "left before a transfer"},
}


@cache
def recorded(name: str) -> list[Played]:
    return list(recordings([shared("samples", f"{name}.json")], shared("tau2")))


@pytest.mark.slow
@pytest.mark.parametrize("name", GENUINE)
def test_alarms(name: str) -> None:
    found = {
        one.task.id: finding.rule
        for one in recorded(name)
        for finding in user_audit(one.task, one.simulation, one.domain)
    }
    assert found == GENUINE[name]


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", GENUINE)
def test_a_conversation_cut_off_after_a_turn_raises_no_other_alarm(name: str, every: int) -> None:
    whole = recorded(name)[::every]
    parts = [part for one in whole for part in beginnings(one)]
    assert len(parts) > 5 * len(whole)
    alarmed = {part.task.id for part in parts if user_audit(part.task, part.simulation, part.domain)}
    assert alarmed <= GENUINE[name].keys()
