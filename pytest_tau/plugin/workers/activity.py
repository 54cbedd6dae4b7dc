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
from typing import TYPE_CHECKING, Any

from ...files import write_whole
from ...llm.meter import Activity, CallTotals, Meter
from ..run import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...conversation.trial import Trial
    from ...reports.in_play import InPlay

_FILE = ".activity-"
_IN_PLAY = ".in-play-"  # as reports/in_play.py calls it, which a process that plays nothing does without
_EVERY = 1.0
# A worker that has written nothing for so many seconds has died, or is stopped.
_STALE = 30.0


class _Monitor:
    """The activity of this process."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._trials: list[tuple[weakref.ref[Trial], tuple[str, int]]] = []
        self._begun = False
        self._over = threading.Event()
        self.meter = Meter()

    def begins(self, trial: Trial, called: tuple[str, int]) -> None:
        """A trial begins, this one of what is called so; with the first one a worker begins to tell."""
        with self._lock:
            first, self._begun = not self._begun, True
            self._trials.append((weakref.ref(trial), called))
        if first and not self._is_elsewhere:
            thread = threading.Thread(target=self._tell, name="tau-activity", daemon=True)
            thread.start()
            self._run.ending.callback(self._end, thread)

    def in_play(self) -> list[Trial]:
        """The trials of this process that are not over."""
        return [trial for trial, _ in self._called()]

    def _called(self) -> list[tuple[Trial, tuple[str, int]]]:
        with self._lock:
            begun = [(one(), called) for one, called in self._trials]
            known = [(trial, called) for trial, called in begun if trial is not None and trial.turns is not None]
            self._trials = [(weakref.ref(trial), called) for trial, called in known]
        return known

    def own(self) -> Activity:
        """What this process is doing."""
        turns = [number for trial in self.in_play() if (number := trial.turns) is not None]
        return Activity(len(turns), max(turns, default=0), self.meter.asked)

    def of_run(self) -> Activity:
        """What all processes of the run on this machine are doing, as far as they have said so."""
        return sum(_read_activities(self._files()), self.own())

    def forget(self) -> None:
        """The run is over: remove what workers have told."""
        for file in self._left_files():
            with suppress(OSError):
                file.unlink()

    def _files(self) -> Sequence[Path]:
        return sorted(self._run.folder.glob(f"{_FILE}*"))

    def _left_files(self) -> Sequence[Path]:
        """Also what workers that died have shown to viewers."""
        return [*self._files(), *self._run.folder.glob(f"{_IN_PLAY}*")]

    def _end(self, thread: threading.Thread) -> None:
        self._over.set()
        thread.join(_EVERY)
        with suppress(OSError):
            self._shown_file().unlink(missing_ok=True)

    def _shown_file(self) -> Path:
        return self._run.folder / f"{_IN_PLAY}{self._worker}"

    @property
    def _is_elsewhere(self) -> bool:
        """Whether this is a worker on another machine: nobody reads what it would write, and its folder has to go."""
        return self._run.told is not None and self._run.told.host_folder is not None

    @property
    def _worker(self) -> str:
        return self._run.told.worker if self._run.told else "main"

    def _tell(self) -> None:
        """Write what this process is doing: a worker its numbers from the start, and all who is in play, for viewers.

        Nobody looks at conversations that are over in a second, and to write them costs more than to play them.
        """
        from ...reports.in_play import write_in_play

        while True:
            now = self.own()
            if self._run.is_worker:
                content = {"in_play": now.in_play, "longest": now.longest, "asked": vars(now.asked)}
                with suppress(OSError):
                    write_whole(self._run.folder / f"{_FILE}{self._worker}", json.dumps(content))
            if self._over.wait(_EVERY):
                return
            write_in_play(self._shown_file(), self.conversations())

    def conversations(self) -> list[InPlay]:
        """What is said in the trials of this process that are not over."""
        from ...reports.in_play import in_play

        return [in_play(*called, trial.conversation.messages) for trial, called in self._called()]


def _read_activities(files: Iterable[Path]) -> Iterator[Activity]:
    for file in files:
        try:
            told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            activity = Activity(told["in_play"], told["longest"], CallTotals(**told["asked"]))
            silent = time.time() - file.stat().st_mtime
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue  # it is being written
        gone = silent > _STALE
        yield Activity(asked=replace(activity.asked, waiting=0, failing=0, failure="")) if gone else activity


def monitor(run: Run) -> _Monitor:
    """What watches this process."""
    return run.one(_Monitor)
