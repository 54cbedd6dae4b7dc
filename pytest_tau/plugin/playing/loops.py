"""The one event loop of a process, on which all that is asynchronous in its trials runs.

An agent may keep a client for all its trials, such as an ``httpx.AsyncClient`` of its module. Such a client belongs to
the loop it was first used on, so the loop lives as long as the session, unless an agent holds it up for good. Where
trials are played one by one it runs in the thread that asks, where a debugger can look at it; where they run ahead, in
a thread of its own, or, where all players are ours, it is the one that models are asked on.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

from ...clock import keep_time
from ..run import Run
from .trial import Wait

# Seconds that what still runs gets to come to its end.
GRACE = 1.0

# Threads for the blocking work that async players hand over (``asyncio.to_thread``), each made when it is needed. The
# loop's own limit is six on two cores, so trials would wait for each other.
THREADS = 1024


class _Threads(ThreadPoolExecutor):
    """Threads for blocking work; who closes the loop does not wait for one that never comes back."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=cancel_futures)


class CallersLoop:
    """Runs coroutines in the thread that asks, one at a time."""

    def __init__(self, run: Run) -> None:
        # With a factory: pytest's own idea of the current loop stays what it is.
        self._runner = asyncio.Runner(loop_factory=self._make_loop)
        self._loop: asyncio.AbstractEventLoop | None = None
        run.ending.callback(self._close)

    def for_a_trial(self) -> Wait:
        """What runs the coroutines of one trial: what one sets in a context variable, the next one finds."""
        context = contextvars.copy_context()
        return lambda work: self._runner.run(work, context=context)

    def _make_loop(self) -> asyncio.AbstractEventLoop:
        self._loop = _loop()
        return self._loop

    def _close(self) -> None:
        """Cancel what still runs; what does not end by that is left as it is. No loop is made for that."""
        loop = self._loop
        if loop is None:
            return
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE))
        if asyncio.all_tasks(loop):
            loop.close()
        else:
            self._runner.close()


def run_to_end(loop: ModelLoop | ThreadLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine there to its end; cancels it when the wait is cut off."""
    asked = loop.submit(work)
    try:
        return asked.result()
    except BaseException:
        asked.cancel()
        raise


class ModelLoop:
    """The loop that models are asked on, for players of ours and judges, which wait for models and for nothing else.

    So a call changes threads twice and not four times. A player of somebody else may block its loop, with a client that
    waits in its thread: for an answer of ours even, at its trial's endpoint, which this loop would have to fetch.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine there, in the caller's context."""
        from ...llm import backend

        return asyncio.run_coroutine_threadsafe(self._track(work), backend.loop())

    def leave_if_held(self, seconds: float) -> None:
        """Nobody holds this one: what blocks is no player of ours."""

    async def _track(self, work: Coroutine[Any, Any, Any]) -> Any:
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def close(self) -> None:
        """Cancel what still runs there for these trials."""
        if self._tasks:
            from ...llm import backend

            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._end(), backend.loop()).result(GRACE)

    async def _end(self) -> None:
        if tasks := list(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


def _loop() -> asyncio.AbstractEventLoop:
    made: asyncio.AbstractEventLoop = keep_time(asyncio.new_event_loop())
    made.set_default_executor(_Threads(THREADS, thread_name_prefix="tau-blocking"))
    return made


class ThreadLoop:
    """Runs coroutines side by side in a thread of its own; the thread is made when it is first needed.

    An agent that waits in that thread, and not on the loop, holds it up for all others. One that never comes back keeps
    the loop, and those who come later have another.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._kept: list[asyncio.AbstractEventLoop] = []
        self._closed = False

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine there, in the caller's context."""
        with self._lock:
            if self._loop is None:
                runner = asyncio.Runner(loop_factory=_loop)
                self._loop = runner.get_loop()
                self._thread = threading.Thread(target=self._run, args=(runner,), name="tau-loop", daemon=True)
                self._thread.start()
            loop = self._loop  # it may be left at once
        return asyncio.run_coroutine_threadsafe(work, loop)

    def leave_if_held(self, seconds: float) -> None:
        """Have later coroutines run on another loop, where this one takes none up for so long."""
        loop, answered = self._loop, threading.Event()
        if loop is None:
            return
        loop.call_soon_threadsafe(answered.set)
        if not answered.wait(seconds):
            with self._lock:
                self._kept.append(loop)
                self._loop = None

    def _run(self, runner: asyncio.Runner) -> None:
        with runner:  # cancels at its end what is still going on
            while not self._closed:
                # SystemExit and KeyboardInterrupt end a loop; the trial that raised them has them as its result.
                with suppress(SystemExit, KeyboardInterrupt):
                    runner.get_loop().run_forever()

    def close(self) -> None:
        """Cancel what still runs there."""
        self._closed = True
        for kept in self._kept:
            kept.call_soon_threadsafe(kept.stop)
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(GRACE)
