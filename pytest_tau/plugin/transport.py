"""A finished trial's way to the controller: one JSON string on the test's report.

A string attribute survives xdist, costs nothing where it is not looked at, and is lost only with the trial that a dying
worker was running.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .outcomes import outcome_of
from .running import user_facing
from .stash import ATTRIBUTE, HANDLE

if TYPE_CHECKING:
    from ..metrics.totals import TrialFacts


def attach(item: pytest.Item, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
    """Put the trial of a test on its report, once: with the call, or with a set-up that failed."""
    handle = item.stash.get(HANDLE, None)
    error = call.excinfo.value if call.excinfo else None
    if error is not None and user_facing(error):
        report.longrepr = str(error)
    if handle is None or not (report.when == "call" or (report.when == "setup" and error is not None)):
        return
    outcome = outcome_of(error)
    if outcome is None:
        return
    from ..reports.verdict import printable
    from ..schema.record import TrialRecord

    slot, finished = handle.request.slot, handle.started
    record = TrialRecord(
        nodeid=item.nodeid,
        domain=slot.domain.name,
        task_id=slot.task.id,
        trial=slot.trial,
        outcome=outcome,
        reward=finished.reward if finished else None,
        simulation=finished.simulation if finished else None,
        note=None if error is None or finished else printable(f"{type(error).__name__}: {error}"),
    )
    setattr(report, ATTRIBUTE, record.model_dump_json(exclude_none=True))


def take(report: pytest.TestReport) -> str | None:
    """Take the trial off a report, which the terminal reporter keeps until the end."""
    line: str | None = report.__dict__.pop(ATTRIBUTE, None)
    return line


def facts(content: dict[str, Any]) -> TrialFacts:
    """What the totals need of a parsed trial."""
    from ..metrics.totals import TrialFacts, total_cost

    simulation = content.get("simulation") or {}
    cost = total_cost((simulation.get("agent_cost"), simulation.get("user_cost"))) if simulation else 0.0
    return TrialFacts(
        domain=content["domain"],
        task_id=content["task_id"],
        outcome=content["outcome"],
        steps=simulation.get("steps", 0),
        cost=cost,
        agent=simulation.get("agent", ""),
        user=simulation.get("user", ""),
    )


def parse(line: str) -> dict[str, Any]:
    """The trial as plain data."""
    content: dict[str, Any] = json.loads(line)
    return content
