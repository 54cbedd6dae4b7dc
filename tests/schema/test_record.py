"""A trial as it is kept: nothing is lost on the way through JSON, and a fault says what went wrong."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau import Reward
from pytest_tau.plugin.playing.records import as_json
from pytest_tau.schema.record import FINAL, Fault, FaultKind, Outcome, TrialOutline, TrialRecord, split_nodeid
from pytest_tau.schema.reward import Check, CriterionResult, Difference, Judgement
from tests.builders import a_call, finished, says


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


def test_what_playing_again_could_change_is_not_final() -> None:
    assert set(Outcome) - FINAL == {Outcome.INFRA_ERROR, Outcome.ERROR}


JUDGE = Judgement(model="big", prompts="x")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "wrong tool: pay"),
        ({"turn": 0}, "wrong tool: pay (turn 0)"),
        (
            {"turn": 3, "explanation": "it guessed", "explained_by": JUDGE},
            "wrong tool: pay (turn 3); big explains: it guessed",
        ),
        ({"explanation": "why"}, "wrong tool: pay"),
        ({"explained_by": JUDGE}, "wrong tool: pay"),  # it was asked, and gave no answer
    ],
)
def test_a_fault_in_words(fields: dict[str, Any], said: str) -> None:
    assert str(Fault(kind=FaultKind.WRONG_TOOL, evidence="pay", **fields)) == said


def test_the_outline_of_a_record_is_a_part_of_it() -> None:
    """What is not in an outline is left out; nothing in it has another shape."""
    record = TrialRecord(
        nodeid="n",
        domain="mock",
        task_id="t",
        trial=2,
        outcome=Outcome.MISSED,
        reward=Reward(value=0.0, results=[CriterionResult(criterion="DB", value=0.0)]),
        simulation=finished([says("Hi!")], agent="mine", discarded=[finished(agent_cost=0.5)]),
        fault=Fault(kind=FaultKind.OTHER, evidence="x"),
        hashes={"task": "1"},
    )
    whole = record.model_dump(mode="json")
    outline = TrialOutline.model_validate(whole).model_dump(mode="json")

    def holds(part: object, all_of_it: object) -> bool:
        if isinstance(part, dict):
            assert isinstance(all_of_it, dict)
            return all(holds(value, all_of_it[name]) for name, value in part.items())
        if isinstance(part, list):
            assert isinstance(all_of_it, list)
            return all(holds(one, other) for one, other in zip(part, all_of_it, strict=True))
        return part == all_of_it

    assert holds(outline, whole)
    assert "messages" not in outline["simulation"]


@pytest.mark.parametrize("folder", ["tests", "[id]", "te[s]t/a[b"])
def test_brackets_of_a_folder_are_not_those_behind_a_test(folder: str) -> None:
    test = f"{folder}/test_x.py::TestShop::test_lamp"
    assert split_nodeid(f"{test}[a[b]-trial1]") == (test, "a[b]-trial1]")
