"""A finished trial's way to the controller: one JSON string on the test's report.

A string attribute survives xdist, costs nothing where it is not looked at, and is lost only with the trial that a dying
worker was running.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _pytest
import pluggy
import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

import pytest_tau

from ...errors import said
from ..collecting.collection import Slot, TaskFile
from ..playing.auditing import task_worth
from ..playing.outcomes import NotRun, ending, outcome_of
from ..playing.running import Finished, user_facing
from ..settings.options import settings
from ..settings.stash import ATTRIBUTE, HANDLE, NOT_RUN, PLAYED

if TYPE_CHECKING:
    from ...schema.record import Outcome, TrialRecord
    from ...schema.simulation import Simulation

_MACHINERY = tuple(Path(str(module.__file__)).resolve().parent for module in (_pytest, pluggy, pytest_tau))
_LIBRARY = Path(functools.__file__).parent
_NOT_GRADED = "the conversation is over and was not graded: --tau-resume grades it, and does not play it again"


def show_their_code(call: pytest.CallInfo[Any]) -> None:
    """Leave our frames out of a traceback, unless they are all there is: then the bug is ours."""
    if call.excinfo is None:
        return
    if user_facing(call.excinfo.value):
        # Its text will do; to look up the source of every frame takes longer than to play a trial.
        call.excinfo.traceback = type(call.excinfo.traceback)([])
        return
    theirs, left_out = [], True
    for entry in call.excinfo.traceback:
        folders = Path(entry.path).parents
        # What our code and pytest's call of the standard library goes with them.
        passing = left_out and _LIBRARY in folders and "site-packages" not in str(entry.path)
        left_out = passing or any(folder in folders for folder in _MACHINERY)
        if not left_out:
            theirs.append(entry)
    if theirs:
        call.excinfo.traceback = type(call.excinfo.traceback)(theirs)


def _explained(text: str, item: pytest.Item) -> ReprExceptionInfo:
    """Text for the failures; summaries and JUnit have its first line, where pytest on CI would cut nothing.

    With ``--tb=line`` it is left at that line.
    """
    shown = [] if item.config.option.tbstyle == "line" else [f"{text}\n"]
    where, line, _ = item.reportinfo()  # the function's file, which for a file of tasks is ours
    number = (line or 0) + 1 if Path(where) == item.path else 1
    crash = ReprFileLocation(str(item.path), number, text.partition("\n")[0])
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative(shown)], extraline=None, style="native"), reprcrash=crash
    )


def attach(item: pytest.Item, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
    """Put the trial of a test on its report, once: with the call, or with a set-up that failed."""
    handle = item.stash.get(HANDLE, None)
    error = call.excinfo.value if call.excinfo else None
    if error is not None and user_facing(error):
        report.longrepr = _explained(said(error), item)
    if isinstance(error, NotRun):
        setattr(report, NOT_RUN, said(error))
    if report.when == "teardown" and handle is not None:
        # pytest keeps its items to the end: nobody has memory for all conversations.
        del item.stash[HANDLE]
        item.stash.setdefault(PLAYED, None)
        del item.stash[PLAYED]
    if handle is None or not (report.when == "call" or (report.when == "setup" and error is not None)):
        return
    finished = handle.started
    outcome = outcome_of(error, played=finished is not None and report.when == "call")
    if outcome is None:
        return
    from ...reports.verdict import printable

    slot = handle.request.slot
    note = None if error is None or finished else printable(f"{type(error).__name__}: {said(error)}")
    played = item.stash.get(PLAYED, None)
    if finished is None and played is not None:  # what came after the conversation failed: it is not to be paid again
        record = _record(item.nodeid, slot, outcome, Finished(played, None), note, graded=False)
    else:
        record = _record(item.nodeid, slot, outcome, finished, note)
    record = record.model_copy(update={"audit": task_worth(item.config, slot)})
    setattr(report, ATTRIBUTE, _json(record))
    if isinstance(item.parent, TaskFile):  # where every test has the same function, and maybe the same name
        heading = printable(f"{record.domain}/{record.task_id}, trial {record.trial}")
        report.location = (*report.location[:2], heading)
    value = "" if record.reward is None or record.reward.value is None else f"{record.reward.value:g}"
    properties: list[tuple[str, object]] = [
        ("tau_task", f"{record.domain}/{record.task_id}"),
        ("tau_trial", record.trial),
        ("tau_outcome", outcome.value),
        ("tau_reward", value),
    ]
    if record.recorded_reward is not None:
        properties.append(("tau_recorded_reward", f"{record.recorded_reward:g}"))
    if record.fault is not None:
        properties.append(("tau_fault", record.fault.kind.value))
    report.user_properties += properties
    item.user_properties += properties  # for the report of the tear-down, which is where --junitxml looks
    if outcome.value == "missed" and settings(item.config).miss_as == "xfail":
        report.outcome, report.wasxfail = "skipped", "missed"


def conversation_line(nodeid: str, slot: Slot, simulation: Simulation) -> str:
    """A trial whose conversation is over this moment, and not graded yet, as a line of the journal."""
    from ...schema.record import Outcome

    record = _record(nodeid, slot, Outcome.UNGRADED, Finished(simulation, None), _NOT_GRADED, graded=False)
    return _json(record)


def record_line(nodeid: str, slot: Slot, finished: Finished) -> str:
    """A trial that has just been graded, whatever its test will make of it, as a line of the journal."""
    from ...schema.record import Outcome

    error = ending(finished.simulation, finished.reward)
    outcome = outcome_of(None if error is None else error(), played=True) or Outcome.ERROR
    return _json(_record(nodeid, slot, outcome, finished))


def _record(
    nodeid: str,
    slot: Slot,
    outcome: Outcome,
    finished: Finished | None,
    note: str | None = None,
    *,
    graded: bool = True,
) -> TrialRecord:
    from ...schema.record import Fault, FaultKind, Outcome, TrialRecord

    fault = None
    if finished and outcome in (Outcome.MISSED, Outcome.INFRA_ERROR, Outcome.INVALID):
        fault = finished.fault or Fault(kind=FaultKind.OTHER, evidence="the test's own assertion")
    return TrialRecord(
        nodeid=nodeid,
        domain=slot.domain.name,
        task_id=slot.task.id,
        trial=slot.trial,
        outcome=outcome,
        reward=finished.reward if finished else None,
        simulation=finished.simulation if finished else None,
        note=note,
        fault=fault,
        recorded_reward=slot.recording.reward if slot.recording else None,
        hashes=_hashes(slot, finished),
        graded=graded,
    )


def _hashes(slot: Slot, finished: Finished | None) -> dict[str, str]:
    """Of what the result depends on: the task, the policy, the grader, the simulated customer's prompts."""
    from ...manifest import content_hash

    memo = slot.domain.memo
    if (known := memo.get(("hash", slot.task.id))) is None or known[0] is not slot.task:
        known = memo["hash", slot.task.id] = (slot.task, content_hash(slot.task.model_dump(mode="json")))
    hashes = {
        "task": known[1],
        "policy": content_hash(slot.domain.policy),
        "grader": content_hash(pytest_tau.__version__),
    }
    if finished is not None and "prompts" in finished.simulation.user_parameters:
        hashes["user prompt"] = str(finished.simulation.user_parameters["prompts"])
    return hashes


def _json(record: TrialRecord) -> str:
    from pydantic_core import PydanticSerializationError

    try:
        return record.model_dump_json(exclude_none=True)
    except PydanticSerializationError:
        # An agent written in Python can put any object into a call's arguments.
        return json.dumps(record.model_dump(exclude_none=True), default=repr, skipkeys=True)


def take(report: pytest.TestReport) -> str | None:
    """Take the trial off a report, which the terminal reporter keeps until the end."""
    line: str | None = report.__dict__.pop(ATTRIBUTE, None)
    return line


def parse(line: str) -> dict[str, Any]:
    """The trial as plain data."""
    content: dict[str, Any] = json.loads(line)
    return content
