"""Bad days of a provider: when an attempt is made again, how long to wait, and what to say at last."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..errors import InfraError, TauError
from ..printable import count_of
from ..schema.spending import Spending
from .failures import Failure, Kind, failure_of

T = TypeVar("T")
# What nobody has answered with.
_FROM_NOBODY: frozenset[Kind] = frozenset({"connection", "time-out", "unknown"})


class ProviderError(InfraError):
    """A call of a model failed for good.

    Attributes:
        permanent: another attempt at the trial would fail in the same way (a wrong key, an unknown model).
        status: the HTTP status of the last attempt; 0 when there was no answer to have one.
        kind: what went wrong with the last attempt.
        spent: the attempts that were billed although nothing could be read in their answers.
        tokens: of a context window that was too small, how many were needed and how many it has, where that is said.
    """

    spent: Sequence[Spending] = ()
    tokens: tuple[int | None, int | None] = (None, None)

    def __init__(self, message: str, *, permanent: bool, status: int = 0, kind: Kind = "unknown") -> None:
        super().__init__(message)
        self.permanent = permanent
        self.status = status
        self.kind = kind


class ContextOverflow(ProviderError):
    """A conversation has outgrown the model's context window."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often to try and how long to wait.

    Waits are drawn from 0 to ``base`` × 2^n seconds but never more than ``cap`` (full jitter); a Retry-After of the
    provider is kept to, with jitter on top. ``max_wait`` bounds the waits of one call in all, ``max_wait_unheard`` as
    long as nobody has ever answered: then it is the address that is wrong more often than the day. ``silent`` and
    ``unreadable`` are attempts at most where nothing came within the time of a call, which takes long, and where what
    came could not be read, which ends the same way each time.
    """

    attempts: int = 10
    silent: int = 2
    unreadable: int = 3
    base: float = 1.0
    cap: float = 60.0
    max_wait: float = 300.0
    max_wait_unheard: float = 30.0


class Retrying:
    """Runs attempts under a policy.

    Args:
        policy: how often and how long.
        secrets: what must not appear in any text, besides what looks like a key.
        sleep: waits; replaced in tests.
        now: the wall clock, for a Retry-After that is a date.
        uniform: the jitter.
        advice: what to do about a status, by its number, where it is no model that is asked.
        timeout: seconds that an attempt may take, for the sentence about one that took more.
    """

    def __init__(
        self,
        policy: RetryPolicy,
        *,
        secrets: Iterable[str] = (),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
        uniform: Callable[[float, float], float] = random.uniform,
        advice: Mapping[int, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        self._policy = policy
        self._secrets = tuple(secrets)
        self._sleep = sleep
        self._now = now
        self._uniform = uniform
        self._advice = advice or {}
        self._timeout = timeout
        self._heard = False

    async def run(
        self,
        what: str,
        attempt: Callable[[], Awaitable[T]],
        seen: Callable[[Failure | None], None] = lambda failure: None,
    ) -> T:
        """The result of the first attempt that succeeds.

        Args:
            what: what is attempted, for sentences.
            attempt: one attempt.
            seen: is told how each attempt ended, before anything is waited for; None: it succeeded.

        Raises:
            ProviderError: the last failure, in a sentence that names ``what``; errors of ours pass as they are.
        """
        waited, ended = 0.0, Counter[Kind]()
        for number in range(1, self._policy.attempts + 1):
            try:
                result = await attempt()
                self._heard = True
                seen(None)
                return result
            except TauError:
                raise
            except Exception as error:
                failure = failure_of(error, now=self._now(), secrets=self._secrets)
                failure = replace(failure, advice=self._advice_for(failure))
            seen(failure)
            unheard = failure.kind == "connection" and not self._heard
            self._heard |= failure.kind not in _FROM_NOBODY
            # Raised outside of the handler: the provider's error, as the context, would show up in tracebacks.
            if not failure.retryable:
                raise _gave_up(f"{what} failed: {failure}", failure)
            ended[failure.kind] += 1
            if ended["time-out"] >= self._policy.silent or ended["unreadable answer"] >= self._policy.unreadable:
                raise _gave_up(f"{what} failed in {count_of(number, 'attempts')}: {failure}", failure)
            wait = self._wait(number, failure)
            most = self._policy.max_wait_unheard if unheard else self._policy.max_wait
            if waited + wait > most:
                asked = f"was asked to wait {wait:.0f} s and " if failure.wait else ""
                raise _gave_up(
                    f"{what} {asked}gave up after {count_of(number, 'attempts')} and {waited:.0f} s of waiting: "
                    f"{failure}"
                    f"{'; nothing has ever answered there: check the address and the network' if unheard else ''}",
                    failure,
                )
            if number < self._policy.attempts:
                await self._sleep(wait)
                waited += wait
        raise _gave_up(f"{what} failed in {count_of(self._policy.attempts, 'attempts')}: {failure}", failure)

    def _advice_for(self, failure: Failure) -> str | None:
        if failure.kind == "time-out" and self._timeout is not None:
            longer = f'{{"timeout": {2 * self._timeout:g}}}'
            return (
                f"a call may take {self._timeout:g} s: for more, give {longer} in its parameters, as in "
                "--tau-agent-llm-args"
            )
        return self._advice.get(failure.status)

    def _wait(self, number: int, failure: Failure) -> float:
        jitter = self._uniform(0.0, min(self._policy.cap, self._policy.base * 2 ** (number - 1)))
        # The herd that was turned away together must not come back together.
        return jitter if failure.wait is None else failure.wait + min(jitter, self._policy.base)


def _gave_up(text: str, last: Failure) -> ProviderError:
    permanent = last.permanent and not last.retryable
    raised = ContextOverflow if last.kind == "context window" else ProviderError
    error = raised(text, permanent=permanent, status=last.status, kind=last.kind)
    error.tokens = last.tokens
    return error
