"""Keeps each trial the moment its conversation ends, whatever becomes of its test, its process or the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest

from ...errors import reason
from ..settings.options import results_folder, settings
from ..settings.stash import RUN, SPOOL
from .hosts import host_folder

if TYPE_CHECKING:
    from ...journal import Spooled
    from ...schema.simulation import Simulation
    from ..collecting.collection import Slot
    from ..playing.running import Finished

_WORKER_KEY = "tau_run"


@dataclass(frozen=True)
class Recovered:
    """A trial that was played before; not ``graded``: something that follows the conversation is missing."""

    finished: Finished
    graded: bool

    def is_over(self, *, judge: bool) -> bool:
        """Whether there is nothing left to do, with or without a judge."""
        reward = self.finished.reward
        return self.graded and not (judge and reward is not None and reward.ungraded)


class TrialSpool:
    """The spool of this process, and those of workers that died."""

    def __init__(self, config: pytest.Config) -> None:
        from ...journal import Spool

        worker: dict[str, Any] = getattr(config, "workerinput", {})
        self._run = run_folder(config)
        if (host := host_folder(config)) is not None:
            with suppress(OSError):  # as below
                host.mkdir(mode=0o700, exist_ok=True)  # conversations, where others have accounts
        self._file = Spool(self._run, worker.get("workerid", "main"))
        self._resumed = settings(config).resume
        self._has_others = bool(worker) or self._resumed
        self._orphans: dict[Path, Spooled] = {}
        self._closed = False
        self._problem: str | None = None
        self._lock = Lock()

    def begin(self, nodeid: str) -> None:
        """Note that a trial begins: one of those that had begun when a worker died is what it died of.

        Raises:
            NotRun: nothing can be written down at the moment, so nothing more is to be paid for.
        """
        from ..playing.outcomes import CANNOT_KEEP, NotRun

        self._write(self._file.begin, nodeid)
        if self._problem is not None:
            raise NotRun(f"{CANNOT_KEEP}: {self._problem}")

    def drop(self, nodeid: str) -> None:
        """Note that a trial ended without a result."""
        self._write(self._file.drop, nodeid)

    def keep(self, nodeid: str, slot: Slot, finished: Finished) -> None:
        """Write a trial down."""
        from .transport import record_line

        self._write(self._file.append, record_line(nodeid, slot, finished=finished))

    def close(self) -> None:
        """Close the file; what is still being played is not kept."""
        with self._lock:
            self._closed = True
            with suppress(OSError):
                if self._file.unwritten:
                    self._file.flush()
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
            else:
                self._problem = None  # what could not be written before went first

    def keep_conversation(self, nodeid: str, slot: Slot, simulation: Simulation) -> None:
        """Write a conversation down that is over, before anything is made of it."""
        from .transport import conversation_line

        self._write(self._file.append, conversation_line(nodeid, slot, simulation))

    def recovered(self, nodeid: str) -> Recovered | None:
        """The trial as an earlier process left it: a worker that died, or the run that is resumed; None: it did not."""
        from ...schema.record import TrialRecord
        from ..playing.running import Finished

        for left in self._left():
            if (line := left.conversation(nodeid)) is not None:
                record = TrialRecord.model_validate_json(line)
                if record.simulation is not None:
                    return Recovered(Finished(record.simulation, record.reward, record.fault), record.graded)
        return None

    def suspects(self) -> frozenset[str]:
        """Trials that a worker was playing when it died: one of them may have killed it."""
        return frozenset().union(*(orphan.unfinished for orphan in self._left()))

    def _left(self) -> Iterable[Spooled]:
        """What workers left behind that died, and of the run that is resumed what waits for its test."""
        if not self._has_others:
            return ()
        from ...journal import FILE_NAME, orphans, read_open, read_spool

        with self._lock:  # trials look at it in threads of their own
            for file in orphans(self._run):
                if file not in self._orphans:
                    self._orphans[file] = read_spool(file)
            journal = self._run / FILE_NAME
            if self._resumed and journal not in self._orphans:
                self._orphans[journal] = read_open(journal)
            return list(self._orphans.values())


def spool(config: pytest.Config) -> TrialSpool:
    """The spool of this process."""
    if SPOOL not in config.stash:
        config.stash[SPOOL] = TrialSpool(config)
    return config.stash[SPOOL]


def run_folder(config: pytest.Config) -> Path:
    """The folder of this run, the same in all its processes; made by whoever writes there first."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    if (host := host_folder(config)) is not None:
        return host / "run"
    if _WORKER_KEY in worker:
        return Path(worker[_WORKER_KEY])
    if RUN not in config.stash:
        from ...journal import new_run

        config.stash[RUN] = new_run(results_folder(config))
    return config.stash[RUN]


def share_run(node: Any) -> None:
    """Tell a worker which run it belongs to."""
    node.workerinput[_WORKER_KEY] = str(run_folder(node.config))


def leave_to_others(node: Any) -> None:
    """Let the other workers find what a worker left that died."""
    from ...journal import orphan

    try:
        orphan(run_folder(node.config), node.gateway.id)
    except OSError:
        return  # its trials are played again


def left_by(node: Any) -> Spooled | None:
    """What a worker left that died; None where nobody can read it."""
    from ...errors import RecordingError
    from ...journal import orphans, read_spool

    try:
        for file in orphans(run_folder(node.config)):
            if f"-{node.gateway.id}." in file.name:
                return read_spool(file)
    except (OSError, RecordingError):
        return None
    return None
