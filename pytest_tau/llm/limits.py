"""Limits on model calls that hold over all threads, event loops and processes of one run, and its budget.

The account is a file that all processes share (:mod:`.ledger`). Of the calls that wait in one process only the first
looks at it; the others stand in line behind it. The first sleeps until a call ends, in its own process or in another
one that rings it, or until the window of a rate has room. Whoever takes the last place says so, and the next in line
sleeps without a look. So a thousand waiting calls cost no more than one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ..clock import monotonic, standing_still
from ..errors import InfraError
from .ledger import BudgetReached, Ledger, LedgerBusy, Need, Spent, Started
from .limit_settings import LimitSettings
from .local_queue import Bell, WaitingLine, ring

__all__ = ["NOTHING", "BudgetReached", "CallLimits", "LimitSettings", "Need", "RunLimits", "Spent"]

# Whose process was killed rings nobody: so long may its place stay empty.
_LOOK_AGAIN = 1.0
# Transactions take a tenth of a millisecond; whoever meets one is back as soon as this.
_BUSY_PAUSE = 0.002
_BUSY_SECONDS = 30.0
_BUSY_TRIES = 5

NOTHING = Need()


class CallLimits(Protocol):
    """What lets calls of models go: the limits of a run, alone or with what it shares with other runs."""

    @property
    def settings(self) -> LimitSettings:
        """What the run keeps to."""

    async def acquire(self, need: Need = NOTHING, *, seconds: float = 600.0) -> Any:
        """Wait until a call may start; see :meth:`RunLimits.acquire`."""

    def settle(
        self,
        call: Any,
        *,
        tokens: int | None = None,
        usd: float | None = None,
        answer: tuple[str, int] | None = None,
    ) -> None:
        """Count a call as over; see :meth:`RunLimits.settle`."""


class RunLimits:
    """The limits of one run.

    Args:
        folder: a folder that all processes of the run share, on a local disk.
        settings: the limits.
        clock: a clock all processes share; replaced in tests.
        sleep: waits instead of the bell; given in tests.
    """

    def __init__(
        self,
        folder: Path,
        settings: LimitSettings,
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self.settings = settings
        self._ledger = Ledger(folder, settings, clock)
        self._sleep = sleep
        self._bell = Bell()
        self._line = WaitingLine()

    async def acquire(self, need: Need = NOTHING, *, seconds: float = 600.0) -> int:
        """Wait until a call may start, and count it in. Calls of one process start in the order in which they came.

        Args:
            need: what it will take.
            seconds: when it is certainly over; it counts as lost from then on.

        Returns:
            What :meth:`settle` takes when the call is over, however it ended.

        Raises:
            BudgetReached: the call does not fit into what is left of the budget.
            InfraError: the account cannot be written.
        """
        with standing_still():
            return await self._acquire(need, seconds)

    async def _acquire(self, need: Need, seconds: float) -> int:
        async with self._line.turn():
            waited, port = self._line.waits_for_bell, None if self._sleep is not None else self._bell.port()
            if waited:
                self._line.waits_for_bell = False
                await self._wait(_LOOK_AGAIN)
            while True:
                others = self._line.is_followed
                answer = await _patiently(partial(self._ledger.start, need, seconds, port=port, others=others))
                if isinstance(answer, Started):
                    self._line.waits_for_bell = others and answer.took_last
                    break
                waited = True
                await self._wait(_LOOK_AGAIN if answer.seconds is None else min(answer.seconds, _LOOK_AGAIN))
        if waited and self._line.is_empty:  # what made room for this call may have room for one of another process
            with suppress(LedgerBusy):
                ring(self._ledger.next_waiting())
        return answer.call

    async def _wait(self, seconds: float) -> None:
        if self._sleep is not None:
            await self._sleep(seconds)
        else:
            await self._bell.wait(seconds)

    def settle(
        self, call: int, *, tokens: int | None = None, usd: float | None = None, answer: tuple[str, int] | None = None
    ) -> None:
        """Count a call as over, with what it used; what is None counts as it was reserved.

        It does not wait while another process writes for longer than a few milliseconds: then a thread does.
        ``answer``: the model and how long its answer was, in tokens.
        """
        for _ in range(_BUSY_TRIES):
            if self._is_settled(call, tokens, usd, answer):
                return
            time.sleep(_BUSY_PAUSE)
        threading.Thread(target=self._settle_later, args=(call, tokens, usd, answer), name="tau-settle").start()

    def _settle_later(self, call: int, tokens: int | None, usd: float | None, answer: tuple[str, int] | None) -> None:
        give_up = monotonic() + _BUSY_SECONDS
        while not self._is_settled(call, tokens, usd, answer) and monotonic() < give_up:
            time.sleep(_BUSY_PAUSE)

    def _is_settled(self, call: int, tokens: int | None, usd: float | None, answer: tuple[str, int] | None) -> bool:
        """Settle a call, unless another process is writing."""
        try:
            waiting = self._ledger.settle(call, tokens=tokens, usd=usd, answer=answer)
        except LedgerBusy:
            return False
        ring(waiting)
        return True

    def spending(self) -> Spent:
        """What has been used up so far."""
        return self._ledger.spending()

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up or has turned a call away, so that no new trial should start."""
        spent = self.spending()
        return spent.refused > 0 or self._ledger.refusal(spent, 0, 0.0) is not None


async def _patiently(look: Callable[[], Any]) -> Any:
    """What a look at the account gives, as soon as no other process writes; the event loop goes on meanwhile."""
    give_up = monotonic() + _BUSY_SECONDS
    while True:
        try:
            return look()
        except LedgerBusy:
            if monotonic() > give_up:
                raise InfraError(
                    f"the limits of the run have been written by another process for {_BUSY_SECONDS:g} s; end that "
                    "process, and start again with --tau-resume"
                ) from None
            await asyncio.sleep(_BUSY_PAUSE)
