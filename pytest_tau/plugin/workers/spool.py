"""Keeps each trial the moment its conversation ends, whatever becomes of its test, its process or the run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import RecordingError, reason
from ...files import append_whole
from ...journal import FILE_NAME, Spool, has_spools, orphan, orphans, read_open, read_spool
from ...journal.rescue import rescue
from ..run import Run
from .hosts import HERE, host_of

if TYPE_CHECKING:
    from ...journal import Spooled

_TRIAL = re.compile(r"trial\d+\]$")
_FILE = re.compile(r"\.jsonl?::")


class TrialSpool:
    """The spool of this process, and those of workers that died."""

    def __init__(self, run: Run) -> None:
        self._folder = run.folder
        if run.told is not None and (host := run.told.host_folder) is not None:
            with suppress(OSError):  # as below
                host.mkdir(mode=0o700, exist_ok=True)  # conversations, where others have accounts
        self._file = Spool(self._folder, run.told.worker if run.told is not None else "main")
        self._resumed = run.settings.resume
        self._has_others = run.is_worker or self._resumed
        self._orphans: dict[Path, Spooled] = {}
        self._closed = False
        self._problem: str | None = None
        self._rescued: Path | None = None
        self._lock = Lock()

    def begin(self, nodeid: str, crashed: str) -> str | None:
        """Note that a trial begins: one of those that had begun when a worker died is what it died of.

        Returns why nothing can be written down at the moment, None where it can.

        Args:
            nodeid: its test's.
            crashed: its line of the journal should this process die of it.
        """
        self._write(lambda text: self._file.begin(text, crashed), nodeid)
        return self._problem

    def drop(self, nodeid: str) -> None:
        """Note that a trial ended without a result."""
        self._write(self._file.drop, nodeid)

    def keep(self, line: str) -> None:
        """Write a trial down, as its line of the journal."""
        self._write(self._file.append, line)

    def close(self) -> None:
        """Close the file; what is still being played is not kept."""
        with self._lock:
            self._closed = True
            with suppress(OSError):
                if self._file.unwritten:
                    self._file.flush()
                if self._rescued is not None:
                    shutil.rmtree(self._rescued.parent)
            self._file.close()

    def open(self) -> None:
        """Make the file."""
        self._write(lambda _: self._file.open(), "")

    def remove(self) -> None:
        """Remove the file."""
        self.close()
        self._file.path.unlink(missing_ok=True)

    def _write(self, write: Callable[[str], None], text: str) -> None:
        with self._lock:  # trials end in threads of their own
            if self._closed:
                return
            try:
                write(text)
            except OSError as error:
                self._problem = f"{self._file.path.parent}: {reason(error)}"
                self._rescue(text)
            else:
                self._problem = None  # what could not be written before went first

    def _rescue(self, text: str) -> None:
        """Keep a line that finds no room where --tau-resume looks for it: a kill would take it along."""
        if text.startswith("{"):  # a conversation
            with suppress(OSError):
                if self._rescued is None:
                    self._rescued = rescue(self._folder, (), ())
                with self._rescued.open("ab", buffering=0) as file:
                    append_whole(file, text.encode() + b"\n")

    def recover(self, nodeid: str) -> str | None:
        """The line of a trial that an earlier process left: a worker that died, or the run that is resumed."""
        return _conversation(self._spools_left(), nodeid)

    def suspects(self) -> frozenset[str]:
        """Trials that a worker was playing when it died: one of them may have killed it."""
        return frozenset().union(*(orphan.unfinished for orphan in self._spools_left()))

    def _spools_left(self) -> Iterable[Spooled]:
        """What workers left behind that died, and of the run that is resumed what waits for its test."""
        if not self._has_others:
            return ()

        with self._lock:  # trials look at it in threads of their own
            for file in orphans(self._folder):
                if file not in self._orphans:
                    self._orphans[file] = read_spool(file)
            journal = self._folder / FILE_NAME
            if self._resumed and journal not in self._orphans:
                self._orphans[journal] = read_open(journal)
            return list(self._orphans.values())


def _conversation(spools: Iterable[Spooled], nodeid: str) -> str | None:
    """The line of a trial that stands in one of these: its grade, if it has one; and of several the last."""
    left = [one for one in spools if nodeid in one.finished or nodeid in one.played]
    return max(reversed(left), key=lambda one: nodeid in one.finished).conversation(nodeid) if left else None


def conversation_left(run: Run, nodeid: str) -> str | None:
    """The line of a conversation that a worker left that died, or the run that is resumed; None without one."""
    try:
        before = [read_open(run.folder / FILE_NAME)] if run.settings.resume else []
        return _conversation([*before, *map(read_spool, orphans(run.folder))], nodeid)
    except (OSError, RecordingError):
        return None


def spool(run: Run) -> TrialSpool:
    """The spool of this process."""
    return run.one(_spool)


def _spool(run: Run) -> TrialSpool:
    made = TrialSpool(run)
    run.ending.callback(_leave, run, made)
    return made


def has_trials(run: Run, node: Any, nodeids: Iterable[str]) -> bool:
    """Whether there are trials of ours among the tests that a worker has collected.

    JSON files are collected by nobody else. A test in Python may have a parameter ``trial1`` of its own: the worker has
    opened its spool if it has trials, which can be seen on this machine and where results can be kept.
    """
    like = [nodeid for nodeid in nodeids if _TRIAL.search(nodeid)]
    if any(_FILE.search(nodeid) for nodeid in like):
        return True
    elsewhere = host_of(str(node.gateway.spec)) != HERE
    return bool(like) and (run.is_asked or elsewhere or has_spools(run.folder) or not _can_be_kept(run.results))


def _can_be_kept(results: Path) -> bool:
    there = next(folder for folder in (results, *results.parents) if folder.exists())
    return os.access(there, os.W_OK)


def arrive(run: Run) -> None:
    """On another machine: claim the folder before anybody else can come to the end and remove it."""
    if run.settings.limits_calls and (run.settings.given or run.settings.domain):
        spool(run).open()


def _leave(run: Run, kept: TrialSpool) -> None:
    """Close the spool; on another machine, remove what this worker wrote, when all of it has been reported.

    The last one removes the folder. What a worker leaves that died, or whose run was stopped, stays there: nobody else
    has it.
    """
    kept.close()
    folder, session = run.told.host_folder if run.told is not None else None, run.session
    reported = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if folder is None or not reported or session.shouldfail or session.shouldstop:
        return
    kept.remove()
    if not any(folder.glob("*/*")):
        shutil.rmtree(folder, ignore_errors=True)


def leave_to_others(run: Run, node: Any) -> None:
    """Let the other workers find what a worker left that died."""
    try:
        orphan(run.folder, node.gateway.id)
    except OSError:
        return  # its trials are played again


def left_by(run: Run, node: Any) -> Spooled | None:
    """What a worker left that died; None where nobody can read it."""
    try:
        for file in orphans(run.folder):
            if f"-{node.gateway.id}." in file.name:
                return read_spool(file)
    except (OSError, RecordingError):
        return None
    return None
