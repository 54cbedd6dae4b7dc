"""What the controlling process tells xdist's workers at their start, and a worker tells it at its end.

Each way is one message of plain values, as that is all that passes between processes.
"""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ..run import Run
from .forking import parents_of_workers
from .hosts import HERE, host_of, hosts_of

_KEY = "tau"
_T = TypeVar("_T")


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


@dataclass(frozen=True)
class FromWorker:
    """What a worker says that came to its end.

    Attributes:
        concurrency: the lines about how many conversations it had at once.
    """

    concurrency: tuple[str, ...] = ()


def tell(run: Run, node: Any) -> None:
    """Tell a worker, before it starts, what it is part of."""
    host = host_of(str(node.gateway.spec))
    message = ToWorker(
        run=str(run.folder),
        shared=str(run.shared) if run.settings.limits_calls else "",
        hosts=len(hosts_of(run)),
        host="" if host == HERE else run.one(_host_folders).setdefault(host, f"pytest-tau-{secrets.token_hex(8)}"),
        done=tuple(sorted(run.done)),
        domains=run.domains,
        recorded=str(run.recorded or ""),
        worker=node.workerinput["workerid"],
        workers=node.workerinput["workercount"],
        parents=parents_of_workers(run),
    )
    node.workerinput[_KEY] = asdict(message)


def _host_folders(run: Run) -> dict[str, str]:
    """The name of each other machine's folder."""
    return {}


def received(config: pytest.Config) -> ToWorker:
    """What this worker was told; raises UsageError when the other process has another version of this plugin."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    return _read(ToWorker, worker.get(_KEY, {}))


def answer(config: pytest.Config, message: FromWorker) -> None:
    """Say something to the controlling process, which gets it when this worker has come to its end."""
    config.workeroutput[_KEY] = asdict(message)  # type: ignore[attr-defined]  # xdist adds it


def answer_of(node: Any) -> FromWorker:
    """What a worker has said."""
    return _read(FromWorker, node.workeroutput.get(_KEY, {}))


def _read(kind: type[_T], values: dict[str, Any]) -> _T:
    try:
        return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
    except TypeError:
        raise pytest.UsageError(
            "the workers have another version of pytest-tau than the process that started them: install the same one"
        ) from None
