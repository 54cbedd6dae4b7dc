"""What xdist starts as a worker's Python: it hands over its streams, and is there as long as the worker."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

import pytest

from pytest_tau.plugin.workers import stand_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux only")
NAME = f"stand-in-of-{os.getpid()}"
PYTHON = [sys.executable, "-I", "-S", stand_in.__file__, NAME]


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A fork server that takes what a test accepts."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(f"\0{NAME}")
        server.listen()
        server.settimeout(60)
        yield server


@pytest.fixture
def waiting() -> Iterator["subprocess.Popen[bytes]"]:
    """A stand-in whose streams are ours."""
    started = subprocess.Popen(
        [*PYTHON, "-c", "print('Python')"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    yield started
    with suppress(ProcessLookupError):
        started.kill()
    started.communicate()


def whole(stream: IO[bytes] | None) -> bytes:
    """What comes out of a stream until it is closed."""
    assert stream is not None
    found = b""
    while select.select([stream], [], [], 20)[0]:
        if not (more := os.read(stream.fileno(), 100)):
            return found
        found += more
    raise AssertionError(f"nobody has closed it after {found!r}")


def taken(listening: socket.socket) -> tuple[socket.socket, list[int]]:
    """The connection of a stand-in, and the streams that it has handed over."""
    connection, _ = listening.accept()
    connection.settimeout(60)
    message, streams, *_ = socket.recv_fds(connection, 1, 3)
    assert message == b"."
    return connection, streams


def test_its_streams_are_the_servers_and_nobody_elses(
    listening: socket.socket, waiting: "subprocess.Popen[bytes]"
) -> None:
    connection, streams = taken(listening)
    with connection:
        connection.sendall(b".")
        assert waiting.stdin is not None
        waiting.stdin.write(b"to the worker")
        waiting.stdin.flush()
        assert os.read(streams[0], 100) == b"to the worker"
        for stream, text in ((streams[1], b"said"), (streams[2], b"complained")):
            os.write(stream, text)
            os.close(stream)
        # The stand-in has closed its own: all has been said when the worker has closed the one it was given.
        assert whole(waiting.stdout) == b"said"
        assert waiting.poll() is None
    os.close(streams[0])
    assert whole(waiting.stderr) == b"complained"
    assert waiting.wait(60) == 0


def test_an_interrupt_is_the_workers(listening: socket.socket, waiting: "subprocess.Popen[bytes]") -> None:
    connection, streams = taken(listening)
    with connection:
        connection.sendall(b".")
        for stream in streams[1:]:
            os.close(stream)
        assert whole(waiting.stdout) == b""  # it waits for the end by now, and has said that interrupts are none
        waiting.send_signal(signal.SIGINT)
    os.close(streams[0])
    assert waiting.wait(60) == 0


def test_an_interrupt_before_it_is_taken_is_the_workers_too(
    listening: socket.socket, waiting: "subprocess.Popen[bytes]"
) -> None:
    connection, streams = taken(listening)
    with connection:
        waiting.send_signal(signal.SIGINT)
        connection.sendall(b".")
        os.close(streams[1])
        assert whole(waiting.stdout) == b""
        assert waiting.poll() is None
        os.close(streams[2])
    os.close(streams[0])
    assert whole(waiting.stderr) == b""
    assert waiting.wait(60) == 0


def test_if_the_server_hangs_up_it_becomes_python(listening: socket.socket, waiting: "subprocess.Popen[bytes]") -> None:
    connection, streams = taken(listening)
    for stream in streams:
        os.close(stream)
    connection.close()
    assert waiting.communicate(timeout=60) == (b"Python\n", b"")
    assert waiting.returncode == 0


def test_where_the_run_is_over_it_ends_without_a_word(
    listening: socket.socket, waiting: "subprocess.Popen[bytes]"
) -> None:
    connection, streams = taken(listening)
    for stream in streams:
        os.close(stream)
    with connection:
        connection.sendall(b"0")
        assert waiting.communicate(timeout=60) == (b"", b"")
    assert waiting.returncode == 0


def test_without_a_server_it_becomes_python_with_all_that_xdist_gave() -> None:
    code = "import sys; print(sys.argv, sys.flags.dont_write_bytecode); sys.exit(3)"
    done = subprocess.run([*PYTHON, "-B", "-c", code, "more"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "['-c', 'more'] 1\n", "")


@pytest.mark.parametrize("ignores", [True, False])
def test_the_python_that_it_becomes_ignores_an_interrupt_where_it_was_ignored_before(ignores: bool) -> None:
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignores else signal.default_int_handler)
    try:
        done = subprocess.run([*PYTHON, "-c", code], capture_output=True, text=True, check=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.stdout.strip() == str(ignores)


def test_it_loads_nothing_that_takes_long() -> None:
    load = f"import sys; exec(open({stand_in.__file__!r}).read(), {{'__name__': 'x'}}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", load], capture_output=True, text=True, check=True)
    assert {"socket", "subprocess", "re", "logging", "typing", "pytest_tau"}.isdisjoint(done.stdout.split())
