"""The clock of a trial: what it has taken, what is left of it, and how far it is beyond its limit."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.conversation.limits import Clock, Limits

SECONDS = st.integers(0, 10_000).map(float)


@contextmanager
def at(time: float) -> Iterator[None]:
    """Within it the machine's clock stands at this time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pytest_tau.conversation.limits.monotonic", lambda: time)
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


def test_the_limits_that_a_trial_has_unless_it_is_told_others() -> None:
    assert Limits() == Limits(max_steps=200, max_errors=10, timeout=600.0)
