"""A clock that goes on where code under test has stopped the functions of ``time``."""

import asyncio
import time

import pytest

from pytest_tau.clock import keep_time, monotonic
from pytest_tau.conversation.limits import Clock
from pytest_tau.conversation.run import OwnLoop


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
