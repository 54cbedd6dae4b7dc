"""A run that is interrupted or told to end says what is kept, and how it goes on."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.reporting import terminating
from pytest_tau.plugin.reporting.terminating import Terminating
from tests.journal.written import spooled
from tests.plugin.inner import apart, journal, mock_run

WAITS = """
import os
import threading

def make(context):
    def reply(messages):
        while context.task_id != "add_a_task" and not os.path.exists("never"):
            threading.Event().wait(0.05)
        return "Goodbye."
    return reply
"""


main_thread = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals need the main thread"
)


def _heed_interrupts() -> None:
    """A job in the background of a script ignores SIGINT, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_run_ends_with_what_was_done(pytester: pytest.Pytester, number: signal.Signals, workers: str) -> None:
    pytester.makepyfile(agents=WAITS)
    options = ("--tau-domain=mock", "--tau-tasks=3", "--tau-progress=1", "--tau-concurrency=1")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", workers, *options, "--tau-agent=agents:make"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=pytester.path,
        env={**os.environ, "PYTHONPATH": str(pytester.path)},
        start_new_session=True,
        preexec_fn=_heed_interrupts,
    ) as run:
        assert run.stdout is not None
        lines = iter(run.stdout.readline, "")
        next(line for line in lines if "tau: 1/3 trials" in line)
        if number is signal.SIGINT:
            os.killpg(run.pid, number)  # as a terminal does
        else:
            run.send_signal(number)
        rest = list(lines)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    [told] = [line for line in rest if line.startswith("Interrupted: ")]
    assert told.startswith("Interrupted: 1 of 3 trials are kept in ")
    assert "The same command with --tau-resume plays the other 2 trials" in told
    assert any(line.startswith("| mock ") for line in rest)


INTERRUPTS = """
from pathlib import Path
from threading import Event

def pytest_runtest_logreport(report):
    if report.when == "call":
        for _ in range(3000):
            if sum(file.read_bytes().count(b'"outcome"') for file in Path(".tau/latest").glob("spool-*")) >= 5:
                break
            Event().wait(0.02)
        raise KeyboardInterrupt
"""

TOLD = """
def pytest_tau_trial_finished(trial):
    with open("told.txt", "a") as file:
        print(trial.nodeid, file=file)
"""


def test_what_has_been_played_and_not_reported_is_kept_and_told_as_well(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(INTERRUPTS + TOLD)
    pytester.makepyfile(agents="def make(context):\n    return lambda messages: 'Goodbye.'")
    options = ("--tau-domain=mock", "--tau-tasks=3", "--tau-agent=agents:make")
    run = pytester.runpytest(*options, no_reraise_ctrlc=True)
    assert run.ret == pytest.ExitCode.INTERRUPTED
    run.stdout.fnmatch_lines(["Interrupted: 3 of 3 trials are kept in *with --tau-resume goes on with them;*"])
    assert len((pytester.path / "told.txt").read_text(encoding="utf-8").splitlines()) == 3


def test_what_a_killed_run_had_played_is_told_when_it_is_resumed(pytester: pytest.Pytester) -> None:
    options = ("--tau-tasks=2", "--tau-k=2")
    mock_run(pytester, *options)
    trials = journal(pytester.path)
    file = (pytester.path / ".tau/latest/journal.jsonl").resolve()
    file.unlink()
    spooled(file.parent, "main", *trials)
    pytester.makeconftest(TOLD)
    mock_run(pytester, *options, "--tau-resume")
    told = (pytester.path / "told.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(told) == sorted(trial.nodeid for trial in trials)
    mock_run(pytester, *options, "--tau-resume")
    assert (pytester.path / "told.txt").read_text(encoding="utf-8").splitlines() == told


def test_an_infra_error_before_an_interrupt_is_played_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        agents="""
        ERRORS = iter([ConnectionError("reset"), KeyboardInterrupt()])

        def make(context):
            def reply(messages):
                raise next(ERRORS)

            return reply
        """
    )
    options = ("--tau-domain=mock", "--tau-tasks=3", "--tau-agent=agents:make", "--tau-concurrency=1")
    run = pytester.runpytest(*options, no_reraise_ctrlc=True)
    assert run.ret == pytest.ExitCode.INTERRUPTED
    said = "Interrupted: 1 of 3 trials are kept in *plays the other 2 trials, and 1 again that ended in an error *"
    run.stdout.fnmatch_lines([said])


HIDES = """
import signal
import pytest

def test_deals_with_it():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)

def test_hides_it():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise SystemError("returned a result with an exception set")
"""


@main_thread
@pytest.mark.parametrize("called", ["", "test_hides_it()"])
def test_an_interrupt_that_c_code_made_another_exception_of_is_one(pytester: pytest.Pytester, called: str) -> None:
    pytester.makepyfile(test_it=HIDES + called)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run = pytester.runpytest("test_it.py", "tau/mock", no_reraise_ctrlc=True)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.ret == pytest.ExitCode.INTERRUPTED
    run.stdout.fnmatch_lines(["*! KeyboardInterrupt !*"])
    run.stdout.no_fnmatch_line("*SystemError*")
    if not called:  # as the file is collected
        run.assert_outcomes(passed=1)
        run.stdout.fnmatch_lines(["Interrupted before any of 6 trials was over: nothing is kept."])


def test_an_error_in_collection_is_no_interrupt(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="1 / 0")
    for args in (["test_it.py", "--tau-domain=mock"], ["test_it.py", "--tau-k=1"]):
        run = pytester.runpytest(*args)
        assert run.ret == pytest.ExitCode.INTERRUPTED
        assert "nterrupted before" not in run.stdout.str() + run.stderr.str()


def configured() -> tuple[Any, list[Any]]:
    cleanups: list[Any] = []
    return SimpleNamespace(config=SimpleNamespace(add_cleanup=cleanups.append)), cleanups


@main_thread
def test_the_first_signal_is_an_interrupt_its_echo_is_none_and_a_later_one_ends_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, killed = [10.0], list[tuple[int, int]]()
    monkeypatch.setattr(terminating, "monotonic", lambda: now[0])
    monkeypatch.setattr(os, "kill", lambda *told: killed.append(told))
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        run, cleanups = configured()
        Terminating(run)
        with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
            signal.raise_signal(signal.SIGTERM)
        now[0] = 11.0  # timeout(1) tells the process, and then its group
        signal.raise_signal(signal.SIGTERM)
        assert (killed, len(cleanups)) == ([], 1)
        now[0] = 13.0
        signal.raise_signal(signal.SIGTERM)
        assert killed == [(os.getpid(), signal.SIGTERM)]
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_handler_of_somebody_else_stays() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        run, cleanups = configured()
        Terminating(run)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        assert cleanups == []
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
@pytest.mark.parametrize("presses", [2, 3])
def test_a_second_interrupt_does_not_cut_off_what_is_written(pytester: pytest.Pytester, presses: int) -> None:
    pytester.makepyfile(agents=WAITS)
    pytester.makeconftest(
        # While the first one is being answered, as often as a person presses.
        "import signal\n\n\ndef pytest_keyboard_interrupt():\n"
        f"    for _ in range({presses - 1}):\n        signal.raise_signal(signal.SIGINT)\n"
    )
    options = ("--tau-domain=mock", "--tau-tasks=3", "--tau-progress=1", "--tau-concurrency=1")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, "--tau-agent=agents:make"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=pytester.path,
        env={**os.environ, "PYTHONPATH": str(pytester.path)},
        preexec_fn=_heed_interrupts,
    ) as run:
        assert run.stdout is not None
        lines = iter(run.stdout.readline, "")
        next(line for line in lines if "tau: 1/3 trials" in line)
        run.send_signal(signal.SIGINT)
        rest = list(lines)
    assert not any("Traceback" in line for line in rest)
    said = [line for line in rest if line.startswith("pytest-tau: the run was interrupted and ")]
    assert said[0].endswith("it is coming to its end; once more ends it at once\n")
    if presses == 3:
        assert (run.returncode, said[1].endswith("it ends at once\n")) == (130, True)
    else:
        assert run.returncode == pytest.ExitCode.INTERRUPTED
        assert any(line.startswith("Interrupted: 1 of 3 trials are kept in ") for line in rest)


def test_a_run_that_is_told_to_end_at_its_end_comes_to_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import signal

        def pytest_sessionfinish():
            signal.raise_signal(signal.SIGTERM)
        """
    )
    run = apart(pytester, "--tau-domain=mock", "--tau-tasks=1")
    assert run.ret == pytest.ExitCode.OK
    run.stdout.fnmatch_lines(["| mock *"])
    said = "pytest-tau: the run was interrupted and it is coming to its end; once more ends it at once"
    assert [line for line in run.errlines if line] == [said]
