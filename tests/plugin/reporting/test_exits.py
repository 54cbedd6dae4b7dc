"""Code under test that ends the process, the session or its thread: the run never looks green, and no gate holds."""

import ctypes
import os

import pytest

from tests.plugin.inner import apart, journal, workers
from tests.plugin.parts import mock_play

AGENTS = """
import atexit, ctypes, os, posix, sys, threading
import pytest


class Polite:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id == "count_my_tasks":
            self.leave()
        return "Goodbye."


class Exits(Polite):
    def leave(self):
        os._exit(0)


class ExitsBelow(Polite):
    def leave(self):
        posix._exit(status=0)


class Executes(Polite):
    def leave(self):
        os.execvp("true", ["true"])


class ExitsInAThread(Polite):
    def leave(self):
        threading.Thread(target=os._exit, args=(0,)).start()
        threading.Event().wait()


class ExitsAtTheEnd(Polite):
    def leave(self):
        atexit.register(os._exit, 0)


class ForksAndExits(Polite):
    def leave(self):
        if child := os.fork():
            os.waitpid(child, 0)
        else:
            os._exit(0)


class ExitsInC(Polite):
    def leave(self):
        for name in ("_exit", "exit", "quick_exit", "Py_Exit"):
            try:
                getattr(ctypes.pythonapi, name)(0)
            except PermissionError as refused:
                sentence = refused
        raise sentence


class EndsTheSession(Polite):
    def leave(self):
        pytest.exit("enough", returncode=0)


class EndsTheThread(Polite):
    def leave(self):
        sys.exit(0)
"""
ENDED = "*something in this run called os.*it ends with status 1. What is finished is kept: go on with --tau-resume"


@pytest.mark.parametrize(
    "agent",
    [
        "Exits",
        pytest.param("ExitsBelow", marks=pytest.mark.slow),
        pytest.param("Executes", marks=pytest.mark.slow),
        pytest.param("ExitsInAThread", marks=pytest.mark.slow),
    ],
)
def test_a_process_that_an_agent_ends_is_no_success(pytester: pytest.Pytester, agent: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = apart(pytester, "--tau-domain=mock", f"--tau-agent=agents:{agent}", "--tau-gate", "pass^1 >= 0")
    assert result.ret == 1
    result.stderr.fnmatch_lines([ENDED])


def test_a_process_that_an_agent_ends_as_a_failure_says_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS.replace("os._exit(0)", "os._exit(7)"))
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=agents:Exits")
    assert result.ret == 7
    result.stderr.fnmatch_lines([ENDED.replace("status 1", "status 7")])


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["ExitsAtTheEnd", "ForksAndExits"])
def test_a_run_that_failed_stays_failed(pytester: pytest.Pytester, agent: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = apart(pytester, "--tau-domain=mock", f"--tau-agent=agents:{agent}")
    assert result.ret == 1
    result.assert_outcomes(failed=6)


@pytest.mark.parametrize("agent", ["EndsTheSession", "EndsTheThread"])
def test_who_plays_does_not_end_the_session(pytester: pytest.Pytester, agent: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_play(pytester, f"--tau-agent=agents:{agent}", "--tau-tasks=count_my_tasks,add_a_task")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert {record.task_id: record.outcome.value for record in journal(pytester.path)}["count_my_tasks"] == "error"


def test_ctypes_gives_out_no_function_that_ends_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=agents:ExitsInC", "--tau-gate", "pass^1 >= 0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*PermissionError: ctypes does not give out Py_Exit() while a tau run is on*"])


LEAVES = """
import pytest

@pytest.fixture(autouse=True)
def leave(request):
    if "count_my_tasks" in request.node.nodeid:
        pytest.exit("enough", returncode=0)
"""


@pytest.mark.parametrize("gates", [(), ("--tau-gate", "pass^1 >= 0", "--tau-agent=noop")])
def test_a_session_that_ends_before_its_trials_is_no_success(pytester: pytest.Pytester, gates: tuple[str, ...]) -> None:
    pytester.makeconftest(LEAVES)
    result = pytester.runpytest("--tau-domain=mock", *gates)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["ended early by an interrupt after 2 of 6 trials"])
    if gates:
        result.stdout.fnmatch_lines(["*pass^1 >= 0*the run was interrupted*"])


@pytest.mark.slow
def test_nor_with_workers(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(LEAVES)
    result = workers(pytester, "--tau-domain=mock")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*pytest.exit() was called: enough*"])
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


def test_afterwards_the_functions_are_pythons_own(pytester: pytest.Pytester) -> None:
    before = (os._exit, os.execv)
    mock_play(pytester, "--tau-agent=noop")
    assert (os._exit, os.execv) == before
    assert ctypes.pythonapi.Py_Exit
