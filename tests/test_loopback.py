"""A server on loopback that nobody can fill up."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, RemoteDisconnected
from http.server import BaseHTTPRequestHandler

import pytest

from pytest_tau import loopback
from pytest_tau.loopback import PATIENCE, LoopbackServer


class Handler(BaseHTTPRequestHandler):
    """Answers at once, or /held when it may; /broken raises."""

    arrived = threading.Semaphore(0)
    may_answer = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/broken":
            raise ValueError("no answer today")
        if self.path == "/held":
            self.arrived.release()
            self.may_answer.wait(30)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, most: int = 2) -> Iterator[LoopbackServer]:
    monkeypatch.setattr(loopback, "MOST", most)
    monkeypatch.setattr(loopback, "_POLL", 0.0)
    Handler.may_answer.clear()
    with LoopbackServer(0, Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            Handler.may_answer.set()
            server.shutdown()
            thread.join()


def begun(server: LoopbackServer, path: str = "/") -> HTTPConnection:
    """A request that was sent."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("GET", path)
    return connection


def status(connection: HTTPConnection) -> int:
    """The status of its answer; the connection is closed then."""
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def test_it_listens_on_loopback_alone_and_waits_for_nobody_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(monkeypatch) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert status(begun(server)) == 200
    assert Handler.timeout == PATIENCE


def test_who_finds_no_place_is_hung_up_on_and_others_are_served_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(monkeypatch, most=2) as server:
        held = [begun(server, "/held") for _ in range(2)]
        for _ in held:
            assert Handler.arrived.acquire(timeout=30)
        with pytest.raises((RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
            status(begun(server))
        Handler.may_answer.set()
        assert [status(one) for one in held] == [200, 200]
        # A place is given back after the answer, so the next one waits for it, however busy this machine is.
        monkeypatch.setattr(loopback, "_POLL", 30.0)
        assert status(begun(server)) == 200


def test_a_place_is_given_back_whatever_came_of_the_answer(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(monkeypatch, most=1) as server:
        given_back = threading.Semaphore(0)
        places = server._places

        class Counted:
            acquire = places.acquire

            def release(self) -> None:
                places.release()
                given_back.release()

        monkeypatch.setattr(server, "_places", Counted())
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            status(begun(server, "/broken"))
        assert given_back.acquire(timeout=30)  # after the client was hung up on
    assert not given_back.acquire(blocking=False)
    assert capfd.readouterr().err == ""  # a client's fault is nobody's business


def test_a_port_that_is_taken_or_none_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            LoopbackServer(taken.getsockname()[1], Handler)
    with pytest.raises(OverflowError):
        LoopbackServer(70_000, Handler)
