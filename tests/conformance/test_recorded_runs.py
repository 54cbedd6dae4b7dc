"""Recorded runs of real models on the public data: grading them again gives the rewards that were recorded."""

import pytest

from pytest_tau import rescore
from tests.shared import shared


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_every_reward_is_the_recorded_one(domain: str) -> None:
    rescored = rescore(shared("samples", f"tau2_results_{domain}.json"), data=shared("tau2"))
    assert len(rescored) == 10
    for task, simulation, reward, recorded in rescored:
        assert reward.value == recorded, (task.id, simulation.id, reward)
    assert {recorded for *_, recorded in rescored} == {0.0, 1.0}
