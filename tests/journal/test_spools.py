"""The spools beside a journal: what is over, what is not, and what is taken over."""

from pathlib import Path

from pytest_tau import load_journal
from pytest_tau.journal import (
    JournalWriter,
    Spool,
    has_spools,
    last_run,
    new_run,
    orphan,
    orphans,
    read_spool,
    read_trials,
)
from pytest_tau.metrics.tally import tally
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.journal.written import record, spooled


def test_a_spool_says_what_is_over_and_what_is_not(tmp_path: Path) -> None:
    path = spooled(tmp_path / "run", "gw0", record(1), "unfinished", record(2), "a bug")
    spool = Spool(tmp_path / "run", "gw0")
    spool.drop("a bug")
    spool.close()
    found = read_spool(path)
    assert found.unfinished == {"unfinished": None}
    assert set(found.finished) == {record(1).nodeid, record(2).nodeid}
    for each in (record(1), record(2)):
        line = found.line(each.nodeid)
        assert line is not None
        assert TrialRecord.model_validate_json(line) == each
    assert found.line("unfinished") is None


def test_a_trial_that_began_says_what_it_is_if_it_takes_its_process_down(tmp_path: Path) -> None:
    crashed = record(1, outcome=Outcome.INFRA_ERROR).model_copy(update={"simulation": None, "reward": None})
    run = new_run(tmp_path)
    spool = Spool(run, "gw0")
    spool.begin(crashed.nodeid, crashed.model_dump_json())
    spool.close()
    found = read_spool(spool.path).unfinished[crashed.nodeid]
    assert TrialRecord.model_validate(found) == crashed
    assert load_journal(tmp_path) == []  # as long as nobody knows that it did


def test_what_is_in_spools_only_is_part_of_the_record(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1), "unfinished", record(2))
    spooled(run, "gw1", record(3))
    assert last_run(tmp_path) == run.resolve()  # found although nobody came to write a journal
    assert load_journal(tmp_path) == [record(1), record(2), record(3)]
    journal = JournalWriter(run)
    said_more = record(2, outcome=Outcome.MISSED)  # as its test said, after it had looked at the trial
    journal.append(said_more.model_dump_json())
    journal.close()
    assert load_journal(tmp_path) == [said_more, record(1), record(3)]


def test_a_trial_that_was_judged_later_counts_as_judged(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1, outcome=Outcome.UNGRADED), record(1))
    assert load_journal(tmp_path) == [record(1)]


def test_spools_are_taken_into_the_journal_once(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    spooled(run, "gw0", record(1), record(2))
    orphan(run, "gw0")
    spooled(run, "gw1", "unfinished", record(3), record(4))
    journal = JournalWriter(run)
    for each in (record(1), record(3)):
        journal.append(each.model_dump_json())
    simulation = record(3).simulation
    assert simulation is not None
    assert journal.take_spools({record(1).nodeid, simulation.id}) == 2
    journal.close()
    assert not has_spools(run)
    assert load_journal(journal.path) == [record(1), record(3), record(2), record(4)]


def test_what_a_python_test_has_not_judged_stays_for_it(tmp_path: Path) -> None:
    """Its grade is known, but the test may ask for more."""
    run, nodeid = new_run(tmp_path), "test_mine.py::test_it[t-trial1]"
    mine, failed = record(1, nodeid=nodeid), record(2, nodeid="test_mine.py::x[trial2]", outcome=Outcome.INFRA_ERROR)
    spooled(run, "main", mine, record(2), failed)
    for _ in range(2):  # as often as the run is resumed
        journal = JournalWriter(run)
        journal.take_spools(())
        journal.close()
        assert load_journal(journal.path) == [record(2), failed]
        [rest] = orphans(run)
        assert set(read_spool(rest).finished) == {nodeid}
        *others, waiting = load_journal(run)
        assert others == [record(2), failed]
        assert (waiting.outcome, waiting.graded, waiting.reward) == (Outcome.UNGRADED, False, None)
        assert waiting.simulation == mine.simulation
        assert tally(read_trials(run), 2).outcomes() == {"passed": 1, "infra_error": 1, "ungraded": 1}
    journal.take_spools({nodeid})
    assert not has_spools(run)
