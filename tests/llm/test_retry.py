"""When failures are tried again, and what is said at last; with a clock that only waits move."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from pytest_tau.conversation.faults import is_infra
from pytest_tau.errors import InfraError, SettingsError
from pytest_tau.llm.retry import ProviderError, Retrying, RetryPolicy
from tests.llm.http_errors import NOON, HTTPError


class Waits:
    """A sleep that takes no time and remembers how long it was asked to wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def failing(*errors: Exception) -> Callable[[], Awaitable[str]]:
    """An attempt that raises these one after the other, and then succeeds."""
    left = list(errors)

    async def attempt() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return attempt


def run(
    *errors: Exception, policy: RetryPolicy | None = None, waits: Waits | None = None, jitter: float = 1.0
) -> tuple[str, list[float]]:
    """The result, and what was waited for; ``jitter`` is the part of each wait that is drawn."""
    waits = waits or Waits()
    retrying = Retrying(
        policy or RetryPolicy(), sleep=waits, now=lambda: NOON, uniform=lambda low, high: low + jitter * (high - low)
    )
    return asyncio.run(retrying.run("a call", failing(*errors))), waits.seconds


def test_waits_double_up_to_the_cap() -> None:
    result, waits = run(*[HTTPError(500)] * 6, policy=RetryPolicy(base=1.0, cap=8.0))
    assert (result, waits) == ("done", [1, 2, 4, 8, 8, 8])


def test_jitter_is_full() -> None:
    assert run(*[HTTPError(500)] * 3, jitter=0.0)[1] == [0, 0, 0]


def test_without_a_failure_nothing_is_waited_for() -> None:
    assert run() == ("done", [])


def test_retry_after_is_kept_to_and_the_herd_is_spread() -> None:
    errors = [HTTPError(429, retry_after="7")] * 3
    assert run(*errors, jitter=0.0)[1] == [7, 7, 7]
    assert run(*errors, jitter=1.0)[1] == [8, 8, 8]


def test_a_wait_beyond_the_limit_is_not_begun() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match="was asked to wait 3601 s and gave up after 1 attempt and 0 s") as caught:
        run(HTTPError(429, retry_after="3600"), waits=waits)
    assert waits.seconds == []
    assert not caught.value.permanent


def test_waits_are_limited_in_all() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=r"a call gave up after 4 attempts and 7 s of waiting: server \(HTTP 503\)"):
        run(*[HTTPError(503)] * 9, policy=RetryPolicy(max_wait=10.0), waits=waits)
    assert waits.seconds == [1, 2, 4]


UNHEARD = r"gave up after 5 attempts and 15 s of waiting: connection: .*; nothing has ever answered there: check"


def test_where_nobody_has_ever_answered_it_is_given_up_soon() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=UNHEARD) as caught:
        run(*[ConnectionRefusedError("refused")] * 9, waits=waits)
    assert waits.seconds == [1, 2, 4, 8]
    assert not caught.value.permanent


@pytest.mark.parametrize("first", [None, HTTPError(503), HTTPError(429), HTTPError(401)])
def test_where_somebody_has_answered_a_connection_may_come_back(first: Exception | None) -> None:
    retrying = Retrying(RetryPolicy(), sleep=Waits(), uniform=lambda low, high: high)
    with suppress(ProviderError):
        asyncio.run(retrying.run("a call", failing(*[first] if first else [])))
    assert asyncio.run(retrying.run("a call", failing(*[ConnectionResetError("reset")] * 8))) == "done"


def test_attempts_are_limited_and_the_last_is_not_waited_after() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match="a call failed in 3 attempts: rate limit"):
        run(*[HTTPError(429)] * 9, policy=RetryPolicy(attempts=3), waits=waits)
    assert waits.seconds == [1, 2]


def test_what_is_not_worth_another_attempt_is_raised_at_once_as_the_provider_s_fault() -> None:
    waits = Waits()
    with pytest.raises(ProviderError, match=r"^a call failed: unknown: KeyError: 'choices'$") as caught:
        run(KeyError("choices"), waits=waits)
    assert waits.seconds == []
    assert isinstance(caught.value, InfraError)
    assert is_infra(caught.value)
    assert caught.value.__context__ is None


def test_silence_is_waited_for_twice() -> None:
    with pytest.raises(ProviderError, match="a call failed in 2 attempts: time-out"):
        run(*[TimeoutError()] * 9)


def test_our_own_errors_pass_as_they_are() -> None:
    ours = SettingsError("install it")
    with pytest.raises(SettingsError) as caught:
        run(ours)
    assert caught.value is ours


def test_being_cancelled_is_no_failure() -> None:
    async def attempt() -> str:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(Retrying(RetryPolicy(), sleep=Waits()).run("a call", attempt))
