"""Journals and spools with trials in them."""

from pathlib import Path
from typing import Any

from pytest_tau.journal import (
    JournalWriter,
    Spool,
    new_run,
)
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Reward
from tests.builders import asks, finished


def record(trial: int = 1, text: str = "Grüße ###STOP###", **fields: Any) -> TrialRecord:
    """A trial of which all is known."""
    return TrialRecord(**{**_record(trial, text), **fields})


def _record(trial: int, text: str) -> dict[str, Any]:
    return {
        "nodeid": f"tau/mock/t.json::test_task[trial{trial}]",
        "domain": "mock",
        "task_id": "t",
        "trial": trial,
        "outcome": Outcome.PASSED,
        "reward": Reward(value=1.0, basis=["DB"]),
        "simulation": finished([asks(text)]).model_copy(update={"id": f"simulation {trial} {text}"}),
    }


def written(results: Path, *records: TrialRecord) -> Path:
    """The journal of a run with these trials."""
    writer = JournalWriter(new_run(results))
    writer.open()
    for each in records:
        writer.append(each.model_dump_json())
    writer.close()
    return writer.path


def spooled(run: Path, process: str, *lines: TrialRecord | str) -> Path:
    """A spool with finished trials; a node ID stands for one that began."""
    spool = Spool(run, process)
    for line in lines:
        if isinstance(line, str):
            spool.begin(line)
        else:
            spool.begin(line.nodeid)
            spool.append(line.model_dump_json())
    spool.close()
    return spool.path
