"""What the controlling process tells xdist's workers at their start, and a worker tells it at its end.

Each way is one message of plain values, as that is all that passes between processes.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pytest

from ...errors import describe
from ..run import Run
from ..worker_messages import ToWorker
from .forking import parents_of_workers
from .hosts import HERE, host_of, hosts_of

_KEY = "tau"


def tell(run: Run, node: Any) -> None:
    """Tell a worker, before it starts, what it is part of."""
    host = host_of(str(node.gateway.spec))
    message = ToWorker(
        run=str(run.folder),
        shared=str(run.shared_folder) if run.settings.limits_calls else "",
        hosts=len(hosts_of(run)),
        host="" if host == HERE else run.one(_host_folders).setdefault(host, f"pytest-tau-{secrets.token_hex(8)}"),
        done=tuple(sorted(run.done)),
        domains=run.domains,
        names_suites=run.names_suites,
        recorded=str(run.recorded or ""),
        worker=node.workerinput["workerid"],
        workers=node.workerinput["workercount"],
        parents=parents_of_workers(run),
    )
    node.workerinput[_KEY] = asdict(message)


def _host_folders(run: Run) -> dict[str, str]:
    """The name of each other machine's folder."""
    return {}


def receive_message(config: pytest.Config) -> ToWorker:
    """What this worker was told; raises UsageError when the other process has another version of this plugin."""
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    told: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in worker.get(_KEY, {}).items()
    }
    try:
        return ToWorker(**told)
    except TypeError:
        raise pytest.UsageError(
            "the workers have another version of pytest-tau than the process that started them: install the same one"
        ) from None


def answer(config: pytest.Config, concurrency: Sequence[str]) -> None:
    """Tell the controlling process how many conversations this worker had at once, in lines; it hears it at the end."""
    config.workeroutput[_KEY] = [*concurrency]  # type: ignore[attr-defined]  # xdist adds it


def answer_of(node: Any) -> list[str]:
    """What a worker has said."""
    lines: list[str] = node.workeroutput.get(_KEY, [])
    return lines


def heed_exits(run: Run) -> None:
    """In a worker: end the whole run where something calls ``pytest.exit()``."""
    run.config.pluginmanager.register(_ExitOfWorker(run), "tau-exit")


class _ExitOfWorker:
    """Ends the whole run where something in a worker calls ``pytest.exit()``, of which xdist knows one status only."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Say why the controlling process is to stop."""
        if isinstance(excinfo.value, pytest.exit.Exception):
            self._run.session.shouldstop = f"pytest.exit() was called: {describe(excinfo.value)}"
