"""Sees that a player or a tool which never comes back costs its own trial alone, and not the run.

An ``async`` reply is cancelled when the trial's time is up. A synchronous one cannot be, nor can a tool. Where trials
run ahead, each in a thread of its own, the thread is left behind (:mod:`.lookahead`). Where the test plays its trial
itself, in the main thread, another thread looks at it from time to time and sends the main thread a signal that nobody
else uses; the handler raises :class:`~pytest_tau.conversation.asking.Interrupted` within player or tool, and the trial
ends as a time-out. That reaches whatever waits in Python: for a socket, a lock, a process, or in a loop. What does not
come back even then (C code that never returns to Python; who blocks all signals; and Windows has no such signals) ends
a worker of xdist, which is replaced. It ends a run in one process as well, with everything that is finished kept: soon
where the thread has made itself deaf to signals or goes on after each, after a minute more where it may just be slow.
:mod:`.heartbeat` sees to code that lets no other thread run.

A thread of the agent's own that waits for such a tool would keep the process from ending: :func:`ends_without` ends it.

Who looks around in a debugger is left alone.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import ParamSpec, TypeVar

from ...clock import Clock, monotonic
from ...conversation.asking import Interrupted
from ...conversation.limits import Limits
from ...conversation.trial import Trial
from ...diagnosis.faults import find_fault
from ...errors import DomainError
from ..private_python import frame_of_main, waits_for_threads
from ..run import Run
from ..workers.spool import spool
from .records import line_of
from .trial import Finished, TrialRequest

# Seconds between two looks at a trial, and that a player may go on beyond the time limit of its trial.
LOOK, PATIENCE = 1.0, 5.0
# Seconds after the first interrupt when a run in one process ends: of a thread that hears no signal, of any other.
DEAF, SLOW = 10.0, 60.0
_MANY = 5  # interrupts that a player has caught
_SIGNALS = ("SIGRTMAX", "SIGUSR2", "SIGUSR1")
_DEBUGGERS = frozenset({"bdb", "pdb", "debugpy", "pydevd", "_pydevd_bundle"})
_guards: list[Guard] = []  # those of this process that have begun and are not over: one, but for runs within tests
_guarding = threading.Lock()
_watched_by: int | None = None  # the process whose thread looks at them; a copy of it has no such thread
_taken: set[int] = set()  # signals that have had our handler
P = ParamSpec("P")
R = TypeVar("R")


class Backstage:
    """A domain's tools at work while nobody plays: where a trial is graded, or its task audited or tried."""

    def __init__(self, what: str, task: str, domain: str, timeout: float | None) -> None:
        self._what = f"{what} of task '{task}'"
        self._domain = domain
        self._clock = Clock(timeout)
        self.is_busy = True

    @property
    def overdue(self) -> float:
        """Seconds beyond a trial's time limit; 0.0 while somebody else is at work."""
        return self._clock.overdue if self.is_busy else 0.0

    def cancel(self) -> None:
        """Nothing of it can be cancelled."""

    def apart(self, function: Callable[P, R]) -> Callable[P, R]:
        """What takes its own time, such as a judge: the clock begins again after it."""

        def run_timed(*args: P.args, **kwargs: P.kwargs) -> R:
            self.is_busy = False
            try:
                made: R = function(*args, **kwargs)
                return made
            finally:
                self._clock = Clock(self._clock.timeout)
                self.is_busy = True

        return run_timed

    def error(self) -> DomainError:
        """That it has not come to its end; it is not interrupted any more."""
        self.is_busy = False
        what = f"{self._what} had not come to its end {self._clock.overdue:.0f} s after the time limit"
        return DomainError(f"{what}: a tool of domain '{self._domain}' does not return from a call of the task")


Watched = Trial | Backstage


@dataclass(frozen=True)
class _Settled:
    """What a guard has to know where nobody plays."""

    run: Run
    limits: Limits


class Guard:
    """Watches over a trial that is played in the calling thread, from its beginning until :meth:`end`."""

    def __init__(self, request: TrialRequest | _Settled) -> None:
        self._request = request
        self._trial: Watched | None = None
        self._signal: int | None = None
        self._main = threading.main_thread()
        self._tried = 0.0  # when the player was interrupted first
        self.interrupts = 0

    def begin(self, trial: Watched) -> None:
        """Watch from now on; its grading takes the place of a trial, or another trial (``--tau-invalid``)."""
        is_first, self._trial = self._trial is None, trial
        if self._request.limits.timeout is None or not is_first:
            return
        is_main = threading.current_thread() is self._main
        if is_main:
            self._signal = _our_signal()
        if is_main or self._request.run.is_worker:
            _watch_over(self)

    def end(self) -> None:
        """The trial is over."""
        if self in _guards:
            _guards.remove(self)

    @property
    def is_needed(self) -> bool:
        """Whether a player or a tool is still at work long after its trial's time limit."""
        return self._trial is not None and self._trial.is_busy and self._trial.overdue > PATIENCE

    def look(self) -> None:
        """Interrupt a player or a tool that has not come back, or end the process where that does not reach it."""
        if self._trial is None or not self.is_needed:
            return
        self._tried = self._tried or monotonic()
        if self._is_hopeless(self._trial.overdue):
            self._end_process(self._trial)
        elif self._signal is not None and self._main.ident is not None:
            signal.pthread_kill(self._main.ident, self._signal)
            # And in this thread: its handler runs in the main one, which may have blocked the signal for itself.
            signal.raise_signal(self._signal)

    def _is_hopeless(self, overdue: float) -> bool:
        """Whether the process is to end, so long after the time limit."""
        if self._request.run.is_worker:
            return self._signal is None or overdue > 2 * PATIENCE + LOOK
        hears = self._signal is not None and self.interrupts < _MANY and not _is_deaf(self._signal)
        return monotonic() - self._tried > (SLOW if hears else DEAF)

    def _end_process(self, trial: Watched) -> None:
        run = self._request.run
        if not run.is_worker and _in_a_debugger(frame_of_main()):
            return
        what = ""
        if isinstance(trial, Trial) and trial.is_closing:  # its conversation has been kept
            what = "close() of the agent had not returned after its time"
        elif isinstance(trial, Trial) and not isinstance(self._request, _Settled):
            what = give_up(self._request, trial).simulation.note or ""
        elif isinstance(trial, Backstage):
            what = str(trial.error())
        if not run.is_worker:
            _say_at_last(run, what or "a tool had not returned after the time limit")
        os._exit(1)


def _watch_over(guard: Guard) -> None:
    """Have a guard look from time to time; one thread does it for all, as to start one takes longer than many a trial.

    It ends when it finds nobody to watch over.
    """
    global _watched_by
    with _guarding:
        _guards.append(guard)
        if _watched_by != os.getpid():
            threading.Thread(target=_look_around, name="tau-guard", daemon=True).start()
            _watched_by = os.getpid()  # only now: where no thread can be started, the next trial tries again


def _look_around() -> None:
    global _watched_by
    pause = threading.Event()
    while True:
        pause.wait(LOOK)
        for guard in tuple(_guards):
            with suppress(Exception):  # the others are looked at all the same
                guard.look()
        with _guarding:
            if not _guards:
                _watched_by = None
                return


@contextmanager
def backstage(run: Run, limits: Limits, what: str, task: str, domain: str) -> Iterator[None]:
    """Watch over a domain's tools at work in the calling thread; raises DomainError where they do not come back."""
    guard, work = Guard(_Settled(run, limits)), Backstage(what, task, domain, limits.timeout)
    try:
        guard.begin(work)
        yield
    except Interrupted:
        raise work.error() from None
    finally:
        guard.end()


def give_up(request: TrialRequest, trial: Watched) -> Finished:
    """End a trial for its time limit though its player has not come back, and keep it.

    Raises DomainError where it is graded.
    """
    if isinstance(trial, Backstage):
        raise trial.error()
    trial.abandon()
    simulation = trial.simulation()
    ends_without(request.run, simulation.note or "")
    reward = None
    finished = Finished(simulation, reward, find_fault(request.slot.task, simulation, reward, request.slot.domain))
    spool(request.run).keep(line_of(request.item.nodeid, request.slot, finished))
    return finished


def ends_without(run: Run, what: str, seconds: float = 2 * LOOK) -> None:
    """See that the process comes to its end after the session, whatever of a trial is still at work in a thread.

    ``what``: what the trial waited for. ``seconds``: how long Python may wait for threads, which it does for ever.
    """
    watch = run.one(_LastWatch)
    watch.what, watch.seconds = watch.what or what, min(watch.seconds, seconds)


def _say_at_last(run: Run, what: str) -> None:
    """Say why the process ends, where it can be read although prints are captured."""
    with suppress(Exception):
        run.config.pluginmanager.getplugin("capturemanager").suspend_global_capture(in_=True)
    with suppress(Exception):
        sys.stderr.write(
            f"\npytest-tau: {what}, and nothing interrupts it: the process ends. What is finished is kept: go on with "
            "--tau-resume\n"
        )
        sys.stderr.flush()


class _LastWatch:
    """Waits for the process to end, and ends it where threads keep it."""

    def __init__(self, run: Run) -> None:
        self.what, self.seconds = "", math.inf
        self._pause = threading.Event()
        self._session = run.session
        threading.Thread(target=self._watch, name="tau-last", daemon=True).start()

    def _watch(self) -> None:
        looks = 0
        while looks * LOOK < self.seconds:
            self._pause.wait(LOOK)
            looks = looks + 1 if waits_for_threads() else 0
        sys.stderr.write(f"pytest-tau: {self.what}; it is still at work in a thread: the process ends without it\n")
        sys.stderr.flush()
        os._exit(int(self._session.exitstatus))


def _our_signal() -> int | None:
    """A signal that nobody else uses, with our handler; None where there is none. For the main thread.

    The handler stays: by itself the signal would end the process, and one may be under way when a trial is over.
    """
    for name in _SIGNALS if hasattr(signal, "pthread_kill") else ():
        number = getattr(signal, name, None)
        if number is not None and (number in _taken or signal.getsignal(number) in (signal.SIG_DFL, _interrupt)):
            if signal.getsignal(number) is not _interrupt:  # as it was, or whoever played before has changed it
                signal.signal(number, _interrupt)
                _taken.add(number)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})  # whoever played before may have blocked all
            return int(number)
    return None


def _interrupt(number: int, frame: FrameType | None) -> None:
    """In the main thread: end the player's reply, if that is what the thread is still at."""
    needed = [guard for guard in _guards if guard.is_needed]
    if needed and not _in_a_debugger(frame):
        needed[-1].interrupts += 1
        raise Interrupted


def _is_deaf(number: int) -> bool:
    """Whether the main thread will not hear a signal, as far as one can know: it has another handler, or blocks it."""
    if signal.getsignal(number) is not _interrupt:
        return True
    with suppress(OSError, ValueError, StopIteration):  # only Linux tells of another thread
        # The main thread has the number of its process; what Python knows of it is from before a fork.
        status = Path(f"/proc/self/task/{os.getpid()}/status").read_text(encoding="ascii").splitlines()
        blocked = next(line for line in status if line.startswith("SigBlk:")).partition(":")[2]
        return bool(int(blocked, 16) >> (number - 1) & 1)
    return False


def _in_a_debugger(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False
