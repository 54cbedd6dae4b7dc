"""What is taken off reports as they come by, and how trials with no verdict are shown."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau import load_journal
from pytest_tau.plugin.reporting.receiver import Receiver, controller_of, workers_collected
from pytest_tau.plugin.run import Run, run_of
from pytest_tau.plugin.workers.link import answer
from pytest_tau.plugin.workers.transport import NOT_RUN, put
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.plugin.conftest import MakeRun
from tests.plugin.reporting.controlled import report
from tests.reports.runs import record

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
PASSED, MISSED = record("a", 1), record("a", 2, Outcome.MISSED)
GATE = "pass^1 >= 0"


MakeReceiver = Callable[..., Receiver]


@pytest.fixture
def receiver(make_run: MakeRun) -> Iterator[MakeReceiver]:
    """Makes that of a run with these trials and nothing else."""
    all_made = []

    def made(*planned: TrialRecord, only_misses: bool = True, **chosen: Any) -> Receiver:
        known = Receiver(make_run(**{"agent": ("my:Agent",), **chosen}), only_misses=only_misses)
        known._controller.plan([trial.nodeid for trial in planned])
        all_made.append(known)
        return known

    yield made
    for known in all_made:
        status(known, OK)


def status(known: Receiver, before: int) -> int:
    """The exit status when the session is over."""
    session: Any = SimpleNamespace(exitstatus=before, shouldfail=False, shouldstop=False)
    known.pytest_sessionfinish(session)
    return int(session.exitstatus)


@pytest.mark.parametrize(
    ("outcome", "of_pytest", "chosen", "shown"),
    [
        (Outcome.PASSED, "passed", {}, None),
        (Outcome.MISSED, "failed", {}, None),  # as any failure
        (Outcome.MISSED, "failed", {"gate": (GATE,)}, ("missed", "m", ("MISSED", {"yellow": True}))),
        (Outcome.MISSED, "skipped", {"gate": (GATE,), "miss_as": "xfail"}, None),
        (Outcome.ERROR, "failed", {"gate": (GATE,)}, None),
        (Outcome.UNGRADED, "skipped", {}, ("ungraded", "u", ("UNGRADED", {"yellow": True}))),
    ],
)
def test_what_is_neither_passed_nor_failed_is_shown_as_what_it_is(
    receiver: MakeReceiver, outcome: Outcome, of_pytest: str, chosen: dict[str, Any], shown: object
) -> None:
    trial = record("a", 1, outcome)
    known = receiver(trial, **chosen)
    for when, result in (("setup", "passed"), ("call", of_pytest), ("teardown", "passed")):
        one = report(trial.nodeid, trial if when == "call" else None, when, result)
        known.pytest_runtest_logreport(one)
        assert known.pytest_report_teststatus(one) == (shown if when == "call" else None)


def test_a_trial_that_was_not_begun_is_no_success(receiver: MakeReceiver) -> None:
    known = receiver(PASSED)
    one = report(PASSED.nodeid, outcome="skipped")
    put(one, NOT_RUN, "the budget of $5 is used up")
    known.pytest_runtest_logreport(one)
    assert known._controller.totals.not_run == {"the budget of $5 is used up": 1}
    assert status(known, OK) == FAILED


def failed_test(known: Receiver) -> None:
    known.pytest_runtest_logreport(report("test_it.py::test_other", outcome="failed"))


def failed_trial(known: Receiver) -> None:
    bug = record("b", 1, Outcome.ERROR)
    known.pytest_runtest_logreport(report(bug.nodeid, bug, outcome="failed"))


def failed_collecting(known: Receiver) -> None:
    known.pytest_collectreport(pytest.CollectReport("test_it.py", "failed", "no such module", []))


def a_file(known: Receiver) -> None:
    known.pytest_collectreport(pytest.CollectReport("test_it.py", "passed", None, []))


@pytest.mark.parametrize("other", [failed_test, failed_trial, failed_collecting])
def test_a_gate_makes_no_failure_good_but_misses(receiver: MakeReceiver, other: Any) -> None:
    for happens, after in ((a_file, OK), (other, FAILED)):
        known = receiver(MISSED, gate=(GATE,), min_coverage=0.0)
        known.pytest_runtest_logreport(report(MISSED.nodeid, MISSED, outcome="failed"))
        happens(known)
        assert status(known, FAILED) == after


def test_what_failed_before_the_first_trial_was_none(receiver: MakeReceiver) -> None:
    known = receiver(MISSED, only_misses=False, gate=(GATE,))
    known.pytest_runtest_logreport(report(MISSED.nodeid, MISSED, outcome="failed"))
    assert status(known, FAILED) == FAILED


class _Session:
    def __init__(self, failed: int) -> None:
        self.testsfailed = failed


@pytest.mark.parametrize(("failed", "after"), [(0, OK), (1, FAILED)])
def test_it_knows_when_it_is_made_whether_anything_failed_before(
    pytester: pytest.Pytester, failed: int, after: int
) -> None:
    run = run_of(pytester.parseconfigure("-pno:terminal", "--tau-agent=noop", f"--tau-gate={GATE}"))
    run.config.pluginmanager.register(_Session(failed), "session")
    controller_of(run).plan([MISSED.nodeid])
    known: Any = run.config.pluginmanager.getplugin("tau-receiver")
    known.pytest_runtest_logreport(report(MISSED.nodeid, MISSED, outcome="failed"))
    assert status(known, FAILED) == after


def test_it_is_registered_once_and_knows_the_controller(pytester: pytest.Pytester) -> None:
    run = run_of(pytester.parseconfigure("-pno:terminal"))
    run.config.pluginmanager.register(_Session(0), "session")
    known = controller_of(run)
    assert controller_of(run) is known
    manager = run.config.pluginmanager
    assert [plugin for plugin in manager.get_plugins() if isinstance(plugin, Receiver)] == [
        manager.getplugin("tau-receiver")
    ]
    workers_collected(run, node("gw0"), [PASSED.nodeid, "test_it.py::test_other"])
    run.begins(PASSED.nodeid)  # a test looks at its trial: what it has in common with others is written first
    assert (run.folder / "manifest.json").is_file()
    manager.hook.pytest_runtest_logreport(report=report(PASSED.nodeid, PASSED))
    assert (known.totals.done(), known.totals.planned()) == (1, 1)
    known.finish(SimpleNamespace(exitstatus=OK, shouldfail=False, shouldstop=False), only_misses=True)  # type: ignore[arg-type]
    assert [trial.nodeid for trial in load_journal(run.folder)] == [PASSED.nodeid]


def node(name: str) -> Any:
    """A worker as its controlling process sees it."""
    return SimpleNamespace(gateway=SimpleNamespace(id=name, spec="popen"), workeroutput={})


def test_a_worker_that_came_to_its_end_says_how_many_conversations_it_had(receiver: MakeReceiver) -> None:
    known, worker = receiver(), node("gw0")
    answer(SimpleNamespace(workeroutput=worker.workeroutput), ["tau: 4 conversations at once"])  # type: ignore[arg-type]
    known.pytest_testnodedown(worker, None)
    assert known._controller.about.concurrency == ["tau: 4 conversations at once"]


def test_the_process_of_a_worker_that_died_is_gone(receiver: MakeReceiver) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        died = node("gw0")
        died.gateway._io = SimpleNamespace(popen=process)
        receiver().pytest_testnodedown(died, "it was killed")
        assert process.returncode == 0


def test_of_a_worker_that_died_a_test_that_never_began_is_run_again_once(receiver: MakeReceiver) -> None:
    from pytest_tau.plugin.workers.scheduling import DeepLoadScheduling

    again: list[str] = []
    sched: Any = object.__new__(DeepLoadScheduling)
    sched.mark_test_pending = again.append
    known = receiver(PASSED)
    for shown in (("passed", "setup"), ("failed", "???")):
        crashed = report(PASSED.nodeid, when="???", outcome="failed")
        crashed.node = node("gw0")
        known.pytest_handlecrashitem(PASSED.nodeid, crashed, sched)
        assert (crashed.outcome, crashed.when) == shown
    assert again == [PASSED.nodeid]


def test_without_workers_a_trial_begins_when_its_test_looks_at_it(receiver: MakeReceiver) -> None:
    known = receiver(PASSED)
    run: Run = known._run
    known.pytest_runtest_logstart(PASSED.nodeid)
    assert not run.folder.exists()
    run.begins(PASSED.nodeid)
    assert (run.folder / "manifest.json").is_file()


def test_nobody_waits_for_a_test_that_only_looks_like_a_trial(receiver: MakeReceiver) -> None:
    nodeid = "test_it.py::test_text[trial1]"
    known = receiver()
    progress = known._controller.progress
    progress.begins(nodeid)
    waited_for = [progress._whom(1e12, 1.0)]
    for when in ("setup", "call", "teardown"):
        known.pytest_runtest_logreport(report(nodeid, when=when))
        waited_for.append(progress._whom(1e12, 1.0))
    progress.stop()
    assert [bool(lines) for lines in waited_for] == [True, True, True, False]
