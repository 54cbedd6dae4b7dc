"""Which exceptions are the provider's fault, where the driver's tests do not say it already."""

import asyncio
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from types import SimpleNamespace

import pytest

from pytest_tau.conversation.faults import is_infra, whose_fault
from pytest_tau.errors import AgentFault, InfraError


@pytest.mark.parametrize(
    ("status", "infra"), [(408, True), (429, True), (500, True), (599, True), (404, False), (600, False)]
)
def test_by_status(status: int, infra: bool) -> None:
    error = Exception("http")
    error.status_code = status  # type: ignore[attr-defined]
    assert is_infra(error) is infra


@contextmanager
def answering(content: bytes) -> Iterator[str]:
    """The address of something that answers this, and hangs up."""

    class Answering(StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            self.wfile.write(content)

    with ThreadingTCPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def by_urllib(url: str) -> None:
    with urllib.request.urlopen(url) as answer:  # noqa: S310
        answer.read()


def by_requests(url: str) -> None:
    pytest.importorskip("requests").get(url).raise_for_status()


def by_httpx(url: str) -> None:
    pytest.importorskip("httpx").get(url).raise_for_status()


def by_aiohttp(url: str) -> None:
    aiohttp = pytest.importorskip("aiohttp")

    async def get() -> None:
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            answer.raise_for_status()
            await answer.read()

    asyncio.run(get())


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("client", [by_urllib, by_requests, by_httpx, by_aiohttp])
def test_what_common_clients_raise(client: Callable[[str], None]) -> None:
    def raised(url: str) -> Exception:
        try:
            client(url)
        except Exception as error:
            return error
        raise AssertionError

    assert whose_fault(raised("http://127.0.0.1:9/")) is True
    cut_off = b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n{"
    busy, none = b"HTTP/1.0 503 Busy\r\n\r\n", b"HTTP/1.0 404 None\r\n\r\n"
    for content, infra in {b"": True, cut_off: True, busy: True, none: False}.items():
        with answering(content) as url:
            assert whose_fault(raised(url)) is infra


def test_a_status_in_words_hides_no_number() -> None:
    error = RuntimeError("busy")  # as google-genai has it
    error.status = "UNAVAILABLE"  # type: ignore[attr-defined]
    error.response = SimpleNamespace(status_code=503)  # type: ignore[attr-defined]
    assert is_infra(error)


def test_a_name_that_nobody_knows_is_the_networks_fault() -> None:
    assert whose_fault(urllib.error.URLError(socket.gaierror("Name or service not known"))) is True
    assert whose_fault(urllib.error.URLError("unknown url type: htp")) is False


def test_the_class_counts_and_not_the_text() -> None:
    assert not is_infra(ValueError("RateLimitError"))


def test_what_an_error_was_raised_from_counts_too() -> None:
    wrapped, circle = RuntimeError("the agent failed"), ValueError("round")
    wrapped.__cause__ = ConnectionError("reset")
    circle.__cause__ = circle
    assert is_infra(wrapped)
    assert not is_infra(circle)
    wrapped.__cause__ = circle
    assert not is_infra(wrapped)


class MaxTurnsExceeded(Exception):
    """As a framework has it."""


class OfThisProject(MaxTurnsExceeded):
    """A class below it."""


@pytest.mark.parametrize("error", [MaxTurnsExceeded("10"), OfThisProject("10"), AgentFault("lost")])
def test_the_limits_of_frameworks_are_the_agents_miss(error: Exception) -> None:
    wrapped = RuntimeError("the workflow failed")
    wrapped.__cause__ = error
    assert [whose_fault(error), whose_fault(wrapped)] == ["miss", "miss"]


def test_a_limit_that_a_provider_caused_is_the_providers() -> None:
    error = MaxTurnsExceeded("gave up")
    error.__cause__ = InfraError("the provider is down")
    assert whose_fault(error) is True


def test_all_else_is_a_bug() -> None:
    assert whose_fault(KeyError("MaxTurnsExceeded")) is False
