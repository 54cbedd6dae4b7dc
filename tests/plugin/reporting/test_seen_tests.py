"""How far each test has come, so that a worker's death costs one trial, counted once."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.journal import Spool, orphan
from pytest_tau.plugin.reporting.seen_tests import SeenTests
from pytest_tau.schema.record import Outcome
from tests.journal.written import spooled, written
from tests.plugin.conftest import MakeRun
from tests.reports.runs import record

NODEID = "tau/mock/a.json::test_task[trial1]"
REPORT: Any = SimpleNamespace(nodeid=NODEID, node=SimpleNamespace(gateway=SimpleNamespace(id="gw0")))


def seen_by(make_run: MakeRun, folder: Path) -> SeenTests:
    run = make_run()
    run.__dict__["folder"] = folder
    return SeenTests(run)


def test_a_trial_that_a_worker_died_of_is_what_the_worker_said_it_was(make_run: MakeRun, tmp_path: Path) -> None:
    seen = seen_by(make_run, tmp_path)
    crashed = record("a", 1, Outcome.INFRA_ERROR)
    spool = Spool(tmp_path, "gw0")
    spool.begin(NODEID, crashed.model_dump_json())
    spool.close()
    orphan(tmp_path, "gw0")
    assert seen.crashed(REPORT) == crashed
    assert seen.last_line(REPORT) is None


@pytest.mark.parametrize("worker", ["gw0", "gw7"])
def test_of_a_conversation_that_was_over_it_is_all_of_that(make_run: MakeRun, tmp_path: Path, worker: str) -> None:
    """The one that died in grading it may have got it from another one that did."""
    seen = seen_by(make_run, tmp_path)
    over = record("a", 1, Outcome.UNGRADED).model_copy(update={"nodeid": NODEID, "graded": False})
    spooled(tmp_path, worker, over)
    spooled(tmp_path, "gw0", NODEID)
    for one in {worker, "gw0"}:
        orphan(tmp_path, one)
    assert seen.crashed(REPORT) == over
    assert seen.last_line(REPORT) is None


def test_so_it_is_where_the_run_that_is_resumed_has_the_conversation(make_run: MakeRun, tmp_path: Path) -> None:
    over = record("a", 1, Outcome.INFRA_ERROR).model_copy(update={"nodeid": NODEID, "graded": False})
    run = make_run(resume=True)
    run.__dict__["folder"] = written(tmp_path, over).parent
    spooled(run.folder, "gw0", NODEID)
    orphan(run.folder, "gw0")
    assert SeenTests(run).crashed(REPORT) == over


def test_a_test_that_had_not_begun_is_run_again_once(make_run: MakeRun, tmp_path: Path) -> None:
    seen = seen_by(make_run, tmp_path)
    assert [seen.is_bystander(NODEID, REPORT) for _ in range(2)] == [True, False]
    assert seen.owed == {NODEID: REPORT}


def test_one_that_had_begun_or_reported_or_is_no_trial_is_not(make_run: MakeRun, tmp_path: Path) -> None:
    seen = seen_by(make_run, tmp_path)
    seen.begun.add(NODEID)
    assert not seen.is_bystander(NODEID, REPORT)
    seen = seen_by(make_run, tmp_path)
    seen.reported.add(NODEID)
    assert not seen.is_bystander(NODEID, REPORT)
    assert not seen.is_bystander("test_plain.py::test_it", REPORT)


def test_nothing_is_known_of_a_worker_that_left_nothing(make_run: MakeRun, tmp_path: Path) -> None:
    seen = seen_by(make_run, tmp_path)
    seen.reported.add(NODEID)
    assert seen.last_line(REPORT) is None
    assert seen.crashed(REPORT) is None
    assert not seen.is_over(NODEID, REPORT)
