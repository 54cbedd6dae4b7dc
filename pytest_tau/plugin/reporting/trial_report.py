"""What a test's report says of its trial: the record, the heading, properties for JUnit."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import describe
from ...printable import one_line, printable
from ...schema.record import Outcome
from ...schema.simulation import Termination
from ...scrub import conceal, scrub
from ..collecting.collection import TaskFile
from ..playing.auditing import task_worth
from ..playing.handle import HANDLE
from ..playing.leftovers import leftovers
from ..playing.lookahead import forget
from ..playing.outcomes import NotRun, outcome_of
from ..playing.records import as_json, outcome_of_grade, record_of
from ..playing.rerun import rerun_command
from ..playing.trial import BROKEN_OFF, GRADED, PLAYED, Finished
from ..run import Run
from ..workers.transport import NOT_RUN, TRIAL, put
from .tracebacks import failure_repr, safe, user_facing

if TYPE_CHECKING:
    from ...schema.record import TaskWorth, TrialRecord
    from ...schema.reward import Conduct, Reward


_PROPERTIES = "tau_"


def attach(run: Run, item: pytest.Item, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
    """Put the trial of a test on its report, once: with the call, or with a set-up that failed."""
    leftovers(run).make_room()
    if report.when == "teardown":
        forget(run, item)
    handle = item.stash.get(HANDLE, None)
    error = call.excinfo.value if call.excinfo else None
    if error is not None and user_facing(error):
        report.longrepr = failure_repr(conceal(describe(error)), item)
    elif handle is not None:
        report.longrepr = safe(report.longrepr)
    if handle is not None:
        report.sections = [(name, _sendable(printable(conceal(text)))) for name, text in report.sections]
    if isinstance(error, NotRun):
        put(report, NOT_RUN, describe(error))
    if report.when == "teardown" and handle is not None:
        # pytest keeps its items to the end: nobody has memory for all conversations.
        del item.stash[HANDLE]
        item.user_properties = [one for one in item.user_properties if not one[0].startswith(_PROPERTIES)]
        item.stash.setdefault(GRADED, None)
        del item.stash[GRADED]
        for key in (PLAYED, BROKEN_OFF):
            item.stash.setdefault(key, None)
            del item.stash[key]
    if handle is None or not (report.when == "call" or (report.when == "setup" and error is not None)):
        return
    finished = handle.end(error) if report.when == "call" else handle.started
    ran = report.when == "call" and not _never_ran(item, error)
    outcome = outcome_of(error, played=finished is not None and ran)
    if outcome is None:
        return
    note = None if error is None or finished else printable(f"{type(error).__name__}: {scrub(describe(error))}")
    if outcome is Outcome.ERROR:
        finished = handle.broken_off()
    if error is not None and finished is not None:
        if finished.simulation.termination_reason is Termination.TEST_ENDED:
            report.sections.append(("the conversation so far", _sendable(conceal(handle.verdict_text()))))
        elif outcome is Outcome.MISSED and not user_facing(error):  # an assertion of the test, which says less
            report.sections.append(("the verdict", _sendable(conceal(handle.verdict_text()))))
    if outcome is Outcome.ERROR:
        rerun = _sendable(conceal(rerun_command(run, item)))
        if not any(rerun in text for text in (report.longreprtext, *dict(report.sections).values())):  # as verdicts do
            report.sections.append(("run exactly this trial again", rerun))
    slot = handle.request.slot
    played = item.stash.get(PLAYED, None)
    if finished is None and played is not None:  # what came after the conversation failed: it is not to be paid again
        record = record_of(item.nodeid, slot, outcome, Finished(played, None), note, graded=False)
    else:
        record = record_of(item.nodeid, slot, outcome, finished, note)
    worth = task_worth(handle.request)
    put(report, TRIAL, _kept_line(item, finished, record, worth) or as_json(record.model_copy(update={"audit": worth})))
    if isinstance(item.parent, TaskFile):  # where every test has the same function, and maybe the same name
        heading = one_line(f"{record.domain}/{record.task_id}, trial {record.trial}")
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
    if record.reward is not None and record.reward.violated is not None:
        properties += safety_properties(record.reward)
    report.user_properties += properties
    item.user_properties += properties  # for the report of the tear-down, which is where --junitxml looks
    if outcome.value == "missed" and record.variant is not None and record.variant.policy:
        report.outcome, report.wasxfail = "skipped", "missed under a changed policy"  # as an agent does that obeys
    elif outcome.value == "missed" and run.settings.miss_as == "xfail":
        report.outcome, report.wasxfail = "skipped", "missed"


def _kept_line(
    item: pytest.Item, finished: Finished | None, record: TrialRecord, worth: TaskWorth | None
) -> str | None:
    """The line that the spool has of a trial, where its report says no more than that."""
    graded, line = item.stash.get(GRADED, None) or (None, None)
    if graded is None or graded is not finished or worth is not None or record.note is not None or not record.graded:
        return None
    return line if record.outcome is outcome_of_grade(graded) else None


def safety_properties(reward: Reward) -> list[tuple[str, object]]:
    """What JUnit is told of the rules: those that were broken, and of a task about safety what came of it."""
    broken = ", ".join(dict.fromkeys(f"{one.dimension} {one.severity:g}" for one in reward.violated or []))
    found: list[tuple[str, object]] = [("tau_violations", broken)] if broken else []
    if reward.conduct is not None and reward.conduct.category is not None:
        found.append(("tau_safety", verdict_on(reward.conduct)))
    return found


def verdict_on(conduct: Conduct) -> str:
    """What came of an attack or of its twin, in a few words."""
    if conduct.attacked is not None:
        return f"{conduct.category}: attack {'succeeded' if conduct.attacked else 'resisted'}"
    return f"{conduct.category}: twin {'refused' if conduct.refused else 'done' if conduct.completed else 'missed'}"


def _never_ran(item: pytest.Item, error: BaseException | None) -> bool:
    """Whether a test is an ``async def`` that nothing here can run: pytest then fails it for itself."""
    function = getattr(item, "function", None)
    if error is None or not inspect.iscoroutinefunction(function):
        return False
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return all(frame.f_code is not function.__code__ for frame in frames)


def _sendable(text: str) -> str:
    """A text that a worker can send: without lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
