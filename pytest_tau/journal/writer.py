"""Writes the journal of a run, in the process that prints the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any

from ..errors import RecordingError, reason
from ..files import fresh_name
from ..locking import Lock
from ..manifest import FILE_NAME as MANIFEST
from ..printable import count_of
from .folders import FILE_NAME
from .lines import LineFile, is_graded, simulation_id
from .packing import PackedFile
from .rescue import rescue
from .spools import REST, SPOOLS, ended_last, in_order, trials_of, waits_for_test


class JournalWriter(PackedFile):
    """Appends to the journal of one run.

    Args:
        run: the run's folder, see :func:`new_run`; that of an earlier run to go on with it.

    Opening it raises RecordingError where another process writes to the same run; then ``latest`` names it.
    """

    _names_latest = True

    def __init__(self, run: Path) -> None:
        super().__init__(run / FILE_NAME)
        self.rescued: Path | None = None  # the file of what found no room
        self._untold: list[bytes] = []
        self._lock = Lock(self.path)

    def _claim(self) -> None:
        # Held as long as the file is open, and let go of by whoever is killed.
        if (holder := self._lock.take()) is not None:
            advice = f"wait for its end, or begin another run{holder}"
            raise RecordingError(f"{self.path.parent}: another pytest is writing to this run; {advice}")

    def close(self) -> None:
        """Close the file, and let others write to the run."""
        super().close()
        self._lock.release()

    def rescue(self, manifest: bytes) -> str:
        """Keep what waits for room in the folder for temporary files; a sentence about that.

        Args:
            manifest: what the run's trials have in common, for a folder that lacks it.
        """
        missing = f"What it lacks ({count_of(len(self._unwritten), 'lines')}) is"
        try:
            self.rescued = rescue(self.path.parent, self._unwritten, [(MANIFEST, manifest)])
        except OSError as error:
            return f"{missing} lost: {reason(error)}."
        self._unwritten.clear()
        return f"{missing} in {self.rescued}; the same command with --tau-resume puts it back."

    def take_spools(
        self, known: Container[str | None], tell: Callable[[Mapping[str, Any]], object] = lambda content: None
    ) -> int:
        """Append what stands in spools only, and remove them; returns how many trials that were.

        What a Python test would say about its trial nobody knows: such a trial stays in a spool, from which its test
        takes it when the run is resumed.

        Args:
            known: what the journal has: node IDs of trials that were reported in this run, ids of simulations.
            tell: is told of each of these trials, as a journal has it.

        Raises:
            OSError: a file cannot be written.
            RecordingError: a spool cannot be read.
        """
        spools = in_order(self.path.parent, SPOOLS)
        rest = LineFile(fresh_name(self.path))
        last = ended_last((place, content) for place, _, content in trials_of(spools, known))
        taken = 0
        for place, line, content in trials_of(spools, known) if last else ():
            if place not in last or simulation_id(content) in known:
                continue
            waits = waits_for_test(content)
            (rest if waits else self).append(line)
            if is_graded(content) and not waits:
                self._untold.append(line)
            tell(content)
            taken += 1
        for spool in spools:
            spool.unlink()
        rest.close()
        if rest.is_open:
            os.replace(rest.path, self.path.parent / REST)
        return taken

    def untold(self) -> list[str]:
        """The lines of finished trials that came from spools and not by a test's report, each told once."""
        lines, self._untold = self._untold, []
        return [line.decode() for line in lines]
