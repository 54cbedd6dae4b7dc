"""What is kept of a trial that was played, as a line of the journal."""

import json

import pytest

from pytest_tau import grade, simulate
from pytest_tau.plugin.collecting.slot import Slot
from pytest_tau.plugin.playing.records import conversation_line, line_of, record_of
from pytest_tau.plugin.playing.trial import Finished
from pytest_tau.schema.record import FaultKind, Outcome, TrialRecord
from pytest_tau.schema.simulation import Termination
from tests.builders import a_call, core, mock, says

TASK = core("mock")[0]
SLOT = Slot(TASK, mock(), 2, agent="best")


def played(agent: str) -> Finished:
    simulation = simulate(TASK, mock(), agent)
    return Finished(simulation, grade(TASK, simulation, mock()))


@pytest.mark.parametrize(("agent", "outcome"), [("oracle", Outcome.PASSED), ("noop", Outcome.MISSED)])
def test_a_graded_trial_says_what_became_of_it(agent: str, outcome: Outcome) -> None:
    record = TrialRecord.model_validate_json(line_of("a.json::test_task[trial2]", SLOT, played(agent)))
    assert (record.outcome, record.graded, record.trial, record.label) == (outcome, True, 2, "best")
    assert (record.domain, record.task_id) == ("mock", TASK.id)
    assert (record.fault is None) == (outcome == Outcome.PASSED)


def test_a_conversation_waits_for_its_grade() -> None:
    simulation = played("oracle").simulation
    record = TrialRecord.model_validate_json(conversation_line("a.json::test_task[trial2]", SLOT, simulation))
    assert (record.outcome, record.graded, record.reward) == (Outcome.UNGRADED, False, None)
    assert record.simulation == simulation
    assert record.note is not None
    assert "--tau-resume grades it" in record.note


def test_a_trial_that_was_cut_off_for_its_time_is_no_miss() -> None:
    simulation = played("noop").simulation.model_copy(update={"termination_reason": Termination.TIMEOUT})
    record = TrialRecord.model_validate_json(line_of("a", SLOT, Finished(simulation, None)))
    assert record.outcome == Outcome.INFRA_ERROR


def test_an_assertion_of_a_test_is_a_fault_of_its_own() -> None:
    record = record_of("a", SLOT, Outcome.MISSED, played("oracle"))
    assert record.fault is not None
    assert (record.fault.kind, record.fault.evidence) == (FaultKind.OTHER, "the test's own assertion")
    assert record_of("a", SLOT, Outcome.ERROR, None).simulation is None


def test_a_task_has_the_same_hash_in_every_trial() -> None:
    hashes = [record_of("a", Slot(TASK, mock(), trial), Outcome.ERROR, None).hashes for trial in (1, 2)]
    assert hashes[0] == hashes[1]
    other = TASK.model_copy(update={"ticket": "Another."})
    assert record_of("a", Slot(other, mock(), 1), Outcome.ERROR, None).hashes != hashes[0]


def test_what_no_json_holds_is_kept_as_text() -> None:
    finished = played("oracle")
    messages = [*finished.simulation.messages, says("\ud800", a_call(x=object()))]
    odd = Finished(finished.simulation.model_copy(update={"messages": messages}), finished.reward)
    kept = json.loads(line_of("a", SLOT, odd))["simulation"]["messages"][-1]
    assert kept["tool_calls"][0]["arguments"]["x"].startswith("<object object at ")
