"""Ends a process in which code lets no other thread run, such as a search that takes for ever in C.

No thread of Python's can end that: it would never get its turn. The system's timer of processor time can, by a signal
that ends the process. A thread winds it up again every few seconds; it runs out only where that thread gets no turn for
as much processor time as a trial may take seconds. Python then prints where each thread is. A worker of xdist is
replaced. Windows has no such timer.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from contextlib import suppress

from ..run import Run

BEAT, PATIENCE = 5.0, 30.0


class _Heartbeat:
    """Winds up the timer until the session is over; not where somebody else uses it or its signal."""

    def __init__(self, run: Run) -> None:
        if not hasattr(signal, "setitimer") or _is_used():
            return
        self._limit = run.settings.timeout + PATIENCE
        self._over = threading.Event()
        try:
            # Another number for the same place: prints are captured there while tests run.
            self._file = os.dup(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2)
            self._wind_up()
        except (OSError, ValueError):
            return
        faulthandler.register(signal.SIGPROF, file=self._file, all_threads=True, chain=True)
        run.config.add_cleanup(self._end)
        self._thread = threading.Thread(target=self._beat, name="tau-heartbeat", daemon=True)
        self._thread.start()

    def _wind_up(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, self._limit)

    def _beat(self) -> None:
        while not self._over.wait(BEAT):
            self._wind_up()

    def _end(self) -> None:
        self._over.set()
        self._thread.join(PATIENCE)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        faulthandler.unregister(signal.SIGPROF)
        with suppress(OSError):
            os.close(self._file)


def _is_used() -> bool:
    return signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL or signal.getitimer(signal.ITIMER_PROF)[0] > 0


def keep_beating(run: Run) -> None:
    """From now on, end this process where nothing else can."""
    run.one(_Heartbeat)
