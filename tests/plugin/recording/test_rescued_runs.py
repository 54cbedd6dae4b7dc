"""A results folder that is removed or full while trials are played: no verdict is lost, and none is paid for again."""

import csv
import errno
import os
from pathlib import Path
from typing import IO

import pytest

from pytest_tau.journal import JournalWriter
from tests.plugin.inner import apart, journal, mock_run

REMOVES = """
import shutil


class Removes:
    def __init__(self, context):
        with open("played.txt", "a") as file:
            print(context.task_id, file=file)
        if context.task_id == "complete_a_task":
            shutil.rmtree(".tau", ignore_errors=True)

    def reply(self, messages):
        return "Goodbye."
"""


@pytest.mark.usefixtures("temporary")
def test_what_could_not_be_written_is_put_back(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=REMOVES)
    tasks = "--tau-tasks=complete_a_task,count_my_tasks"
    options = ("--tau-agent=agents:Removes", tasks, "--tau-concurrency=1")
    result = mock_run(pytester, *options)
    result.stdout.fnmatch_lines(["*What it lacks (1 line) is in *; the same command with --tau-resume puts it back."])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    again = mock_run(pytester, *options, "--tau-resume")
    again.stdout.fnmatch_lines(["tau: going on with *: 1 trial*done*"])
    assert {record.task_id for record in journal(pytester.path)} == {"complete_a_task", "count_my_tasks"}
    assert (pytester.path / "played.txt").read_text(encoding="utf-8").split() == ["complete_a_task", "count_my_tasks"]


@pytest.mark.usefixtures("temporary")
def test_files_have_what_found_no_room_in_the_journal(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = JournalWriter._write

    def full_after_one(writer: JournalWriter, file: IO[bytes], line: bytes) -> None:
        if file.tell():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(writer, file, line)

    monkeypatch.setattr(JournalWriter, "_write", full_after_one)
    options = ("--tau-tasks=complete_a_task,count_my_tasks", "--tau-concurrency=1", "--tau-export=csv:t.csv")
    mock_run(pytester, *options).stdout.fnmatch_lines(
        ["*What it lacks (1 line) is in *; the same command with --tau-resume*"]
    )
    with (pytester.path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert [row["task_id"] for row in csv.DictReader(file)] == ["complete_a_task", "count_my_tasks"]


DIES = """
import os
import signal
from pathlib import Path


class Dies:
    def __init__(self, context):
        with open("played.txt", "a") as file:
            print(context.task_id, file=file)

    def reply(self, messages):
        for spool in Path(".tau").glob("*/spool*"):  # nothing can be written to it, as on a full disk
            spool.unlink()
        return "Goodbye."

    def close(self):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_conversation_that_finds_no_room_outlives_a_kill(pytester: pytest.Pytester, temporary: Path) -> None:
    pytester.makepyfile(agents=DIES)
    options = ("--tau-agent=agents:Dies", "--tau-tasks=complete_a_task")
    assert apart(pytester, "--tau-domain=mock", *options).ret == -9
    apart(pytester, "--tau-domain=mock", *options, "--tau-resume").assert_outcomes(failed=1)
    assert [record.task_id for record in journal(pytester.path)] == ["complete_a_task"]
    assert (pytester.path / "played.txt").read_text(encoding="utf-8").split() == ["complete_a_task"]
    assert not [*temporary.glob("pytest-tau-rescued-*")]
