"""One trial is one record, whenever its process was killed: for who loads, counts, merges and resumes.

A conversation is kept when it is over, and again with its grade, and with what a judge says of it. Processes die in
between and others take over; the journal has what was reported.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import load_journal
from pytest_tau.journal import JournalWriter, Spool, new_run, read_open, read_trials
from pytest_tau.manifest import Manifest
from pytest_tau.merging import merge
from pytest_tau.metrics.tally import tally
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import asks, finished

# As trials are kept: conversation, grade, what the judge says. (Whether it is graded, and the outcome.)
STAGES = [(False, Outcome.UNGRADED), (True, Outcome.UNGRADED), (True, Outcome.PASSED)]


def kept(trial: int, stage: int) -> TrialRecord:
    played = finished([asks("###STOP###")]).model_copy(update={"id": f"conversation {trial}"})
    graded, outcome = STAGES[stage]
    nodeid = f"tau/mock/t.json::test_task[trial{trial}]"
    return TrialRecord(
        nodeid=nodeid, domain="mock", task_id="t", trial=trial, outcome=outcome, simulation=played, graded=graded
    )


@given(data=st.data())
@settings(max_examples=40)
def test_one_trial_is_one_record(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    results = tmp_path_factory.mktemp("results")
    journal = JournalWriter(new_run(results))
    journal.open()
    run = journal.path.parent
    Manifest(options={}, content={}, k=3).save(run)
    processes = data.draw(st.permutations([f"gw{number}" for number in range(9, 12)]), label="processes")
    expected: dict[str, TrialRecord] = {}
    reported: set[str] = set()
    for trial in data.draw(st.permutations([1, 2, 3]), label="trials"):
        process = 0
        for stage in range(data.draw(st.integers(1, 3), label="stages")):
            process += data.draw(st.integers(0, 2 - process), label="deaths")
            record = expected[kept(trial, 0).nodeid] = kept(trial, stage)
            spool = Spool(run, processes[process])
            spool.append(record.model_dump_json())
            spool.close()
        if data.draw(st.booleans(), label="reported"):
            journal.append(record.model_dump_json())
            reported.add(record.nodeid)
    for number, name in enumerate(processes):
        if (spool_file := run / f"spool-{name}.jsonl").exists():
            os.utime(spool_file, (number, number))  # who took over wrote last

    def check() -> None:
        assert {record.nodeid: record for record in load_journal(run)} == expected
        last = {content["nodeid"]: content["outcome"] for content in read_trials(run)}
        assert last == {nodeid: record.outcome.value for nodeid, record in expected.items()}
        assert tally(read_trials(run), 3).done() == len(expected)

    check()
    merged = merge([run], results / "merged").run
    assert {record.nodeid: record for record in load_journal(merged)} == expected
    assert len(list(read_trials(merged))) == len(expected)
    journal.take_spools(reported)
    journal.close()
    check()
    lines = [json.loads(line) for line in journal.path.read_text(encoding="utf-8").splitlines()]
    assert Counter(line["nodeid"] for line in lines) == dict.fromkeys(expected, 1)
    assert set(read_open(journal.path).played) == {
        nodeid for nodeid, record in expected.items() if record.outcome is Outcome.UNGRADED
    }


def test_a_grade_that_came_later_takes_the_place_of_its_conversation(tmp_path: Path) -> None:
    """A resumed run appends it; journals of before may have them the other way round."""
    for order in ((0, 2), (2, 0)):
        journal = JournalWriter(new_run(tmp_path))
        for stage in order:
            journal.append(kept(1, stage).model_dump_json())
        journal.close()
        assert load_journal(journal.path) == [kept(1, 2)]
        assert tally(read_trials(journal.path), 1).outcomes() == {"passed": 1}
