"""A trial that was played, as the record of it that is kept, sent and reported."""

from __future__ import annotations

import json

from ...manifest import content_hash
from ...schema.record import Fault, FaultKind, Outcome, TrialRecord, Variant
from ...schema.simulation import Simulation
from ...scrub import conceal_json
from ..collecting.slot import Slot
from .outcomes import ending, outcome_of
from .trial import Finished

_NOT_GRADED = "the conversation is over and was not graded: --tau-resume grades it, and does not play it again"


def conversation_line(nodeid: str, slot: Slot, simulation: Simulation) -> str:
    """A trial whose conversation is over this moment, and not graded yet, as a line of the journal."""
    record = record_of(nodeid, slot, Outcome.UNGRADED, Finished(simulation, None), _NOT_GRADED, graded=False)
    return as_json(record)


def crashed_line(nodeid: str, slot: Slot) -> str:
    """A trial that took its process down, as a line of the journal; whoever finds that out says more in its note."""
    return as_json(record_of(nodeid, slot, Outcome.INFRA_ERROR, None))


def line_of(nodeid: str, slot: Slot, finished: Finished) -> str:
    """A trial that has just been graded, whatever its test will make of it, as a line of the journal."""
    return as_json(record_of(nodeid, slot, outcome_of_grade(finished), finished))


def outcome_of_grade(finished: Finished) -> Outcome:
    """The outcome of a graded trial whose test says no more than its grade."""
    error = ending(finished.simulation, finished.reward)
    return outcome_of(None if error is None else error(), played=True) or Outcome.ERROR


def _variant(slot: Slot) -> Variant | None:
    """How the trial was played other than as it is; under another policy, with what its task rests on."""
    if slot.variant is None or slot.variant.edit is None:
        return slot.variant.record if slot.variant else None
    rule = slot.domain.rules.by_id[slot.variant.edit.rule]
    return slot.variant.record.model_copy(update={"sentence": rule.text, "rests_on": list(slot.task.guards)})


def record_of(
    nodeid: str,
    slot: Slot,
    outcome: Outcome,
    finished: Finished | None,
    note: str | None = None,
    *,
    graded: bool = True,
) -> TrialRecord:
    """The record of a trial with this outcome; ``finished`` is None where the conversation did not come to its end."""
    fault = None
    if finished and outcome in (Outcome.MISSED, Outcome.INFRA_ERROR, Outcome.INVALID):
        fault = finished.fault or Fault(kind=FaultKind.OTHER, evidence="the test's own assertion")
    return TrialRecord(
        nodeid=nodeid,
        domain=slot.domain.name,
        task_id=slot.task.id,
        variant=_variant(slot),
        trial=slot.trial,
        outcome=outcome,
        reward=finished.reward if finished else None,
        simulation=finished.simulation if finished else None,
        note=note,
        fault=fault,
        recorded_reward=slot.recording.reward if slot.recording else None,
        hashes={"task": _task_hash(slot)},
        suite=slot.suite,
        file_in_row=slot.file_in_row,
        graded=graded,
        label=slot.agent or None,
    )


def _task_hash(slot: Slot) -> str:
    memo = slot.domain.memo
    if (known := memo.get(("hash", slot.task.id))) is None or known[0] is not slot.task:
        # Without what is as if left out: a field that a later release knows changes no task that does not have it.
        content = slot.task.model_dump(mode="json", exclude_defaults=True, exclude={"reworded"})
        known = memo["hash", slot.task.id] = (slot.task, content_hash(content))
    digest: str = known[1]
    return digest


def as_json(record: TrialRecord) -> str:
    """A record as a line of the journal, without keys."""
    from pydantic_core import PydanticSerializationError

    try:
        line = record.model_dump_json(exclude_none=True)
    except (PydanticSerializationError, UnicodeEncodeError):
        # An agent written in Python can put any object into a call's arguments, and what no file holds into a text.
        line = json.dumps(record.model_dump(exclude_none=True), default=repr, skipkeys=True)
    return conceal_json(line)
