"""What players leave behind in the process: forks of it, a low limit of recursion, open files without end."""

import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.conversation.factories import import_factory
from pytest_tau.plugin.playing import leftovers
from tests.plugin.inner import apart, outcomes

FORKS = """
import os, sys, time


class Agent:
    def __init__(self, context):
        self.task = context.task_id

    def reply(self, messages):
        if self.task == "complete_a_task":
            sys.setrecursionlimit(80)
        elif self.task == "count_my_tasks":
            return self.later()
        elif (pid := os.fork()):  # both go on from here
            open("forked", "a").write(f"{pid} ")
        elif self.task == "delete_a_task":
            time.sleep(1000)
        return "Goodbye."

    async def later(self):
        if (pid := os.fork()):
            open("forked", "a").write(f"{pid} ")
        return "Goodbye."
"""
OPENS = """
KEPT = []


def agent(context):
    def reply(messages):
        try:
            while True:
                KEPT.append(open("/dev/null"))
        except OSError:
            return "Goodbye."
    return reply
"""


def is_alive(pid: str) -> bool:
    """Whether a process is there, and not over with nobody having asked how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which children a process has")
def test_forks_of_the_process_end_and_the_limit_of_recursion_is_put_back(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=FORKS)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=agents:Agent")
    assert set(outcomes(pytester.path).values()) == {"missed"}
    assert "INTERNALERROR" not in result.stdout.str()
    result.stdout.fnmatch_lines(["tau: ended 1 fork of this process, which players had left behind"])
    forked = (pytester.path / "forked").read_text(encoding="ascii").split()
    assert len(forked) >= 3
    assert not [pid for pid in forked if is_alive(pid)]


@pytest.mark.slow  # a process of its own
def test_a_run_whose_files_are_all_taken_ends_in_a_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=OPENS)
    command = f"ulimit -n 300 && exec {sys.executable} -m pytest --tau-domain=mock --tau-agent=agents:agent"
    result = pytester.run("sh", "-c", command)
    text = result.stdout.str() + result.stderr.str()
    assert (result.ret, "INTERNALERROR" in text) == (2, False)
    result.stdout.fnmatch_lines(["*keeps so many files open that none can be opened any more: have it close*"])
    assert set(outcomes(pytester.path).values()) <= {"missed", "infra_error"}


def test_threads_of_players_do_not_keep_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run: Any = SimpleNamespace(ending=ExitStack())
    told: list[tuple[Any, ...]] = []
    monkeypatch.setattr(leftovers, "ends_without", lambda *said: told.append(said))
    leftovers.Leftovers(run).close()
    assert told == []
    left, release = leftovers.Leftovers(run), threading.Event()
    thread = threading.Thread(target=release.wait, daemon=False)
    thread.start()
    try:
        left.close()
    finally:
        release.set()
        thread.join()
    assert told == [(run, "an agent, or another player, has left a thread behind", 30.0)]
    run.ending.close()


def test_a_current_folder_that_was_removed_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert callable(import_factory("json:JSONDecoder", "agent"))
    with ExitStack() as ending:
        run: Any = SimpleNamespace(ending=ending, here=tmp_path)
        leftovers.Leftovers(run).look()
        assert Path.cwd() == tmp_path
