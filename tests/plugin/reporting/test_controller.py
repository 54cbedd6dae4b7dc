"""The controller, fed with reports as pytest makes them: totals, journal and exit status, without a test being run."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau import load_journal
from pytest_tau.manifest import load_manifest
from pytest_tau.plugin.reporting.controller import Controller
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.workers.transport import TRIAL, put
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.reports.runs import record

OK, FAILED, NONE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED
AGENT = "--tau-agent=mine:Agent"


def report(nodeid: str, trial: TrialRecord | None = None, when: Any = "call", outcome: Any = "passed") -> Any:
    made = pytest.TestReport(nodeid, (nodeid, 0, nodeid), {}, outcome, None, when)
    if trial is not None:
        put(made, TRIAL, trial.model_dump_json())
    return made


def controlled(pytester: pytest.Pytester, *args: str, done: Iterable[str] = ()) -> Controller:
    run = Run(pytester.parseconfig(AGENT, *args))
    run.done = frozenset(done)
    return Controller(run)


def finished(known: Controller, status: int, *, only_misses: bool = True, stopped: str = "", failed: str = "") -> int:
    session: Any = SimpleNamespace(exitstatus=status, shouldfail=failed, shouldstop=stopped, testsfailed=1)
    known.finish(session, only_misses=only_misses)
    return int(session.exitstatus)


PASSED, MISSED = record("a", 1), record("a", 2, Outcome.MISSED)


def test_each_trial_is_counted_kept_and_forgotten(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid, MISSED.nodeid, "test_it.py::test_other"])
    made = report(PASSED.nodeid, PASSED)
    assert known.receive(made) == "passed"
    assert TRIAL not in vars(made)  # pytest keeps its reports to the end
    assert known.receive(report(MISSED.nodeid, MISSED, outcome="failed")) == "missed"
    assert known.receive(report(MISSED.nodeid, when="teardown", outcome="failed")) is None
    assert known.receive(report("test_it.py::test_other", outcome="failed")) is None
    assert (known.totals.done(), known.totals.planned()) == (2, 2)
    assert known.totals.outcomes() == {"passed": 1, "missed": 1}
    assert finished(known, FAILED) == FAILED
    assert [(kept.task_id, kept.trial) for kept in load_journal(pytester.path / ".tau")] == [("a", 1), ("a", 2)]
    assert (pytester.path / ".tau/latest/manifest.json").is_file()


def test_who_was_to_play_is_told_where_every_trial_broke_off(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid])
    broken = record("a", 1, Outcome.ERROR).model_copy(update={"simulation": None})
    known.receive(report(broken.nodeid, broken, outcome="failed"))
    facts = dict(known.about.facts())
    assert (facts["agent"], facts["user"]) == ("mine:Agent", "scripted")


def test_a_suite_of_another_name_than_its_domain_is_told_with_its_split(pytester: pytest.Pytester) -> None:
    suite = pytester.path / "tasks/ours"
    suite.mkdir(parents=True)
    (suite / "all.json").write_text("[]")
    (suite / "split_tasks.json").write_text('{"base": ["a", "b"], "core": ["a"]}')
    known = controlled(pytester, "--tau-domain=ours,retail_long")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    facts = dict(known.about.facts())
    assert facts["suites"] == "ours (of this project, split core: 1 of 2 tasks), retail_long (built in)"
    assert facts["domains"] == "mock"
    known = controlled(pytester, "--tau-domain=mock")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    facts = dict(known.about.facts())
    assert (facts["domains"], facts.get("suites")) == ("mock (built in)", None)


@pytest.mark.parametrize(
    ("args", "status", "stop", "why"),
    [
        (["--maxfail=1"], 1, {"failed": "stopping after 1 failures"}, "early by --maxfail=1"),
        (["--maxfail=1"], 2, {"stopped": "stopping after 1 failures"}, "early by --maxfail=1"),
        (["--maxfail=2"], 2, {"stopped": "another plugin"}, "early (another plugin)"),
        ([], 2, {"stopped": "Test failed, continuing"}, "early (Test failed, continuing)"),
        ([], 2, {}, "early by an interrupt"),
        ([], 3, {}, "early by an internal error"),
    ],
)
def test_a_run_says_what_ended_it_early(
    pytester: pytest.Pytester, args: list[str], status: int, stop: dict[str, str], why: str
) -> None:
    known = controlled(pytester, *args)
    known.plan([PASSED.nodeid, MISSED.nodeid])
    known.receive(report(MISSED.nodeid, MISSED, outcome="failed"))
    finished(known, status, **stop)  # type: ignore[arg-type]
    assert dict(known.about.facts())["ended"] == f"{why} after 1 of 2 trials"
    noted = load_manifest(pytester.path / ".tau/latest")
    assert noted.about["ended"] == f"{why} after 1 of 2 trials"
    assert "ended" not in noted.as_resumed(1).about


def test_a_run_that_came_to_its_end_says_nothing_of_it(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--maxfail=1")
    known.plan([MISSED.nodeid])
    known.receive(report(MISSED.nodeid, MISSED, outcome="failed"))
    finished(known, 1, failed="stopping after 1 failures")
    assert "ended" not in dict(known.about.facts())


def test_what_was_chosen_is_noted_for_the_reports(pytester: pytest.Pytester) -> None:
    chosen = ["--tau-data=public", "--tau-tasks=3", "--tau-agent=b=noop"]
    known = controlled(pytester, *chosen)
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    finished(known, OK)
    about = load_manifest(next((pytester.path / ".tau").glob("2*"))).about
    assert "evaluated" not in about  # somebody's own agent may ask a model
    assert about["agents"] == "Agent: mine:Agent, b: noop"
    assert (about["tasks"], about["parity"]) == ("the first 3", "on")


def test_several_numbers_are_ids_of_tasks(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--tau-tasks=1,2")
    known.plan([PASSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    finished(known, OK)
    assert load_manifest(next((pytester.path / ".tau").glob("2*"))).about["tasks"] == "1, 2"


def test_tasks_stand_in_the_order_of_the_suite_whichever_came_first(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    trials = [record(task) for task in "abc"]
    known.plan([trial.nodeid for trial in trials])
    for trial in reversed(trials):
        known.receive(report(trial.nodeid, trial))
    finished(known, OK)
    assert [task_id for _, task_id in known.totals.tasks] == ["a", "b", "c"]


def test_trials_that_never_reported_are_planned(pytester: pytest.Pytester) -> None:
    known = controlled(pytester, "--tau-gate=pass^1 >= 0.3")
    known.plan([f"tasks/mock/{task}.json::test_task[trial{trial}]" for task in ("a", "b") for trial in (1, 2)])
    known.receive(report(PASSED.nodeid, PASSED))
    assert finished(known, OK) == FAILED
    assert (known.totals.done(), known.totals.planned()) == (1, 4)
    assert set(known.totals.tasks) == {("mock", "a"), ("mock", "b")}


@pytest.mark.parametrize(
    ("outcome", "args", "before", "status"),
    [
        (Outcome.PASSED, (), OK, OK),
        (Outcome.MISSED, (), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-miss-as=xfail",), OK, FAILED),  # a miss is one, however pytest counts it
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), FAILED, OK),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0", "--tau-miss-as=xfail"), OK, OK),
        (Outcome.MISSED, ("--tau-gate=pass^1 > 0",), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0", "--collect-only"), FAILED, FAILED),
        (Outcome.UNGRADED, (), OK, OK),
        (Outcome.INFRA_ERROR, (), FAILED, FAILED),
        (Outcome.ERROR, (), FAILED, FAILED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERRUPTED),
        (Outcome.MISSED, ("--tau-gate=pass^1 >= 0",), pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.INTERNAL_ERROR),
    ],
)
def test_the_exit_status(
    pytester: pytest.Pytester, outcome: Outcome, args: tuple[str, ...], before: int, status: int
) -> None:
    known = controlled(pytester, *args)
    trial = record("a", 1, outcome)
    known.plan([trial.nodeid])
    known.receive(report(trial.nodeid, trial))
    assert finished(known, before) == status


def test_a_run_that_selected_nothing_collected_nothing(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([])
    assert finished(known, NONE) == NONE
    assert not (pytester.path / ".tau").exists()


def test_a_failure_that_is_no_miss_and_a_run_that_was_stopped_hold_no_gate(pytester: pytest.Pytester) -> None:
    for options in ({"only_misses": False}, {"stopped": "stopping after 1 failures"}):
        known = controlled(pytester, "--tau-gate=pass^1 >= 0")
        known.plan([PASSED.nodeid])
        known.receive(report(PASSED.nodeid, PASSED))
        assert finished(known, OK, **options) == FAILED


def test_what_was_not_run_is_no_success(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    known.plan([PASSED.nodeid, MISSED.nodeid])
    known.receive(report(PASSED.nodeid, PASSED))
    known.totals.not_run["the budget of 5 USD is used up"] += 1
    assert finished(known, OK) == FAILED


def test_a_worker_that_took_a_trial_down_costs_that_trial(pytester: pytest.Pytester) -> None:
    known = controlled(pytester)
    nodeid = "tau/mock/count_my_tasks.json::test_task[trial1]"
    known.plan([nodeid])
    crashed = report(nodeid, when="???", outcome="failed")
    crashed.node = SimpleNamespace(gateway=SimpleNamespace(id="gw0"), workerinput={})
    assert known.receive(crashed) == "infra_error"
    assert known.totals.outcomes() == {"infra_error": 1}
    assert known.receive(crashed) == "infra_error"  # some ways of --dist give it to the next worker, and the next
    assert known.totals.outcomes() == {"infra_error": 1}
    other = report("test_it.py::test_it[a-trial1]", when="???", outcome="failed")
    other.node = crashed.node
    assert known.receive(other) is None  # some other project's parameter


def test_a_resumed_run_counts_what_was_done_once(pytester: pytest.Pytester) -> None:
    first = controlled(pytester)
    first.plan([PASSED.nodeid, MISSED.nodeid])
    for trial in (PASSED, MISSED):
        first.receive(report(trial.nodeid, trial))
    finished(first, FAILED)
    run = Run(pytester.parseconfig(AGENT, "--tau-resume"))
    run.done = frozenset([PASSED.nodeid, MISSED.nodeid])
    run.__dict__["folder"] = (pytester.path / ".tau/latest").resolve()
    again = Controller(run)
    again.plan([])
    again.plan([])
    assert again.totals.outcomes() == {"passed": 1, "missed": 1}
    assert finished(again, NONE) == FAILED  # there is a miss, and no test ran


def test_a_folder_that_cannot_be_is_told_before_any_trial(pytester: pytest.Pytester) -> None:
    pytester.makefile(".txt", file="not a folder")
    known = controlled(pytester, "--tau-results=file.txt/below")
    with pytest.raises(pytest.UsageError, match=r"below: results cannot be kept there \(.*\); see --tau-results$"):
        known.open_journal()
