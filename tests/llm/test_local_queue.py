"""How calls wait: in line, over threads and event loops, and until a process is rung."""

import asyncio
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.llm.ledger import FILE_NAME, Ledger, Need
from pytest_tau.llm.limits import LimitSettings, RunLimits
from pytest_tau.llm.local_queue import Bell, WaitingLine, ring


def test_each_comes_to_the_front_in_turn() -> None:
    line, order, together = WaitingLine(), list[int](), [0, 0]

    async def wait(number: int) -> None:
        async with line.turn():
            together[0] += 1
            together[1] = max(together)
            await asyncio.sleep(0)
            order.append(number)
            together[0] -= 1

    async def everybody() -> None:
        await asyncio.gather(*(wait(number) for number in range(20)))

    asyncio.run(everybody())
    assert (order, together[1], line.is_empty) == (list(range(20)), 1, True)


def test_whoever_is_cancelled_holds_up_nobody() -> None:
    line, reached = WaitingLine(), list[int]()

    async def wait(number: int) -> None:
        async with line.turn():
            reached.append(number)
            await asyncio.sleep(0)

    async def everybody() -> None:
        tasks = [asyncio.create_task(wait(number)) for number in range(6)]
        await asyncio.sleep(0)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(everybody())
    assert (reached, line.is_empty) == ([0, 2, 4], True)


def test_who_was_cancelled_as_the_turn_came_passes_it_on() -> None:
    line = WaitingLine()

    async def both() -> bool:
        async with line.turn():
            second = asyncio.create_task(line.turn().__aenter__())
            await asyncio.sleep(0)
        await asyncio.sleep(0)  # the turn is given here; the task has not run since
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        await asyncio.sleep(0)
        return line.is_empty

    assert asyncio.run(both())


def test_an_event_loop_that_has_ended_is_left_out() -> None:
    line = WaitingLine()
    inside, leave = threading.Event(), threading.Event()

    async def hold() -> None:
        async with line.turn():
            inside.set()
            await asyncio.to_thread(leave.wait, 30)

    async def give_up() -> None:
        waiting = line._step_up()
        assert waiting is not None  # and the loop ends without a word

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    assert inside.wait(30)
    asyncio.run(give_up())
    leave.set()
    thread.join(30)
    assert line.is_empty


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_a_line_of_its_own() -> None:
    line, bell = WaitingLine(), Bell()
    port = bell.port()
    assert line._step_up() is None
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        free = line._step_up() is None
        os.write(write, b"ok" if free and bell.port() != port else b"no")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 2) == b"ok"
    for end in (read, write):
        os.close(end)


def test_a_ring_wakes_who_waits() -> None:
    async def waits() -> None:
        bell = Bell()
        ring(bell.port())
        await bell.wait(3600.0)

    asyncio.run(asyncio.wait_for(waits(), 60))


def test_a_ring_at_nobodys_door_raises_nothing() -> None:
    ring(None)
    ring(9)


def test_waiting_calls_look_at_the_account_when_there_is_something_to_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    start = Ledger.start

    def counted(self: Ledger, need: Need, seconds: float, **how: Any) -> object:
        nonlocal looks
        looks += 1
        return start(self, need, seconds, **how)

    monkeypatch.setattr(Ledger, "start", counted)
    limits = RunLimits(tmp_path, LimitSettings(max_inflight=4))

    async def call() -> None:
        lease = await limits.acquire()
        for _ in range(50):
            await asyncio.sleep(0)
        limits.settle(lease, tokens=1)

    async def everybody() -> None:
        await asyncio.gather(*(call() for _ in range(200)))

    asyncio.run(everybody())
    assert limits.spending().calls == 200
    assert looks <= 1.5 * 200


def test_the_event_loop_goes_on_while_another_process_writes(tmp_path: Path) -> None:
    limits = RunLimits(tmp_path, LimitSettings(max_inflight=1))

    async def both() -> int:
        first = await limits.acquire()
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            limits.settle(first, tokens=5)  # a thread does it as soon as that can be
            waiting = asyncio.create_task(limits.acquire())
            for _ in range(20):
                await asyncio.sleep(0)
            assert not waiting.done()
            other.execute("COMMIT")
        return await asyncio.wait_for(waiting, 60)

    limits.settle(asyncio.run(both()), tokens=1)
    assert (limits.spending().calls, limits.spending().tokens) == (2, 6)


def test_a_socket_that_cannot_be_had_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("no sockets in tests")

    limits = RunLimits(tmp_path, LimitSettings(max_inflight=1))

    async def both() -> None:
        monkeypatch.setattr("pytest_tau.llm.local_queue.socket.socket", refuse)
        first = await limits.acquire()
        second = asyncio.create_task(limits.acquire())
        await asyncio.sleep(0)
        limits.settle(first)
        limits.settle(await asyncio.wait_for(second, 60))

    asyncio.run(both())
    assert limits.spending().calls == 2
