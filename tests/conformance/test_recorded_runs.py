"""Recorded runs of real models on the public data: grading them again gives the rewards that were recorded."""

import pytest

from pytest_tau import load_domain, rescore
from pytest_tau.schema.transcript import calls_with_results
from tests.shared import shared


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_every_reward_is_the_recorded_one(domain: str) -> None:
    rescored = rescore(shared("samples", f"tau2_results_{domain}.json"), data=shared("tau2"))
    assert len(rescored) == 10
    for task, simulation, reward, recorded in rescored:
        assert reward.value == recorded, (task.id, simulation.id, reward)
    assert {recorded for *_, recorded in rescored} == {0.0, 1.0}


def test_every_recorded_result_of_a_tool_is_what_ours_returns() -> None:
    results = 0
    for name in ("airline", "retail"):
        domain = load_domain(name, data=shared("tau2"))
        for task, simulation, *_ in rescore(shared("samples", f"tau2_results_{name}.json"), data=shared("tau2")):
            env = domain.environment(task)
            for call, recorded in calls_with_results(simulation.messages):
                result = env.call(call.name, call.arguments, call.requestor)
                assert result.content == recorded.content, (task.id, call)
                results += 1
    assert results == 204
