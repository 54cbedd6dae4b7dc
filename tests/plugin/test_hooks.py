"""What a tau run does at pytest's hooks, and that a session in which nothing is asked for is left alone."""

from typing import Any

import pytest

from pytest_tau.plugin import hooks
from pytest_tau.plugin.run import run_of
from pytest_tau.plugin.worker_messages import ToWorker
from tests.builders import core
from tests.plugin.inner import make_shop, workers
from tests.plugin.parts import collect, configure, mock_play

TASK = f"--tau-tasks={core('mock')[0].id}"


def above(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The lines above the tests."""
    return collect(pytester, *args).above


def test_options_that_leave_nothing_to_play_say_what_to_do(pytester: pytest.Pytester) -> None:
    assert above(pytester, "--tau-k=2") == [
        "tau: no task was collected: name a domain with --tau-domain, or mark tests with @pytest.mark.tau"
    ]
    assert above(pytester) == []
    mock_play(pytester, TASK)
    assert above(pytester, "--tau-k=2", "--tau-resume") == []  # which may have nothing left to play


def test_a_suite_of_which_nothing_is_left_is_not_asked_for(pytester: pytest.Pytester) -> None:
    left_out = "tau: no task was collected that fits: -k, -m, --deselect or --tau-shard left out 1 test"
    result = pytester.runpytest("--tau-domain=mock", TASK, "-k", "nothing_of_it")
    assert [line for line in result.outlines if line.startswith("tau: no task")] == [left_out]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ("--tau-domain=mock", "-k", "nothing_of_it"),
            "*that fits: -k, -m, --deselect or --tau-shard left out every test",
        ),
        (("--tau-k=2",), "tau: no task was collected: name a domain with --tau-domain, or mark tests with *"),
    ],
)
def test_workers_that_are_left_with_nothing_say_so_once(
    pytester: pytest.Pytester, args: tuple[str, ...], said: str
) -> None:
    result = workers(pytester, *args, number=2)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    told = [line for line in result.outlines if line.startswith("tau: no task")]
    assert len(told) == 1
    result.stdout.fnmatch_lines([said])


def test_a_domain_that_was_named_is_not_asked_for(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-domain=mock", "no_such_file")
    assert not [line for line in result.outlines if line.startswith("tau: no task")]
    result.stderr.fnmatch_lines(["ERROR: file or directory not found: no_such_file"])


def test_a_worker_leaves_it_to_the_process_that_prints(pytester: pytest.Pytester) -> None:
    config = configure(pytester, "--tau-k=2")
    run_of(config).told = ToWorker()
    assert hooks.pytest_report_collectionfinish(config, []) == []


def test_other_tests_are_no_reason_to_say_anything(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_mine(): pass")
    assert above(pytester, "--tau-k=2") == []


def test_what_is_only_listed_is_not_told_how_it_would_be_played(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", TASK, "--tau-concurrency=3")
    *header, concurrency = above(pytester, *args)
    assert header[0].startswith("tau: mock (built in); k 1; ")
    assert concurrency == "tau: 3 conversations at once"
    assert above(pytester, *args, "--collect-only") == header


def test_json_is_collected_only_where_it_is_asked_for(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    (pytester.path / "tasks/shop/notes.json").write_text("{")  # of another tool
    pytester.makepyfile("def test_mine(): pass")
    assert [item.name for item in collect(pytester).items] == ["test_mine"]
    asked = collect(pytester, "tasks/shop/sell_one.json").items
    assert [item.nodeid for item in asked] == ["tasks/shop/sell_one.json::test_task[trial1]"]


@pytest.mark.parametrize(("args", "made"), [((), False), (("--tau-domain=mock",), True), (("--tau-k=2",), True)])
def test_a_scheduler_is_made_for_a_tau_run_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], made: bool
) -> None:
    monkeypatch.setattr("pytest_tau.plugin.workers.scheduling.scheduler", lambda run, log: "ours")
    assert hooks.pytest_xdist_make_scheduler(configure(pytester, *args), None) == ("ours" if made else None)


@pytest.mark.parametrize(
    ("args", "opened"),
    [((), False), (("--tau-domain=mock",), True), (("--tau-resume",), True), (("--tau-domain=mock", "--co"), False)],
)
def test_the_journal_is_opened_before_a_run_that_will_have_results(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], opened: bool
) -> None:
    class Journal:
        is_open = False

        def open_journal(self) -> None:
            self.is_open = True

    journal = Journal()
    if "--tau-resume" in args:
        mock_play(pytester, TASK)
    monkeypatch.setattr("pytest_tau.plugin.reporting.receiver.controller_of", lambda run: journal)
    session: Any = pytest.Session.from_config(configure(pytester, *args))
    hooks.pytest_runtestloop(session)
    assert journal.is_open == opened
    journal.is_open = False
    run_of(session.config).told = ToWorker()
    hooks.pytest_runtestloop(session)
    assert not journal.is_open


def test_what_was_opened_is_closed_with_the_session(pytester: pytest.Pytester) -> None:
    session = pytest.Session.from_config(configure(pytester))
    closed: list[int] = []
    for number in (1, 2):
        run_of(session.config).ending.callback(closed.append, number)
    hooks.pytest_sessionfinish(session)
    assert closed == [2, 1]
