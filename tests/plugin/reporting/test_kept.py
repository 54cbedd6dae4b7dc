"""What a run keeps of itself, and what it says when it cannot."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import JournalWriter, Spool, last_run
from pytest_tau.manifest import JUDGE, load_manifest, plan_of
from pytest_tau.plugin.playing.model_refusals import REFUSED
from pytest_tau.plugin.recording.depends_on import of_a_trial
from pytest_tau.plugin.reporting.kept import RunRecords
from pytest_tau.plugin.run import Run
from tests.plugin.conftest import MakeRun
from tests.reports.runs import record

NEEDS = of_a_trial("tau/mock/add_a_task.json::test_task[trial1]", "mock")
ONE, TWO = record("a", 1), record("a", 2)


@pytest.fixture
def run(make_run: MakeRun, tmp_path: Path) -> Run:
    made = make_run(agent=("my:Agent",), k=2)
    made.__dict__["folder"] = tmp_path / ".tau" / "20260101"
    return made


Keep = Callable[[Run], RunRecords]


@pytest.fixture
def keep() -> Iterator[Keep]:
    """Makes what keeps a run, closed in the end."""
    with ExitStack() as ending:

        def made(run: Run) -> RunRecords:
            kept = RunRecords(run)
            ending.callback(kept.close, ())
            return kept

        yield made


def test_nothing_is_written_before_it_is_opened(keep: Keep, run: Run) -> None:
    kept = keep(run)
    kept.note({"domains": "mock"})
    kept.close(set())
    assert not kept.is_open
    assert (kept.lost, kept.content, kept.options, kept.commits) == (None, {}, {}, "")
    assert kept.manifest.k == 2  # what would be written
    assert not run.results.exists()


def test_what_trials_have_in_common_is_written_before_the_first(keep: Keep, run: Run) -> None:
    kept = keep(run)
    kept.files = {"tasks in tau/mock/add_a_task.json"}
    kept.open()
    written = load_manifest(run.folder)
    assert kept.is_open
    assert (written.k, written.options) == (2, kept.options)
    assert kept.options["agent"] == "my:Agent"
    assert kept.content == written.content
    assert kept.files <= written.content.keys()
    assert NEEDS[0] not in written.content


def test_a_trial_is_a_line_and_what_it_depends_on_is_looked_up_once(keep: Keep, run: Run) -> None:
    kept = keep(run)
    kept.append(ONE.model_dump_json(), NEEDS)
    known = kept.content
    assert {*NEEDS, "policy.md of mock"} <= load_manifest(run.folder).content.keys()
    kept.append(TWO.model_dump_json(), NEEDS)
    assert kept.content is known
    kept.close({ONE.nodeid, TWO.nodeid})
    assert [found.trial for found in load_journal(run.folder)] == [1, 2]


def test_what_is_planned_is_kept_also_where_workers_know_it_late(keep: Keep, run: Run) -> None:
    kept, planned = keep(run), {ONE.nodeid.partition("trial")[0]: 2}
    kept.open()
    assert plan_of(run.folder) == {}
    kept.plan(planned, set())
    assert plan_of(run.folder) == planned


def test_later_reports_find_what_is_noted_of_a_run(keep: Keep, run: Run) -> None:
    kept = keep(run)
    kept.open()
    kept.note({"domains": "mock (built in)", "tasks": ""})
    about = load_manifest(run.folder).about
    assert about["domains"] == "mock (built in)"
    assert "tasks" not in about
    assert "command" in about  # and what was known before


def test_trials_that_no_test_has_asked_for_are_taken_from_the_spools(keep: Keep, run: Run) -> None:
    kept = keep(run)
    kept.append(ONE.model_dump_json(), NEEDS)
    spool = Spool(run.folder, "gw0")
    for trial in (ONE, TWO):
        spool.append(trial.model_dump_json())
    spool.close()
    (run.folder / REFUSED).touch()
    kept.close({ONE.nodeid})
    assert [found.trial for found in load_journal(run.folder)] == [1, 2]
    assert sorted(path.name for path in run.folder.iterdir()) == ["journal.jsonl", "manifest.json"]


def test_a_folder_that_cannot_be_is_refused_at_first_and_told_later(
    keep: Keep, make_run: MakeRun, tmp_path: Path
) -> None:
    (tmp_path / "file.txt").write_text("not a folder", encoding="utf-8")
    run = make_run(results="file.txt/below")
    with pytest.raises(pytest.UsageError, match=r"below: results cannot be kept there \(.*\); see --tau-results$"):
        keep(run).open_or_refuse()
    kept = keep(run)
    kept.open()
    assert kept.lost is not None
    assert kept.lost.startswith("The journal could not be written: ")


def test_a_run_that_was_refused_leaves_no_folder_and_latest_as_it_was(keep: Keep, run: Run) -> None:
    before = run.results / "20250101"
    first = JournalWriter(before)
    first.append("{}")
    first.close()
    (run.folder / "manifest.json" / "in the way").mkdir(parents=True)
    kept = keep(run)
    with pytest.raises(pytest.UsageError, match="results cannot be kept there"):
        kept.open_or_refuse()
    kept.close(set())
    kept.drop()
    assert not run.folder.exists()
    assert last_run(run.results) == before.resolve()


def test_what_could_not_be_written_before_goes_first_and_nothing_is_lost_then(keep: Keep, run: Run) -> None:
    kept = keep(run)
    run.results.parent.mkdir(exist_ok=True)
    run.results.write_text("in the way", encoding="utf-8")
    kept.append(ONE.model_dump_json(), NEEDS)
    assert kept.lost is not None
    run.results.unlink()
    kept.append(TWO.model_dump_json(), NEEDS)
    kept.close(set())
    assert kept.lost is None
    assert 2 in [found.trial for found in load_journal(run.folder)]


def test_a_resumed_run_goes_on_with_its_manifest(keep: Keep, make_run: MakeRun, run: Run) -> None:
    first = keep(run)
    first.append(ONE.model_dump_json(), NEEDS)
    first.note({JUDGE: "1 1 1 1"})
    first.close({ONE.nodeid})
    resumed = make_run(agent=("my:Agent",), k=3, resume=True)
    resumed.__dict__["folder"] = run.folder
    again = keep(resumed)
    again.open()
    assert (again.manifest.k, again.content) == (3, first.content)
    assert again.manifest.about["command"] == first.manifest.about["command"]
    assert JUDGE not in again.manifest.about  # there is no passport now
    assert again.commits == ""  # which there are none of without git


def test_an_interrupted_run_says_what_a_resumed_one_does(keep: Keep, run: Run) -> None:
    kept = keep(run)
    assert kept.after_interrupt(0, 3) == "Interrupted before any of 3 trials was over: nothing is kept."
    assert kept.after_interrupt(3, 3) == "Interrupted after the last of 3 trials: all are kept."
    assert "plays the other 1 trial, and 1 again that ended in an error" in kept.after_interrupt(2, 3, 1)
    assert "goes on with them, and plays 1 again that ended in an error" in kept.after_interrupt(3, 3, 1)
