"""An event loop that is done with the first reply when it comes to the last."""

import asyncio
import socket
import sys
from contextlib import ExitStack

import pytest

from pytest_tau.llm.in_turn import new_loop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="loops have no selector there")
REPLIES = 64


def test_the_first_reply_is_worked_off_before_the_last_is_looked_at_and_none_is_forgotten() -> None:
    steps: list[tuple[str, int]] = []
    loop, done = new_loop(), asyncio.Event()

    def read(number: int, end: socket.socket) -> None:
        end.recv(1)
        steps.append(("read", number))
        loop.call_soon(goes_on, number)

    def goes_on(number: int) -> None:
        steps.append(("goes on", number))
        if sum(step == "goes on" for step, _ in steps) == REPLIES:
            done.set()

    with ExitStack() as stack:
        for number in range(REPLIES):
            ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
            loop.add_reader(ours, read, number, ours)
            theirs.send(b".")
        loop.run_until_complete(done.wait())
        loop.close()
    assert steps.index(("goes on", 0)) < steps.index(("read", REPLIES // 4))


def test_a_socket_that_always_has_something_keeps_no_other_from_its_turn() -> None:
    heard: list[int] = []
    loop = new_loop()
    with ExitStack() as stack:
        for number in range(REPLIES):
            ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
            loop.add_reader(ours, heard.append, number)  # nothing is read, so each stays ready
            theirs.send(b".")
        for _ in range(REPLIES):
            loop.run_until_complete(asyncio.sleep(0))
        loop.close()
    assert set(heard) == set(range(REPLIES))
