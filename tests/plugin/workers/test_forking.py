"""Workers as copies of one process: which are, what they are, and who ends with whom."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import IO, Any

import pytest
from execnet import XSpec

from pytest_tau import load_journal
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.workers.forking import ForkServer, can_fork, fork_workers
from tests.plugin.inner import apart

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux only")
ABOUT = "import os, random, sys; print(os.getppid(), random.random(), sys.argv, 'pydantic' in sys.modules, flush=True)"
WAITING = "print(0, flush=True); sys.stdin.read()"


def opened() -> ForkServer:
    config: Any = SimpleNamespace(args=[], add_cleanup=lambda close: None)
    run: Any = SimpleNamespace(config=config, domains=(), settings=SimpleNamespace(split=None))
    return ForkServer(run)


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    made = opened()
    yield made
    made.close()


def started(server: ForkServer, code: str) -> "subprocess.Popen[bytes]":
    """A worker as execnet starts it, which runs this code."""
    command = [*shlex.split(server.python), "-u", "-c", "import sys;exec(eval(sys.stdin.readline()))"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    into(worker).write(f"{code!r}\n".encode())
    into(worker).flush()
    return worker


def into(worker: "subprocess.Popen[bytes]") -> IO[bytes]:
    assert worker.stdin is not None
    return worker.stdin


def said(worker: "subprocess.Popen[bytes]") -> str:
    """What a worker prints until it ends."""
    return worker.communicate(timeout=60)[0].decode().strip()


def test_workers_have_what_was_imported_and_nothing_else_in_common(server: ForkServer) -> None:
    one, two = (said(started(server, ABOUT)).split(" ", 2) for _ in range(2))
    assert one[0] == two[0] == str(server.pid)
    assert one[1] != two[1]
    assert one[2] == two[2] == "['-c'] True"


def test_a_worker_does_at_its_end_what_it_was_asked_to_and_is_not_taken_apart(server: ForkServer) -> None:
    asked = "import atexit; atexit.register(print, 'for now'); atexit.register(print, 'Goodbye', end=' ')"
    parts = "object = type('Part', (), {'__del__': lambda self: print('taken apart', flush=True)})()"
    assert said(started(server, f"{asked}; {parts}")) == "Goodbye for now"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_ignores_what_the_run_ignores_as_a_background_job_of_a_shell(number: signal.Signals) -> None:
    about = "import signal; print([signal.getsignal(n) is signal.SIG_IGN for n in (signal.SIGINT, signal.SIGTERM)])"
    # These tests may be such a job themselves.
    before = {
        n: signal.signal(n, signal.SIG_IGN if n == number else signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        server = opened()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert said(started(server, about)) == str([number == signal.SIGINT, number == signal.SIGTERM])
    server.close()


def test_a_server_leaves_nothing_open_that_python_would_warn_of(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "always::ResourceWarning")
    server = opened()
    said(started(server, "0"))
    server.close()
    assert capfd.readouterr().err == ""


def test_errors_go_where_the_stand_ins_would(server: ForkServer) -> None:
    command = [*shlex.split(server.python), "-u", "-c", ""]
    done = subprocess.run(
        command, input="'raise SystemExit(\"too bad\")'\n", capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("", "too bad\n")


def test_a_worker_whose_stand_in_is_killed_ends(server: ForkServer) -> None:
    worker = started(server, f"import sys; {WAITING}")
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"0\n"
    worker.kill()
    assert worker.stdout.read() == b""  # its other end is closed, while its input is not
    worker.communicate()


def test_a_stand_in_ends_with_its_worker(server: ForkServer) -> None:
    worker = started(server, f"import os; os.kill(os.getpid(), {signal.SIGKILL:d})")
    assert said(worker) == ""
    assert worker.returncode == 0


def test_a_worker_that_nobody_has_ended_ends_with_the_run() -> None:
    server = opened()
    worker = started(server, f"import sys; {WAITING}")
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"0\n"
    server.close()
    worker.communicate(timeout=60)


def test_a_run_ends_though_a_plugin_raises_before_xdist_has_ended_its_workers(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_sessionfinish(session):
            if not hasattr(session.config, "workerinput"):
                raise RuntimeError("a plugin's bug")
        """
    )
    result = apart(pytester, "--tau-domain=mock", "-n2")
    assert "RuntimeError: a plugin's bug" in result.stderr.str()
    assert len(load_journal(pytester.path / ".tau")) == 6


def test_only_plain_workers_here_are_copies(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("COVERAGE_PROCESS")]:  # the coverage of this test
        monkeypatch.delenv(name)
    run = Run(pytester.parseconfig())
    server: Any = SimpleNamespace(python="stand-in")
    run._made[ForkServer] = server
    kinds = ("popen", "popen", "popen//python=python3", "popen//chdir=a", "ssh=host", "popen//via=a", "socket=a:1")
    specs = [XSpec(kind) for kind in kinds]
    fork_workers(run, specs)
    assert [spec.python for spec in specs] == ["stand-in", "stand-in", "python3", None, None, None, None]
    alone = XSpec("popen")
    fork_workers(run, [alone])
    assert alone.python is None
    monkeypatch.setenv("COVERAGE_PROCESS_CONFIG", "x")
    assert not can_fork()


def test_where_there_can_be_no_server_xdist_starts_its_workers(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*what: object) -> None:
        raise PermissionError

    run = Run(pytester.parseconfig("--tau-domain=mock"))
    specs = [XSpec("popen"), XSpec("popen")]
    with monkeypatch.context() as patched:
        patched.setattr("pytest_tau.plugin.workers.forking.socket.socket", refused)
        fork_workers(run, specs)
    assert [spec.python for spec in specs] == [None, None]


def test_a_run_is_played_by_copies(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import os
        from pathlib import Path
        def pytest_configure(config):
            if hasattr(config, "workerinput"):
                Path(f"child_of_{os.getppid()}").touch()
        """
    )
    done = apart(pytester, "--tau-domain=mock", "-n2", "-W", "error")
    done.assert_outcomes(passed=6)
    assert len(list(pytester.path.glob("child_of_*"))) == 1
