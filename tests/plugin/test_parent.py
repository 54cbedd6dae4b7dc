"""No worker outlives the process that started it, and no temporary folder those who used it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_tau.locking import is_alive
from pytest_tau.plugin.parent import temporary_folder
from tests.plugin.inner import until

AGENT = """
import os, time
from pathlib import Path

class Waits:
    def __init__(self, context):
        Path(f"worker-{os.getpid()}").touch()

    def reply(self, messages):
        time.sleep(120)
        return "Goodbye."
"""


def workers(folder: Path) -> list[int]:
    return [int(path.name.partition("-")[2]) for path in folder.glob("worker-*")]


def test_workers_end_with_the_process_that_was_killed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(agents=AGENT)
    options = ("--tau-domain=mock", "--tau-agent=agents:Waits", "-n2", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        until(lambda: len(workers(pytester.path)) == 2)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        until(lambda: not any(map(is_alive, workers(pytester.path))))


SHARING = """
import os, sys, time
from pathlib import Path
from pytest_tau.plugin.parent import end_with

end_with((os.getppid(),), Path(sys.argv[1]))
print(os.getpid(), flush=True)
time.sleep(120)
"""
STARTING = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[2], sys.argv[1]])"


@pytest.mark.slow
def test_what_they_shared_goes_with_them(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    command = [sys.executable, "-c", STARTING, str(shared), SHARING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        until(lambda: not is_alive(child))
    assert not shared.exists()


def test_what_killed_processes_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    for name in (f"pytest-tau-run-{dead.pid}-abc", f"pytest-tau-run-{os.getpid()}-abc", "pytest-tau-run-x", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "precious").mkdir()
    (tmp_path / f"pytest-tau-run-{dead.pid}-link").symlink_to(tmp_path / "precious")
    made = temporary_folder()
    left = {path.name for path in tmp_path.iterdir()}
    kept = {
        f"pytest-tau-run-{os.getpid()}-abc",
        "pytest-tau-run-x",
        "mine",
        "precious",
        f"pytest-tau-run-{dead.pid}-link",
    }
    assert left == {*kept, made.name}
