"""Clocks that go on where code under test has stopped the functions of ``time``; and how a trial's time runs."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.clock import Clock, at_hand, keep_time, limited, monotonic, standing_still
from pytest_tau.conversation.run import OwnLoop

SECONDS = st.integers(0, 10_000).map(float)


@pytest.fixture
def _stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("monotonic", "time", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: 0.0)


def passed() -> bool:
    """Whether time has gone on, after as long as that takes."""
    began = monotonic()
    return any(monotonic() > began for _ in range(10_000_000))


@pytest.mark.usefixtures("_stopped")
def test_goes_on() -> None:
    assert passed()
    clock = Clock(timeout=600.0)
    assert passed()
    assert clock.seconds > 0.0


@pytest.mark.usefixtures("_stopped")
def test_timers_of_a_loop_go_off() -> None:
    loop = OwnLoop()

    async def wait() -> None:
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()

    try:
        with pytest.raises(TimeoutError):
            loop(wait())
    finally:
        loop.close()


def test_a_loop_with_a_clock_of_its_own_keeps_it() -> None:
    class Fixed:
        __slots__ = ()

        def time(self) -> float:
            return 1.0

    assert keep_time(Fixed()).time() == 1.0


@contextmanager
def at(time: float) -> Iterator[None]:
    """Within it the machine's clock stands at this time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pytest_tau.clock.monotonic", lambda: time)
        yield


@given(SECONDS, SECONDS, SECONDS)
def test_what_it_took_and_what_is_left_are_the_limit_or_it_is_overdue(
    began: float, taken: float, timeout: float
) -> None:
    with at(began):
        clock = Clock(timeout)
    with at(began + taken):
        assert clock.seconds == taken
        assert clock.seconds_left == max(0.0, timeout - taken)
        assert clock.overdue == max(0.0, taken - timeout)
        assert clock.is_up == (taken >= timeout)


@pytest.mark.parametrize("timeout", [1e10, 1e23, float("inf")])
def test_what_is_left_of_a_vast_limit_can_be_waited_for(timeout: float) -> None:
    left = Clock(timeout).seconds_left
    assert left is not None
    assert threading.Lock().acquire(timeout=left)


@given(SECONDS, SECONDS)
def test_without_a_limit_there_is_time(began: float, taken: float) -> None:
    with at(began):
        clock = Clock(None)
    with at(began + taken):
        assert (clock.seconds, clock.seconds_left, clock.overdue, clock.is_up) == (taken, None, 0.0, False)


@given(SECONDS, SECONDS, SECONDS, SECONDS)
def test_a_restored_trial_goes_on_from_what_it_had_taken(now: float, taken: float, timeout: float, more: float) -> None:
    with at(now):
        clock = Clock.after(taken, timeout)
    with at(now + more):
        assert clock.seconds == taken + more
        assert clock.seconds_left == max(0.0, timeout - taken - more)


@given(SECONDS, SECONDS, SECONDS)
def test_it_stands_still_until_the_last_of_several_waits_is_over(taken: float, waited: float, more: float) -> None:
    with at(0.0):
        clock = Clock(600.0)
    with at(taken):
        clock.stop("first")
        clock.stop("second")
    with at(taken + waited):
        clock.go_on("first")
        assert clock.seconds == taken
        clock.go_on("second")
    with at(taken + waited + more):
        assert clock.seconds == taken + more


def test_waits_that_end_at_once_count_once() -> None:
    class Meeting(set[object]):
        def discard(self, wait: object) -> None:
            super().discard(wait)
            with suppress(threading.BrokenBarrierError):
                both.wait(0.1)

    clock, both = Clock(None), threading.Barrier(2)
    clock._waits = Meeting()
    clock.stop("first")
    clock.stop("second")
    before = clock.seconds
    threads = [threading.Thread(target=clock.go_on, args=(wait,)) for wait in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.seconds >= before


def test_who_looks_while_a_wait_ends_never_sees_it_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[float]()

    def look() -> float:
        """The time, at which another thread looks."""
        if not seen:
            seen.append(-1.0)
            seen.append(clock.seconds)
        return 500.0

    with at(0.0):
        clock = Clock(100.0)
        clock.stop("wait")
    monkeypatch.setattr("pytest_tau.clock.monotonic", look)
    clock.go_on("wait")
    assert seen[1:] == [0.0]


def test_waits_that_end_and_begin_at_once_in_threads_are_each_taken_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, others = 0.0, list[threading.Thread]()
    monkeypatch.setattr("pytest_tau.clock.monotonic", lambda: now)
    clock = Clock(100.0)

    class Switches(set[object]):
        """Has another thread end or begin a wait at the moment at which one has just ended."""

        def discard(self, wait: object) -> None:
            super().discard(wait)
            if wait == "first":
                other = threading.Thread(target=clock.stop, args=("second",))
                others.append(other)
                other.start()
                other.join(0.01)  # where it has to wait for its turn, it gets that later

    clock._waits = Switches()
    clock.stop("first")
    now = 500.0
    clock.go_on("first")
    others.pop().join()
    clock.go_on("second")
    assert clock.seconds == 0.0


def test_a_limit_is_not_reached_while_its_clock_stands_still() -> None:
    async def play(clock: Clock) -> None:
        async with limited(clock):
            with standing_still():
                began = monotonic()
                while monotonic() < began + 0.02:
                    await asyncio.sleep(0)
            await asyncio.Event().wait()

    clock = Clock(0.001)
    with pytest.raises(TimeoutError):
        asyncio.run(play(clock))
    with standing_still():  # out of reach of any limit
        assert passed()


def test_what_a_loop_left_behind_lets_its_clock_go_in_another_context() -> None:
    left = at_hand(Clock(600.0))
    copy_context().run(left.__enter__)
    left.__exit__(None, None, None)


@pytest.mark.parametrize("timeout", [None, 600.0])
def test_what_is_in_time_is_left_alone(timeout: float | None) -> None:
    async def play() -> bool:
        async with limited(Clock(timeout)) as limit:
            await asyncio.sleep(0)
        return limit.expired()

    assert not asyncio.run(play())
