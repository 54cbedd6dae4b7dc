"""What a run is doing at this moment: conversations in play, and what models have been asked.

Each process knows its own. A worker of xdist writes its own into a small file in the run's folder every second; the
process that prints the report adds them up. Workers on other machines have another folder and are not counted.
"""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...files import write_whole
from ...llm.meter import Activity, Asked, Meter
from ..run import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE = ".activity-"
_EVERY = 1.0
# A worker that has written nothing for so many seconds has died, or is stopped.
_STALE = 30.0


class Conversing(Protocol):
    """A trial that may still be in play."""

    @property
    def turns(self) -> int | None:
        """How many messages it has so far; None once it is over."""


class Monitor:
    """The activity of this process."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._trials: list[weakref.ref[Conversing]] = []
        self._begun = False
        self._over = threading.Event()
        self.meter = Meter()

    def begins(self, trial: Conversing) -> None:
        """A trial begins; with the first one a worker begins to tell."""
        with self._lock:
            first, self._begun = not self._begun, True
            self._trials.append(weakref.ref(trial))
        if first and self._run.is_worker:
            threading.Thread(target=self._tell, name="tau-activity", daemon=True).start()
            self._run.ending.callback(self._over.set)

    def own(self) -> Activity:
        """What this process is doing."""
        with self._lock:
            known = [(one, trial) for one in self._trials if (trial := one()) is not None]
            turns = [(one, trial.turns) for one, trial in known]
            self._trials = [one for one, number in turns if number is not None]
        playing = [number for _, number in turns if number is not None]
        return Activity(len(playing), max(playing, default=0), self.meter.asked)

    def of_run(self) -> Activity:
        """What all processes of the run on this machine are doing, as far as they have said so."""
        return sum(_told(self._files()), self.own())

    def forget(self) -> None:
        """The run is over: remove what workers have told."""
        for file in self._files():
            with suppress(OSError):
                file.unlink()

    def _files(self) -> Sequence[Path]:
        return sorted(self._run.folder.glob(f"{_FILE}*"))

    def _tell(self) -> None:
        file = self._run.folder / f"{_FILE}{self._run.told.worker if self._run.told else 'main'}"
        while True:
            now = self.own()
            content = {"in_play": now.in_play, "longest": now.longest, "asked": vars(now.asked)}
            with suppress(OSError):
                write_whole(file, json.dumps(content))
            if self._over.wait(_EVERY):
                return


def _told(files: Iterable[Path]) -> Iterator[Activity]:
    for file in files:
        try:
            told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            activity = Activity(told["in_play"], told["longest"], Asked(**told["asked"]))
            silent = time.time() - file.stat().st_mtime
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # it is being written
        gone = silent > _STALE
        yield Activity(asked=replace(activity.asked, waiting=0)) if gone else activity


def monitor(run: Run) -> Monitor:
    """What watches this process."""
    return run.one(Monitor)
