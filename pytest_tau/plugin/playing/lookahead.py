"""Look-ahead: while pytest runs tests one by one, the trials of the next ones are already being played.

How it works. pytest runs one test at a time, and a trial spends nearly all of its time waiting for models. So a test
does not play its trial itself:

- :class:`LookAhead` keeps a window of jobs, one for each trial that is being played or waits for its test. The window
  holds two jobs for each slot of ``--tau-concurrency``: trials differ in length, and with one slot each the slots
  behind a long trial would stand empty until its test is over.
- A test asks for its trial (:meth:`LookAhead.run`). Its job is begun if it was not, the window is filled with the
  trials of the tests that come next, and the test waits for its own job alone. While it waits, the window is filled
  again: a worker may hear of its next tests late.
- As many threads as there are slots take jobs from a queue; the first jobs begin one by one. Sync players are called in
  the trial's thread; async ones run on one event loop for all (:mod:`.loops`). What a job prints and logs is set aside
  and given out with its test (:mod:`.captured_output`).
- What may run ahead, :mod:`.upcoming` decides: a test whose set-up has to come first is played when pytest gets there.

A job ends in one of four ways. Its test takes the result, or what it raised. Its test is over without asking (it was
skipped, or its set-up failed): :meth:`LookAhead.forget` cancels it. xdist gave its test to another worker: it is
cancelled, and that worker plays the trial. The session ends: all are cancelled. Cancelling works before a job begins,
between two turns, and within an async reply; a sync reply that never ends is left behind in its daemon thread.

Whatever a job has finished is in the spool before its test hears of it, so a process may die at any moment.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any

import pytest

from ...agents.names import MODEL_AGENTS
from ...conversation.trial import Trial
from ...garbage import seldom_visited
from ...schema.simulation import Simulation
from ...users.names import SCRIPTED, plays_a_model
from ..private import one_of_each_function
from ..run import Run
from ..workers.hosts import conversations_at_once
from ..workers.spool import spool
from .captured_output import OutputRouter
from .descriptors import make_room
from .guarding import LOOK, PATIENCE, Guard, Watched, give_up
from .leftovers import leftovers
from .loops import GRACE, CallersLoop, ModelLoop, ThreadLoop, run_to_end
from .players import evaluates, is_offline
from .running import conduct, finish, play_at_once, play_here
from .sources import from_project
from .trial import Finished, Play, TrialRequest, Wait
from .upcoming import Upcoming, overrides_players, request_ahead

# Seconds that the next trial waits for one to be set up. Set up side by side, in as many threads, they would keep the
# models' loop from its calls; then all calls leave at once, and in each turn every conversation waits for all others.
PACE = 0.002


class LookAhead:
    """Runs trials in threads; asked for one, it begins those that come after it."""

    def __init__(self, run: Run, concurrency: int, loop: ModelLoop | ThreadLoop) -> None:
        self.concurrency = concurrency
        self._upcoming = Upcoming(run)
        self._router = OutputRouter(run)
        self._loop = loop
        self._judges_loop = loop if isinstance(loop, ModelLoop) else ModelLoop()
        self._jobs: dict[str, _Job] = {}
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._at_work: list[_Job] = []
        self._free_slots = concurrency
        self._last_noted: threading.Event | None = None

    @property
    def window(self) -> int:
        """How many trials may be under way or wait for their test: two slots each, as trials differ in length."""
        return 2 * self.concurrency

    def run(self, request: TrialRequest) -> Finished:
        """Wait for the trial; cancels it when the wait is cut off."""
        job = self._jobs.get(request.item.nodeid)
        if job is None:
            if self._upcoming.why_alone(request.item) is not None:
                return play_here(request, self.waiter())
            job = self._begin([request])[0]
        self._begin_next(request)
        try:
            return self._result(job, request)
        except BaseException:
            job.cancel()
            raise
        finally:
            self._jobs.pop(request.item.nodeid, None)
            job.output.release()

    def waiter(self) -> Wait:
        """What runs the coroutines of a trial that is not played ahead."""
        return partial(run_to_end, self._loop)

    def _result(self, job: _Job, request: TrialRequest) -> Finished:
        """Wait for a trial as long as its players may take."""
        while True:
            try:
                return job.future.result(LOOK)
            except TimeoutError:
                if job.future.done():
                    return job.future.result()  # the trial raised one itself
            self._begin_next(request)  # xdist may have sent more tests meanwhile
            self._leave_behind()
            if job.is_overdue:
                return job.give_up()

    def _leave_behind(self) -> None:
        """Have other threads take the place of those whose player or tool does not come back, whoever waits for it.

        The test of such a trial may be over, or come later: what is asked for now needs a thread to be played in.
        """
        for job in tuple(self._at_work):
            if job.is_overdue and job.thread in self._threads:
                self._threads.remove(job.thread)
                self._grow(1)
                self._loop.leave_if_held(PATIENCE)

    def _begin_next(self, current: TrialRequest) -> None:
        """Fill the window with what comes after the current trial."""
        for nodeid in self._upcoming.given_away(current.item, self._jobs):
            self._jobs.pop(nodeid).cancel()  # another worker runs that test now, and plays its trial
        self._begin(self._coming(current))

    def _coming(self, current: TrialRequest) -> list[TrialRequest]:
        """The trials after the current one that there is room for in the window."""
        room = self.window - len(self._jobs)
        items = self._upcoming.after(current.item, self.window) if room > 0 else ()
        requests = (request_ahead(item, current) for item in items if item.nodeid not in self._jobs)
        return list(islice((request for request in requests if request is not None), max(room, 0)))

    def why_alone(self, item: pytest.Item) -> str | None:
        """Why a test's trial is not played ahead; None when it may be."""
        return self._upcoming.why_alone(item)

    def forget(self, item: pytest.Item) -> None:
        """A test is over: if it has not asked for its trial, nobody will."""
        job = self._jobs.pop(item.nodeid, None)
        if job is not None:
            job.cancel()

    def close(self) -> None:
        """Cancel what nobody will ask for any more."""
        for job in self._jobs.values():
            job.cancel()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            if thread.is_alive():  # its start may have been patched away
                thread.join(GRACE / len(self._threads))
        self._loop.close()
        self._judges_loop.close()
        self._router.uninstall()

    def _begin(self, requests: list[TrialRequest]) -> list[_Job]:
        jobs = []
        # All threads before the first job: each is waited for until it runs, which takes long beside busy ones.
        self._grow(len(requests))
        for request in requests:
            job = _Job(request, self._loop, self._judges_loop, self._router, self._last_noted)
            self._last_noted = job.noted
            self._jobs[job.nodeid] = job  # and put into the queue: no interrupt comes in between
            self._queue.put(job)
            jobs.append(job)
            if self._free_slots:  # else it waits for one, and is set up when another trial is over
                self._free_slots -= 1
                job.under_way.wait(PACE)
        return jobs

    def _grow(self, most: int) -> None:
        """Begin more threads, where there are fewer than conversations may go on."""
        for _ in range(min(most, self.concurrency - len(self._threads))):
            thread = threading.Thread(target=self._work, name=f"tau-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        me = threading.current_thread()
        while me in self._threads and (job := self._queue.get()) is not None:
            self._at_work.append(job)
            contextvars.Context().run(job.play)
            self._at_work.remove(job)


class _Job:
    """One trial that is played in another thread than its test's."""

    def __init__(
        self,
        request: TrialRequest,
        loop: ModelLoop | ThreadLoop,
        judges_loop: ModelLoop,
        router: Any,
        earlier_noted: threading.Event | None,
    ) -> None:
        self._request = request
        # Were a trial that kills its process noted before the one whose test runs, that test would be run again with
        # others beside it, and be blamed for what the next of them does.
        self._earlier_noted = earlier_noted
        self.noted = threading.Event()  # it stands in the spool, or is over
        self.nodeid = request.item.nodeid
        self._loop, self._judges_loop = loop, judges_loop
        self._trial: Watched | None = None
        self._asked: Future[Any] | None = None
        self._cancelled = False
        self.under_way = threading.Event()  # it is set up and waits for a player, or is over
        self.thread: threading.Thread | None = None
        self.future: Future[Finished] = Future()
        self.output = router.collect()

    def play(self) -> None:
        """Play the trial, unless it was cancelled before it began."""
        if self._earlier_noted is not None:
            self._earlier_noted.wait(PATIENCE)
        if not self.future.set_running_or_notify_cancel():
            self.noted.set()
            return
        self.output.begin()
        self.thread = threading.current_thread()
        try:
            finished = conduct(self._request, self._wait, self._note_start)
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(finished)
        finally:
            self.noted.set()
            self.under_way.set()

    def cancel(self) -> None:
        """End the trial as soon as that is possible: before it begins, between two turns, or in an async reply."""
        self._cancelled = True
        self.future.cancel()
        if self._trial is not None:
            self._trial.cancel()
        if self._asked is not None:
            self._asked.cancel()

    @property
    def is_overdue(self) -> bool:
        """Whether a player or a tool has not come back long after the trial's time was over."""
        return self._trial is not None and self._trial.overdue > PATIENCE

    def give_up(self) -> Finished:
        """The trial as it is; its thread is left behind."""
        if self._trial is None:
            raise RuntimeError("only a trial that was begun can be overdue")
        request = self._request
        if isinstance(self._trial, Trial) and self._trial.is_closing:
            self._trial.leave_closing()
            return self._finish_here(self._trial.simulation())
        done = give_up(request, self._trial)
        return self._finish_here(done.simulation) if request.run.settings.timeout_as == "miss" else done

    def _finish_here(self, simulation: Simulation) -> Finished:
        """Grade a conversation that is over, in this thread: the other one still waits for the agent."""
        request, guard = self._request, Guard(self._request)
        try:
            return finish(request, simulation, self._wait, guard.begin)
        finally:
            guard.end()

    def _note_start(self, trial: Watched) -> None:
        self.noted.set()
        self._trial = trial
        if self._cancelled:
            trial.cancel()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._cancelled:
            raise CancelledError
        # Once the conversation is over, judges are asked: no player may block the loop that they are waited for on.
        is_played = isinstance(self._trial, Trial) and not self._trial.conversation.over
        self._asked = (self._loop if is_played else self._judges_loop).submit(work)
        self.under_way.set()
        if self._cancelled:
            self._asked.cancel()
        return self._asked.result()


def how_to_play(run: Run) -> Play:
    """What plays the trials of this process."""
    ahead = run.one(look_ahead)
    return play_at_once if ahead is None else ahead.run


def waiter(run: Run) -> Wait:
    """What runs the coroutines of a trial that its test plays."""
    ahead = run.one(look_ahead)
    return run.one(CallersLoop).for_a_trial() if ahead is None else ahead.waiter()


def look_ahead(run: Run) -> LookAhead | None:
    """What plays trials before their tests; None where each is played when its test asks for it."""
    make_room(conversations_at_once(run))  # before some of the room is held back
    leftovers(run)  # from before the first trial on
    ours = _are_ours(run)
    concurrency = 1 if ours and _answer_at_once(run) else conversations_at_once(run)
    if concurrency == 1:
        return None
    spool(run)  # made before, so that it is closed after
    ahead = LookAhead(run, concurrency, ModelLoop() if ours else ThreadLoop())
    run.ending.enter_context(seldom_visited())
    run.ending.callback(ahead.close)
    return ahead


def _are_ours(run: Run) -> bool:
    """Whether all players of all trials are ours."""
    user = run.settings.user_name
    if any(from_project(run, side) for side in ("agent", "user")) or not (user == SCRIPTED or plays_a_model(user)):
        return False
    if not all(agent.name in MODEL_AGENTS or is_offline(agent.name) for agent in run.settings.agents):
        return False
    return not any(overrides_players(run, item) for item in one_of_each_function(run.session.items))


def _answer_at_once(run: Run) -> bool:
    """Whether our players ask no model: then threads would only be in each other's way."""
    chosen = run.settings
    return chosen.concurrency is None and not evaluates(run) and chosen.user_name == SCRIPTED


def forget(run: Run, item: pytest.Item) -> None:
    """Let go of a trial whose test is over."""
    if (ahead := run.existing(look_ahead)) is not None:
        ahead.forget(item)
