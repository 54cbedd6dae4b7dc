"""What xdist's workers are told at their start. :mod:`.workers.link` sends it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ToWorker:
    """What a worker is told.

    Attributes:
        run: the path of the run's folder.
        shared: the path of the folder where the run's limits are kept, "" where nothing is limited.
        hosts: on how many machines there are workers.
        host: the name of the folder that the workers of another machine share there, "" for workers on this one.
        done: node IDs of the trials that the resumed run has done.
        domains: those whose suites the run is about, as far as it is not about named files.
        names_suites: whether the command line or the ini file named suites, by whatever name.
        recorded: the path of the file whose conversations are graded again, "" for none.
        worker: the name that xdist calls this one by.
        workers: how many there are.
        parents: the numbers of the processes one of which has started it.
    """

    run: str = ""
    shared: str = ""
    hosts: int = 1
    host: str = ""
    done: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    names_suites: bool = False
    recorded: str = ""
    worker: str = "main"
    workers: int = 1
    parents: tuple[int, ...] = ()

    @property
    def host_folder(self) -> Path | None:
        """What a worker on another machine shares with those beside it; None on the controlling process' machine."""
        return Path(tempfile.gettempdir(), self.host) if self.host else None

    @property
    def run_folder(self) -> Path:
        """Where this worker writes what belongs to the run."""
        return self.host_folder / "run" if self.host_folder is not None else Path(self.run)

    @property
    def shared_folder(self) -> Path | None:
        """Where this worker finds the limits it shares; None where nothing is limited."""
        return self.host_folder or (Path(self.shared) if self.shared else None)
