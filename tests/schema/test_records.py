"""Rewards, simulations and records: what they say of themselves, and that nothing is lost on the way through JSON."""

import pytest
from pydantic import ValidationError

from pytest_tau import Reward, Simulation
from pytest_tau.plugin.playing.records import as_json
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Check, CriterionResult, Difference
from tests.builders import a_call, finished, says


@pytest.mark.parametrize(
    ("value", "passed", "ungraded"),
    [(1.0, True, False), (1 - 1e-9, True, False), (0.0, False, False), (0.99, False, False), (None, False, True)],
)
def test_a_reward(value: float | None, passed: bool, ungraded: bool) -> None:
    reward = Reward(value=value)
    assert (reward.passed, reward.ungraded) == (passed, ungraded)


def test_a_result_by_name() -> None:
    result = CriterionResult(criterion="DB", value=1.0)
    reward = Reward(value=1.0, results=[result])
    assert reward.result("DB") is result
    assert reward.result("ACTION") is None


@pytest.mark.parametrize("levels", [1, 300, 900])
def test_a_trial_is_read_from_its_line_whatever_its_recording_holds(levels: int) -> None:
    value: object = 1
    for _ in range(levels):
        value = [value]
    message = says("Hi!").model_copy(update={"raw_data": {"a": value}})
    trial = TrialRecord(
        nodeid="t", domain="mock", task_id="t", trial=1, outcome=Outcome.PASSED, simulation=finished([message])
    )
    assert TrialRecord.of_line(as_json(trial)) == trial
    with pytest.raises(ValidationError, match="nodeid"):
        TrialRecord.of_line("{}")


@pytest.mark.parametrize("exclude_none", [False, True])
def test_an_open_verdict_survives_json(exclude_none: bool) -> None:
    difference = Difference(
        side="agent", table="t", key="k", path="p", expected=None, actual=[None], actual_absent=True
    )
    open_result = CriterionResult(criterion="NL_ASSERTION", value=None, checks=[Check(name="n", met=None)])
    missed = CriterionResult(criterion="DB", value=0.0, differences=[difference])
    record = TrialRecord(
        nodeid="n",
        domain="mock",
        task_id="t",
        trial=1,
        outcome=Outcome.UNGRADED,
        reward=Reward(value=None, results=[open_result, missed]),
        simulation=finished([says(None, a_call("create_task", description=None))]),
    )
    assert TrialRecord.model_validate_json(record.model_dump_json(exclude_none=exclude_none)) == record


def test_trials_count_from_one() -> None:
    with pytest.raises(ValidationError):
        finished(trial=0)
    assert Simulation.model_validate_json(finished().model_dump_json()).trial == 1
