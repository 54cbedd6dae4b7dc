"""A player that nothing interrupts, and one that lets no other thread run: each ends the process, and says so."""

import signal

import pytest

from pytest_tau import load_journal
from tests.plugin.inner import apart
from tests.plugin.playing.hanging import SOON

NEVER = """
import os
import re
import signal
import threading


class Base:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id == "complete_a_task":
            self.hang()
        return "Goodbye."


class Deaf(Base):
    def hang(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        threading.Event().wait(120)


class Catches(Base):
    def hang(self):
        while True:
            try:
                threading.Event().wait(120)
            except BaseException:
                pass


class KeepsAllThreads(Base):
    def hang(self):
        re.match("(a+)+$", "a" * 60 + "b")
"""
ENDS = SOON + "r.DEAF = 1.0\nimport pytest_tau.plugin.playing.heartbeat as h\nh.BEAT, h.PATIENCE = 0.1, 0.5\n"


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["Deaf", "Catches"])
def test_a_player_that_nothing_interrupts_ends_the_run_with_all_that_is_finished(
    pytester: pytest.Pytester, agent: str
) -> None:
    pytester.makepyfile(agents=NEVER)
    pytester.makeconftest(ENDS)
    args = ("--tau-domain=mock", "--tau-agent=agents:" + agent, "--tau-timeout=1", "--tau-concurrency=1")
    result = apart(pytester, *args)
    assert result.ret == 1
    result.stderr.fnmatch_lines(["*the agent was still answering * nothing interrupts it*--tau-resume"])
    ended = {one.task_id: one.outcome.value for one in load_journal(pytester.path / ".tau")}
    assert ended["complete_a_task"] == "infra_error"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer of processor time")
def test_code_that_lets_no_other_thread_run_ends_the_process(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=NEVER)
    pytester.makeconftest(ENDS)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=agents:KeepsAllThreads", "--tau-timeout=1")
    assert result.ret == -signal.SIGPROF
    result.stderr.fnmatch_lines(["*most recent call first*", "*agents.py*"])
