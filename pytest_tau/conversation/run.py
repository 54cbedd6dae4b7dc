"""Drives a trial to its end: asks the players, sync and async ones alike, and hands the trial what comes of it.

:func:`converse` runs what an async player returns on a loop of its own, or on one that the caller has; :func:`aplay`
awaits it. An :class:`~pytest_tau.episode.Episode` asks the customer alone, by :func:`answer` or :func:`aanswer`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from ..clock import Clock, keep_time, limited
from ..errors import SettingsError
from ..schema.messages import AssistantMessage, UserMessage
from ..schema.simulation import Simulation
from .asking import Ask, Interrupted, end_copy_of, process_id
from .trial import Trial

if TYPE_CHECKING:
    import asyncio

# What most players reply: nothing to wait for.
_MESSAGES = (AssistantMessage, UserMessage, str)
_CANCELLED = "a reply was cancelled, and not for its time limit: a call that it waited for raised CancelledError"
_RUNNING = (
    "an async agent or customer cannot be waited for where an event loop is running, as in a notebook: use await with "
    "asimulate(), areset() or astep()"
)
# Runs what an async player returns, and gives the result.
Wait = Callable[[Coroutine[Any, Any, Any]], Any]


class OwnLoop:
    """Runs what async players return on an event loop of its own, made when it is first needed."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def __call__(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Its result; raises SettingsError where a loop is running already."""
        import asyncio

        if _is_loop_running():
            raise SettingsError(_RUNNING)
        if self._runner is None:
            self._runner = asyncio.Runner(loop_factory=lambda: keep_time(asyncio.new_event_loop()))
        return self._runner.run(work)

    def close(self) -> None:
        """End the loop, if there is one; what comes later has another."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None


def _is_loop_running() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def play(trial: Trial, wait: Wait) -> Simulation:
    """Play a trial to its end, and give its record; whoever plays it closes it, which lets its agent go."""
    trial.begin()
    while (ask := trial.ask()) is not None:
        answer(trial, ask, wait)
    return trial.simulation()


def converse(trial: Trial, wait: Wait | None = None) -> Simulation:
    """Play a trial to its end, give its record, and close it.

    Args:
        trial: the trial.
        wait: runs what an async player returns and gives the result; by default on an event loop that lives as long as
            the trial.
    """
    loop = OwnLoop()
    try:
        play(trial, wait or loop)
    finally:
        trial.close()
        loop.close()
    return trial.simulation()


async def aplay(trial: Trial) -> Simulation:
    """As :func:`converse`, on the running event loop."""
    try:
        trial.begin()
        while (ask := trial.ask()) is not None:
            await aanswer(trial, ask)
    finally:
        trial.close()
    return trial.simulation()


def answer(trial: Trial, ask: Ask, wait: Wait) -> None:
    """Ask the player whose turn it is, and hand the trial what comes of it."""
    try:
        with trial.answering():
            reply = ask()
            if not isinstance(reply, _MESSAGES) and inspect.isawaitable(reply):
                reply = _await_reply(wait, reply, trial.clock)
    except (Exception, Interrupted) as error:
        trial.take_error(ask, error)
    else:
        trial.take_reply(ask, reply)


async def aanswer(trial: Trial, ask: Ask) -> None:
    """As :func:`answer`, on the running event loop."""
    try:
        reply = ask()
        if inspect.isawaitable(reply):
            reply = await _within(reply, trial.clock)
    except Exception as error:
        trial.take_error(ask, error)
    else:
        trial.take_reply(ask, reply)


def _await_reply(wait: Wait, reply: Any, clock: Clock) -> Any:
    """What an async player answers. One whose wait was refused has not begun, and Python warns of what never does."""
    work = _within(reply, clock)
    try:
        return wait(work)
    finally:
        if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
            work.close()
            if inspect.iscoroutine(reply):
                reply.close()


async def _within(reply: Any, clock: Clock) -> Any:
    import asyncio

    process = process_id()
    async with limited(clock):
        try:
            return await reply
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise RuntimeError(_CANCELLED) from error  # which would cancel those who wait for the trial
        finally:
            end_copy_of(process)
