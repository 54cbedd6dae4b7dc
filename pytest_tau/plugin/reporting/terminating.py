"""A run that is told to end (SIGTERM) ends like one that is interrupted (Ctrl-C): with what was done."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from ..run import Run


class Terminating:
    """Turns the first SIGTERM to this process into an interrupt, until the session is over.

    A second one ends the process at once, as does one to a process that was forked from it. A handler that somebody
    has set before stays.
    """

    def __init__(self, run: Run) -> None:
        self._process = os.getpid()
        self._is_set = False
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._is_set = True
            run.config.add_cleanup(self._end)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._end()
        if os.getpid() != self._process:
            os.kill(os.getpid(), number)
            return
        raise KeyboardInterrupt("SIGTERM")

    def _end(self) -> None:
        if self._is_set:
            self._is_set = False
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
