"""A run that has come to its end, and what is said of its files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_tau.journal import JournalWriter
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.plugin.reporting.run_files import ReportContents
from pytest_tau.plugin.reporting.written_files import write_outputs
from pytest_tau.plugin.run import Run
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import core
from tests.reports.runs import record

TASKS = [task.id for task in core("mock")[:2]]
TRIALS = [record(task, trial, Outcome.MISSED if trial == 2 else Outcome.PASSED) for task in TASKS for trial in (1, 2)]
FACTS = {"agent": "my:Agent", "k": "2"}


def written(
    run: Run,
    trials: Sequence[TrialRecord] = TRIALS,
    order: Sequence[str] = (),
    *,
    row: str = "mock",
    baseline: Mapping[str, tuple[int, int]] | None = None,
) -> list[str]:
    """What is said of a run of these trials, all in one row of the table, that has come to its end."""
    run.__dict__["folder"] = run.root / ".tau" / "20260101"
    journal, totals = JournalWriter(run.folder), Totals()
    journal.open()
    for trial in trials:
        journal.append(trial.model_dump_json())
        totals.plan(row, trial.task_id, 2)
        totals.add(replace(TrialFacts.of(trial.model_dump(mode="json")), domain=row))
    journal.close()
    gates = [("held", "gate pass^1 >= 0.3: HELD: 50.0 %")]
    about = ReportContents(list(FACTS.items()), {"agent": "my:Agent"}, gates, baseline or {}, order)
    return list(write_outputs(run, totals, journal.path, about))
