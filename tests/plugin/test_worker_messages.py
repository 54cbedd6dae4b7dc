"""Where a worker finds what it shares: on the controlling process' machine, and on another one."""

import tempfile
from pathlib import Path

import pytest

from pytest_tau.plugin.worker_messages import ToWorker

THERE = Path(tempfile.gettempdir(), "tau-0a1b")


@pytest.mark.parametrize(
    ("told", "host", "run", "shared"),
    [
        (ToWorker(run="/p/.tau/r1"), None, Path("/p/.tau/r1"), None),
        (ToWorker(run="/p/.tau/r1", shared="/p/limits"), None, Path("/p/.tau/r1"), Path("/p/limits")),
        (ToWorker(run="/p/.tau/r1", host="tau-0a1b"), THERE, THERE / "run", THERE),
        (ToWorker(run="/p/.tau/r1", shared="/p/limits", host="tau-0a1b"), THERE, THERE / "run", THERE),
    ],
)
def test_folders(told: ToWorker, host: Path | None, run: Path, shared: Path | None) -> None:
    assert (told.host_folder, told.run_folder, told.shared_folder) == (host, run, shared)
