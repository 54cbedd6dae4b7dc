"""Sees that a player which never comes back costs its own trial alone, and not the run.

An ``async`` reply is cancelled when the trial's time is up. A synchronous one cannot be. Where trials run ahead, each
in a thread of its own, the thread is left behind (:mod:`.lookahead`). Where the test plays its trial itself, in the
main thread, another thread looks at it from time to time and sends the main thread a signal that nobody else uses; the
handler raises :class:`~pytest_tau.conversation.trial.Interrupted` within the player, and the trial ends as a time-out.
That reaches whatever waits in Python: for a socket, a lock, a process, or in a loop. What does not come back even then
(C code that never returns to Python; and Windows has no such signals) ends a worker of xdist, which is replaced; a run
in one process goes on waiting, and says for what.

Who looks around in a debugger is left alone.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from ...conversation.trial import Interrupted, Trial
from ...metrics.faults import find_fault
from ..workers.spool import spool
from .records import line_of
from .trial import Finished, TrialRequest

# Seconds between two looks at a trial, and that a player may go on beyond the time limit of its trial.
LOOK, PATIENCE = 1.0, 5.0
_SIGNALS = ("SIGRTMAX", "SIGUSR2", "SIGUSR1")
_DEBUGGERS = frozenset({"bdb", "pdb", "debugpy", "pydevd", "_pydevd_bundle"})
_guards: list[Guard] = []  # those of this process that have begun and are not over: one, but for runs within tests


class Guard:
    """Watches over a trial that is played in the calling thread, from its beginning until :meth:`end`."""

    def __init__(self, request: TrialRequest) -> None:
        self._request = request
        self._over = threading.Event()
        self._trial: Trial | None = None
        self._signal: int | None = None

    def begin(self, trial: Trial) -> None:
        """Watch from now on; another trial takes the place of one that is played again (``--tau-invalid``)."""
        is_first, self._trial = self._trial is None, trial
        if self._request.limits.timeout is None or not is_first:
            return
        if threading.current_thread() is threading.main_thread():
            self._signal = _our_signal()
        if self._signal is not None or self._request.run.is_worker:
            _guards.append(self)
            threading.Thread(target=self._watch, name="tau-guard", daemon=True).start()

    def end(self) -> None:
        """The trial is over."""
        self._over.set()
        if self in _guards:
            _guards.remove(self)

    @property
    def is_needed(self) -> bool:
        """Whether a player is still at work long after its trial's time limit."""
        return self._trial is not None and self._trial.is_answering and self._trial.overdue > PATIENCE

    def _watch(self) -> None:
        main = threading.main_thread().ident
        while not self._over.wait(LOOK):
            if self._trial is None or not self.is_needed:
                continue
            if self._request.run.is_worker and (self._signal is None or self._trial.overdue > 2 * PATIENCE + LOOK):
                give_up(self._request, self._trial)
                os._exit(1)
            if self._signal is not None and main is not None:
                signal.pthread_kill(main, self._signal)


def give_up(request: TrialRequest, trial: Trial) -> Finished:
    """End a trial for its time limit though its player has not come back, and keep it."""
    trial.abandon()
    simulation = trial.simulation(agent=request.agent_name, user=request.user_name)
    reward = None
    finished = Finished(simulation, reward, find_fault(request.slot.task, simulation, reward, request.slot.domain))
    spool(request.run).keep(line_of(request.item.nodeid, request.slot, finished))
    return finished


def _our_signal() -> int | None:
    """A signal that nobody else uses, with our handler; None where there is none. For the main thread.

    The handler stays: by itself the signal would end the process, and one may be under way when a trial is over.
    """
    for name in _SIGNALS if hasattr(signal, "pthread_kill") else ():
        number = getattr(signal, name, None)
        if number is not None and (before := signal.getsignal(number)) in (signal.SIG_DFL, _interrupt):
            if before is not _interrupt:
                signal.signal(number, _interrupt)
            return int(number)
    return None


def _interrupt(number: int, frame: FrameType | None) -> None:
    """In the main thread: end the player's reply, if that is what the thread is still at."""
    if any(guard.is_needed for guard in _guards) and not _in_a_debugger(frame):
        raise Interrupted


def _in_a_debugger(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _DEBUGGERS:
            return True
        frame = frame.f_back
    return False
