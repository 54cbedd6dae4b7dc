"""``close()`` of an agent: after its conversation has been kept, and for ten seconds at most."""

import os

import pytest

from pytest_tau.conversation import watched
from pytest_tau.plugin.playing import guarding, lookahead
from tests.plugin.inner import apart, journal, mock_run

AGENTS = """
import os
import threading


class Blocks:
    def __init__(self, context):
        self.context = context
        with open("played.txt", "a") as file:
            print(context.task_id, file=file)

    def reply(self, messages):
        return "Goodbye."

    def close(self):
        if self.context.task_id == "complete_a_task":
            if "DIES" in os.environ:
                os.kill(os.getpid(), 9)
            threading.Event().wait(120)
"""
TWO = "--tau-tasks=complete_a_task,count_my_tasks"


@pytest.mark.parametrize("at_once", ["1", "2"])
def test_one_that_blocks_costs_no_verdict(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, at_once: str
) -> None:
    for module in (guarding, lookahead):
        monkeypatch.setattr(module, "LOOK", 0.01)
        monkeypatch.setattr(module, "PATIENCE", 0.02)
    monkeypatch.setattr(watched, "TO_CLOSE", 0.02)
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, "--tau-agent=agents:Blocks", TWO, f"--tau-concurrency={at_once}", "-Wdefault")
    assert {one.task_id: one.outcome.value for one in journal(pytester.path)} == {
        "complete_a_task": "missed",
        "count_my_tasks": "missed",
    }
    result.stdout.fnmatch_lines(["*close() of the agent had not returned after its time; the trial counts as it ended"])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals")
def test_one_that_dies_loses_no_conversation(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(agents=AGENTS)
    options = ("--tau-domain=mock", "--tau-agent=agents:Blocks", TWO, "--tau-concurrency=1")
    monkeypatch.setenv("DIES", "1")
    apart(pytester, *options)
    monkeypatch.delenv("DIES")
    again = apart(pytester, *options, "--tau-resume")
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert len(journal(pytester.path)) == 2
    assert (pytester.path / "played.txt").read_text(encoding="utf-8").split() == ["complete_a_task", "count_my_tasks"]
